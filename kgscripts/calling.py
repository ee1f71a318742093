"""Commands as functions: `kgscripts.evaluate` and `kgscripts.train`."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import typer
from typer.main import get_command

from schemas.errors import ConfigurationError


def call(app: typer.Typer, task: str, options: Mapping[str, object]) -> Any:
    """What a command of a group of commands returns, by options with their names, without what it prints.

    Raises ConfigurationError if there is no such command or option, or an option is missing.
    """
    group: Any = get_command(app)
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
