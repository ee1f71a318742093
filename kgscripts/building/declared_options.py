"""Options that the fields of an attrs class declare: what a TOML file, Python and the documents make of them.

A field is an option if its type is `bool`, `int` (from 1 on), `str`, `str | Path` or `Iterable` (names), or its
metadata has a `parser`; `| None` where it has no default. The docstring below it is its help.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import reduce, wraps
from operator import or_
from pathlib import Path
from types import NoneType
from typing import Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import attrs
from attrs import frozen

from kgscripts.settings import docstrings_of
from schemas.arguments import check_number, check_texts, check_type, items_of, path_of, shown
from schemas.errors import ConfigurationError

_Arguments = ParamSpec("_Arguments")
_Options = TypeVar("_Options")
_Result = TypeVar("_Result")
_METAVARS = {bool: "", int: "N", str: "NAME", str | Path: "FILE", Iterable: "NAME,..."}


@frozen
class DeclaredOption:
    """An option: its name, default, type without None, and help, and what the metadata of its field have: the `metavar`
    stands for the value in help, and the `parser` makes it of a text."""

    name: str
    default: Any
    type: Any
    help: str
    metavar: str
    short: str = ""
    parser: Callable[[str], Any] | None = None

    @property
    def flag(self) -> str:
        """How the command line writes it."""
        return f"--{self.name.replace('_', '-')}"

    def checked(self, value: Any) -> Any:
        """The value of an argument; names become a tuple. Raises ConfigurationError for a value of another type."""
        if self.parser or (value is None and self.default is None):
            return value
        if self.type is Iterable:
            return tuple(items_of(self.name, value))
        if self.type is bool:
            check_type(self.name, value, bool, "give true or false")
        if self.type is int:
            check_number(self.name, value)
        if self.type is str:
            check_type(self.name, value, str, "give a text")
            check_texts(**{self.name: value})
        return value

    def of_file(self, value: Any, folder: Path) -> Any:
        """The value in a TOML file in `folder`. Raises ConfigurationError for a value of another type."""
        if self.parser:
            check_type(self.name, value, str, "give a text")
            return self.parser(value)
        if self.type == str | Path:
            return folder / path_of(self.name, value)
        return texts_of(self.name, value) if self.type is Iterable else self.checked(value)


def options_of(cls: Any) -> dict[str, DeclaredOption]:
    """The options that a class declares, by their names, in its order."""
    options, helps, types = {}, docstrings_of(cls), get_type_hints(cls)
    for item in attrs.fields(cls):
        members = [each for each in get_args(types[item.name]) if each is not NoneType]
        plain = reduce(or_, members) if NoneType in get_args(types[item.name]) else types[item.name]
        # Names are texts, or what has one; a stream of anything is no option.
        plain = Iterable if get_origin(plain) is Iterable and Any not in get_args(plain) else plain
        if plain in _METAVARS or "parser" in item.metadata:
            text = " ".join(helps.get(item.name, "").split())
            written = {"metavar": _METAVARS.get(plain, ""), **item.metadata}
            options[item.name] = DeclaredOption(item.name, item.default, plain, text, **written)
    return options


def texts_of(name: str, value: Any) -> list[str]:
    """A list of texts in a TOML file. Raises ConfigurationError for any other value."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=f'give a list of texts: {name} = ["..."]')
    return value


def called_with(
    cls: Callable[_Arguments, _Options],
) -> Callable[[Callable[[_Options], _Result]], Callable[_Arguments, _Result]]:
    """Make a function of an attrs object one that takes the fields of its class as arguments.

    The fields are the only list of the arguments. `ParamSpec` copies the signature of the class, so that type checkers
    and editors know it; `help` prints it, and the docstrings of the fields below that of the function.
    """

    def decorate(function: Callable[[_Options], _Result]) -> Callable[_Arguments, _Result]:
        @wraps(function)
        def call(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
            return function(cls(*arguments, **named))

        signature, types = inspect.signature(cls), get_type_hints(cls)
        typed = [item.replace(annotation=types[name]) for name, item in signature.parameters.items()]
        call.__signature__ = signature.replace(parameters=typed)  # type: ignore[attr-defined]
        helps = (f"{name}:\n    {text}" for name, text in docstrings_of(cls).items())
        call.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Parameters", "----------", *helps])
        return call

    return decorate
