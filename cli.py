"""The command line: a table of commands, each imported only when it is called."""

from __future__ import annotations

# ruff: noqa: E402 (what Ctrl-C does is set before others are imported)
import _thread
import os
import sys
import time


def _raise_lost_interrupts(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupt again where Python would only print a KeyboardInterrupt (in destructors and callbacks of imports)."""
    if unraisable.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_interrupt_soon, ())
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_soon() -> None:
    time.sleep(0.01)  # until the main thread has left the destructor, where the interrupt would be lost again
    _thread.interrupt_main()


def _end_after_interrupts(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """End without a traceback where Ctrl-C came."""
    # Python 3.11 makes a RuntimeError of what interrupts `__set_name__`.
    if isinstance(error.__cause__ or error, KeyboardInterrupt):
        os._exit(130)
    sys.__excepthook__(kind, error, traceback)


# `main` cannot catch what happens before it is imported.
_hooks_of_others = sys.unraisablehook, sys.excepthook
sys.unraisablehook, sys.excepthook = _raise_lost_interrupts, _end_after_interrupts

import importlib
import logging
import signal
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from kgscripts.lean_imports import keep_lean
from schemas.errors import KGScriptsError, explain, explain_usage
from schemas.interrupts import passing_on_interrupts
from schemas.logs import log_failure, phase, start_log
from schemas.terminal import (
    complain,
    echo,
    flush_standard_streams,
    open_standard_streams,
    reader_has_gone,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import TracebackType


# name -> (module:function or module:app, one line for `kgscripts --help`); those of the entry points
# `kgscripts.commands`, of reproductions and of other packages, come after them.
COMMANDS: dict[str, tuple[str, str]] = {
    "build-graph": ("kgscripts.commands.build:build_graph", "Read texts and build (or extend) a graph directory."),
    "remove": ("kgscripts.commands.build:remove", "Remove a source from a graph directory."),
    "correct": ("kgscripts.commands.correct:correct", "Correct a graph; later builds keep the corrections."),
    "split-reading": ("kgscripts.commands.pieces:split_reading", "Plan the reading of many texts in pieces."),
    "read-piece": ("kgscripts.commands.pieces:read_piece", "Read one piece of such a plan."),
    "merge": ("kgscripts.commands.merge:merge", "Merge graphs without reading their texts again."),
    "diff": ("kgscripts.commands.merge:diff", "Print what differs between two graphs."),
    "show": ("exports.views.show:show", "Print a scenario as a tree, or the steps that use a tool."),
    "explore": ("exports.views.explore.command:explore", "Write one page to look through a graph."),
    "needs": ("exports.views.show:needs", "Print the tools and supplies that a scenario needs."),
    "compare": ("kgscripts.commands.compare:compare", "Compare the texts of a scenario with its written script."),
    "plan": ("kgscripts.commands.plan:plan", "Print a scenario as a plan for a planner or a robot."),
    "search": ("kgscripts.commands.search:search", "Find steps, tools and scenarios by words and meaning."),
    "prepare": ("exports.preparing:prepare", "Make the stores and indexes of a graph beforehand."),
    "query": ("exports.commands:query", "Ask a graph in SPARQL or Cypher."),
    "export": ("exports.commands:export", "Write a graph as RDF, to Neo4j, to a store or a file."),
    "serve": ("exports.serve.command:serve", "Serve a graph: a page, SPARQL, Cypher and JSON."),
    "mcp": ("exports.mcp.command:mcp", "Serve a graph to an assistant (Model Context Protocol)."),
    "validate": ("exports.commands:validate", "Check a graph's files and its SHACL shapes."),
    "schema": ("exports.commands:schema", "Print the ontology, shapes, JSON-LD context or constraints."),
    "read": ("kgscripts.commands.read:read", "Show what is read in a text, and what is left out."),
    "align": ("kgscripts.commands.align:align", "Align the words of concrete texts with abstract ones."),
    "tools": ("kgscripts.commands.tools:tools", "Rank the tools of an event."),
    "changes": ("kgscripts.commands.tools:changes", "Predict what a step changes."),
    "track": ("kgscripts.commands.track:track", "Print the state table of a procedure."),
    "segment": ("kgscripts.commands.segment:segment", "Show which scenario each passage of a text is about."),
    "extractors": ("kgscripts.commands.extractors:app", "List the installed extractors."),
    "models": ("kgscripts.commands.models:app", "List the installed models, and print their cards."),
    "evaluate": ("kgscripts.commands.evaluate:app", "Measure the quality of the models."),
    "train": ("lightning_modules.commands:app", "Train models on corpora of your own."),
    "corpora": ("kgscripts.commands.corpora:app", "List, download and prepare corpora."),
}


class LazyGroup(TyperGroup):
    """A group whose help is known without importing a single command."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Typer suggests similar names of these.
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Typer itself would end without a word after Ctrl-C, and with 1 where a reader has gone."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise typer.Exit(_interrupted()) from interrupt
        except BrokenPipeError as error:
            if not reader_has_gone():
                raise
            raise typer.Exit from error

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """The commands in the order of the table, not of the alphabet, and those that packages add."""
        return [*COMMANDS, *_added()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """A placeholder with the command's name and one line of help."""
        if cmd_name in COMMANDS:
            line = COMMANDS[cmd_name][1]
        elif cmd_name in (added := _added()):
            line = _first_line(added[cmd_name])
        else:
            return None
        stub = typer.Typer(add_completion=False)
        stub.command(name=cmd_name, help=line)(_nothing)
        return typer.main.get_command(stub)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command itself, now that it is called."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, _load(str(name)), rest


def _nothing() -> None:
    """Body of the placeholders; never called."""


def _first_line(entry: EntryPoint) -> str:
    """The first line of the docstring of a command, read in its source, so that help imports no command."""
    import ast
    from importlib.util import find_spec

    spec = find_spec(entry.module)
    if spec is None or spec.origin is None:
        return ""
    source = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    functions = (node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == entry.attr)
    docstring = next((ast.get_docstring(function) for function in functions), None)
    return (docstring or "").partition("\n")[0]


def _added() -> dict[str, EntryPoint]:
    """The commands of reproductions and of other packages."""
    from schemas.plugins import entry_points_of

    return entry_points_of("kgscripts.commands")


def _load(name: str) -> Any:
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name][0].partition(":")
        target = getattr(importlib.import_module(module), attribute)
    else:
        from schemas.plugins import loaded

        target = loaded(_added()[name], "command")
    if "pyarrow" in sys.modules:
        from kgscripts.lean_imports import hide_pandas_from_pyarrow

        hide_pandas_from_pyarrow()
    if not isinstance(target, typer.Typer):
        command = typer.Typer(add_completion=False)
        command.command(name=name)(target)
        target = command
    loaded = typer.main.get_command(target)
    loaded.name = name
    return loaded


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"kgscripts {metadata.version('kgscripts')}")
        raise typer.Exit


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, pretty_exceptions_enable=False)
_wants_traceback = False
_UsageError: Any = typer.BadParameter.__base__
"""Click's, which newer versions of typer contain."""


