"""What commands of other packages do, as functions: `export`, `evaluate` and `train`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.arguments import path_of
from schemas.by_name import function
from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from kgscripts.evaluation.result import Evaluation
    from schemas.results import ExportReport
    from schemas.script_graph import ScriptGraph

COLLECTED: ContextVar[list[Evaluation] | None] = ContextVar("COLLECTED", default=None)
"""Where `kgscripts.commands.evaluation_output.finish` puts evaluations instead of printing them."""


def export(
    graph: ScriptGraph,
    target: str | Path,
    *,
    database: str | None = None,
    prune: bool = False,
    replace_graph: bool = False,
    indexes: bool = False,
    dry_run: bool = False,
) -> ExportReport:
    """Write a graph to a target, identified by its suffix or scheme, as ``kgscripts export`` does.

    ``kgscripts.export(graph, "graph.ttl.gz")``. The options are those of the command: a `database` of a server; `prune`
    what an earlier build left there; `replace_graph` of another build under the same base IRI; write `indexes` for
    searches; or change nothing (`dry_run`). Passwords are taken from the environment.

    Raises
    ------
    ConfigurationError
        If no exporter fits the target, or an argument is of another type.
    StoreError
        If the target cannot be written or the server refuses.
    """
    options = function("exports.targets:ExportOptions")(
        database=database, prune=prune, replace_graph=replace_graph, indexes=indexes, dry_run=dry_run
    )
    report: ExportReport = function("exports:export")(graph, target, options)
    return report


def evaluate(task: str, **options: object) -> list[Evaluation]:
    """Measure models as ``kgscripts evaluate TASK`` does.

    Parameters
    ----------
    task:
        A command of ``kgscripts evaluate``, such as ``cloze``, ``alignments`` or ``tools``.
    options:
        Those of the command, with underscores: texts, numbers, paths, True, or lists of them.

    Returns
    -------
        Evaluations with their `systems`, whose `figures` are shares from 0 to 1 unless their unit is another:
        ``evaluate("tools", split="development")[0].systems[0]["P@1"]``.

    Raises
    ------
    ConfigurationError
        If there is no such command or option, or an option is missing. Data and models raise what they raise there.
    """
    found: list[Evaluation] = []
    token = COLLECTED.set(found)
    try:
        _call("kgscripts.commands.evaluate:app", task, options)
    finally:
        COLLECTED.reset(token)
    return found


def train(task: str, *, out: str | Path, **options: object) -> Path:
    """Train a model as ``kgscripts train TASK`` does, and return `out`, from which `load_model` loads it.

    ``train("masked", train="templates.tsv", out="model", epochs=3, set={"learning_rate": 1e-4})``

    Parameters
    ----------
    task:
        A command of ``kgscripts train``, such as ``aligner``, ``state-changes`` or ``tools``.
    out:
        The directory, or file, to write.
    options:
        Those of the command, with underscores: texts, numbers, paths, True, lists of them, or a dictionary for `set`.

    Raises
    ------
    ConfigurationError
        If there is no such command or option, or an option is missing.
    InputError, ModelError
        If the data cannot be read, or the extra ``train`` is not installed, or the run cannot go on.
    """
    place = path_of("out", out)
    _call("lightning_modules.commands:app", task, {"out": place, **options})
    return place


def _call(app: str, task: str, options: Mapping[str, object]) -> None:
    """Call a command of a group of commands, with options by their names."""
    import typer
    from typer.main import get_command

    group: Any = get_command(function(app))  # type: ignore[arg-type]
    if not isinstance(task, str) or task not in group.commands:
        raise ConfigurationError(f"there is no task {task!r}", remedy=f"name one of {', '.join(group.commands)}")
    command = group.commands[task]
    known = {_name_of(parameter): parameter for parameter in command.params if "--help" not in parameter.opts}
    if unknown := sorted(options.keys() - known.keys()):
        raise ConfigurationError(f"{task} has no option {unknown[0]}", remedy=f"it has {', '.join(sorted(known))}")
    words, places = [], list[str]()
    for name, value in options.items():
        parameter = known[name]
        for text in _texts(value):
            if parameter.param_type_name == "argument":
                places.append(text)
            elif getattr(parameter, "is_flag", False):
                words += [parameter.opts[0]] * (text == "True")
            else:
                words.append(f"{max(parameter.opts, key=len)}={text}")
    with _errors_of(task, typer.BadParameter.__base__):
        context = command.make_context(task, [*words, "--", *places])
    with context:
        command.invoke(context)


def _name_of(parameter: Any) -> str:
    """The name of an option, as it is written on the command line but for underscores; an argument has its own."""
    is_argument = parameter.param_type_name == "argument"
    return str(parameter.name if is_argument else max(parameter.opts, key=len).lstrip("-").replace("-", "_"))


def _texts(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [f"{name}={item}" for name, item in value.items()]
    return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]


@contextmanager
def _errors_of(task: str, usage_error: Any) -> Iterator[None]:
    """Errors of usage as ours."""
    try:
        yield
    except usage_error as error:
        raise ConfigurationError(f"{task}: {error.format_message()}", remedy=f"see the options of {task!r}") from error
