"""What commands of other packages do, as functions: `export`, `evaluate` and `train`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schemas.arguments import path_of
from schemas.by_name import function
from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from kgscripts.evaluation.result import Evaluation
    from schemas.results import ExportReport
    from schemas.script_graph import ScriptGraph


def export(graph: ScriptGraph, target: str | Path, **options: str | bool | None) -> ExportReport:
    """Write a graph to a target, identified by its suffix or scheme: ``kgscripts.export(graph, "graph.ttl.gz")``.

    `options` are those of ``kgscripts export``: `database`, `prune`, `replace_graph`, `indexes`, `dry_run`. Passwords
    are taken from the environment.

    Raises ConfigurationError if no exporter fits the target or there is no such option, and StoreError if the target
    cannot be written or the server refuses.
    """
    if unknown := sorted(options.keys() - (known := {"database", "prune", "replace_graph", "indexes", "dry_run"})):
        raise ConfigurationError(f"export has no option {unknown[0]}", remedy=f"it has {', '.join(sorted(known))}")
    chosen = function("exports.targets:ExportOptions")(**options)
    report: ExportReport = function("exports:export")(graph, target, chosen)
    return report


def evaluate(task: str, **options: object) -> list[Evaluation]:
    """Measure models as ``kgscripts evaluate TASK`` does, and return its evaluations instead of printing them.

    `options` are those of the command with underscores: texts, numbers, paths, True, or lists of them. Figures are
    shares from 0 to 1 unless their unit is another: ``evaluate("tools", split="development")[0].systems[0].figures``.

    Raises ConfigurationError if there is no such command or option, or an option is missing; data and models raise what
    they raise there.
    """
    return _call("kgscripts.commands.evaluate:app", task, options) or []


def train(task: str, *, out: str | Path, **options: object) -> Path:
    """Train a model as ``kgscripts train TASK`` does into `out`, and return it: `load_model` loads it from there.

    ``train("masked", train="templates.tsv", out="model", epochs=3, set={"learning_rate": 1e-4})``: `options` are those
    of the command, as for `evaluate`. Epochs are shown on standard error.

    Raises ConfigurationError as `evaluate`, InputError for data that cannot be read, and ModelError if the extra
    ``train`` is not installed or the run cannot go on.
    """
    place = path_of("out", out)
    _call("lightning_modules.commands:app", task, {"out": place, **options})
    return place


def _call(app: str, task: str, options: Mapping[str, object]) -> Any:
    """What a command of a group of commands returns, with options by their names."""
    import typer
    from typer.main import get_command

    group: Any = get_command(function(app))  # type: ignore[arg-type]
    if not isinstance(task, str) or task not in group.commands:
        raise ConfigurationError(f"there is no task {task!r}", remedy=f"name one of {', '.join(group.commands)}")
    command = group.commands[task]
    known = {_name_of(parameter): parameter for parameter in command.params}
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
    usage_error: Any = typer.BadParameter.__base__
    try:
        context = command.make_context(task, [*words, "--", *places])
    except usage_error as error:
        raise ConfigurationError(f"{task}: {error.format_message()}", remedy=f"it has {', '.join(known)}") from error
    with context, redirect_stdout(io.StringIO()):
        return command.invoke(context)


def _name_of(parameter: Any) -> str:
    """The name of an option as on the command line, but with underscores; an argument has its own."""
    is_argument = parameter.param_type_name == "argument"
    return str(parameter.name if is_argument else max(parameter.opts, key=len).lstrip("-").replace("-", "_"))


def _texts(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [f"{name}={item}" for name, item in value.items()]
    return [str(item) for item in (value if isinstance(value, list | tuple) else [value]) if item is not None]