@app.callback(epilog="Example: kgscripts build-graph stories/ -o graph && kgscripts show graph 'baking a cake'")
def root(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    log_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a log to the end of FILE. KGSCRIPTS_LOG sets its level: debug, info (default), warning, error.",
            show_default=False,
        ),
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Script knowledge from text: a typed graph of steps, tools and their order, in SPARQL and Cypher."""
    global _wants_traceback
    _wants_traceback = debug
    start_log(log_file)
    # These load other pipelines of spaCy too, and models of torch.
    if context.invoked_subcommand not in ("evaluate", "train"):
        keep_lean()
    context.with_resource(phase(logging.getLogger("kgscripts"), f"kgscripts {context.invoked_subcommand}"))


def main() -> None:
    """Entry point. Exit code 0, or 2 after an error (a message, no traceback), or 130 after Ctrl-C."""
    sys.unraisablehook = _raise_lost_interrupts
    try:
        with passing_on_interrupts():
            code = _run()
    except KeyboardInterrupt:
        code = _interrupted()
    except Exception as error:  # the outermost boundary: its messages are for people
        if isinstance(error.__cause__, KeyboardInterrupt):
            code = _interrupted()
        else:
            log_failure(error, traceback=not isinstance(error, KGScriptsError))
            if _wants_traceback:
                raise
            code = 2
            complain(f"error: {explain(error)}")
    # From here on there is nothing to clean up, and no traceback of the interpreter's own exit is wanted.
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    sys.exit(flush_standard_streams() or code)


def _run() -> int:
    open_standard_streams()
    if sys.stdout is None:
        complain("error: standard output is closed")
        return 2
    try:
        outcome = app(prog_name="kgscripts", standalone_mode=False)
    except _UsageError as error:
        complain(explain_usage(error))
        return 2
    except typer.Abort:
        return _interrupted()
    return outcome if isinstance(outcome, int) else 0


def _interrupted() -> int:
    complain("interrupted")
    return 130


# Who only imports this keeps the hooks of before; `main` sets the one that it needs.
sys.unraisablehook, sys.excepthook = _hooks_of_others

if __name__ == "__main__":
    main()
