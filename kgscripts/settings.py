"""Settings: attrs classes with texts, numbers and booleans, made from names and values, with checks.

Those of extractors and enrichers have defaults, and docstrings that `kgscripts extractors list` prints as their help.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar

import attrs
from attrs import field, frozen, validators

from kgscripts.devices import CPU, check_device, kind_of
from schemas.arguments import check_texts, shown
from schemas.errors import ConfigurationError
from schemas.input_files import parse_toml

KINDS: Mapping[str, tuple[type, str]] = {
    "str": (str, "a text"),
    "int": (int, "a whole number"),
    "float": (float, "a finite number"),
    "bool": (bool, "true or false"),
}
"""The types of settings of extractors and enrichers, with their names in messages."""

_TASK, _DEVICE, _RUNNING = "task of the model", "a device", "how it runs"

_Settings = TypeVar("_Settings", bound=attrs.AttrsInstance)


@frozen
class NoSettings:
    """The settings of extractors and enrichers without settings."""


@frozen(kw_only=True)
class Setting:
    """A setting, for people: `kind` is one of `KINDS`, `task` is that of the model that it names, or ""."""

    name: str
    kind: str
    default: str | int | float | bool
    help: str
    task: str = ""


def model_setting(task: str, default: str = "default") -> Any:
    """A field that names a model of a task: one that ships, or the directory of a checkpoint.

    It is no part of versions: `networks` has the digest of the model, wherever it lies.
    """
    return field(default=default, validator=validators.min_len(1), metadata={_TASK: task})


def device_setting() -> Any:
    """A field that names the device of a network: ``cpu``, or ``cuda``, ``cuda:N`` or ``coreml`` if onnxruntime has it.

    Its kind is part of versions if it is not the CPU. `build_graph(device=...)` sets it where settings do not.
    """
    return field(default=CPU, validator=_has_device, metadata={_DEVICE: True})


def running_setting(default: str | int | float, validator: Any = None) -> Any:
    """A field that says how the work is done, not what is read: it is no part of versions."""
    return field(default=default, validator=validator, metadata={_RUNNING: True})


def _has_device(_: object, __: object, value: str) -> None:
    check_device(value)


def settings_from(cls: type[_Settings], values: Mapping[str, Any], where: str) -> _Settings:
    """Settings of a class from names and values. A path is a text, and a whole number is a number too.

    Raises ConfigurationError, with `where` the values come from, for an unknown name, a value of another type, and an
    impossible value.
    """
    fields = {attribute.name: attribute for attribute in attrs.fields(cls)}
    required = [name for name, attribute in fields.items() if attribute.default is attrs.NOTHING]
    if unknown := sorted(map(str, set(values) - set(fields))):
        remedy = f"known are {', '.join(fields)}" if fields else "there are none"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
    if missing := [name for name in required if name not in values]:
        raise ConfigurationError(f"missing setting {', '.join(missing)}", where=where)
    try:
        with naming(where):
            return cls(**{name: _typed(name, _kind(fields[name]), value) for name, value in values.items()})
    except (TypeError, ValueError) as error:
        # attrs appends attribute, options and value to the sentence.
        message = str(error.args[0] if error.args else error)
        raise ConfigurationError(message, where=where, remedy="choose a value within range") from error


def toml_value(text: str) -> Any:
    """The value of an option --set: one of TOML, or else the text itself, without quotation marks."""
    try:
        values = parse_toml(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    value = values.get("value")
    return value if isinstance(value, str | int | float) and len(values) == 1 else text


@contextmanager
def naming(where: str) -> Iterator[None]:
    """A context that adds the location `where` to errors of configuration without a location."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(error.message, where=error.where or where, remedy=error.remedy) from error


def check_types(settings: Any) -> None:
    """Raise ConfigurationError unless that is an instance of an attrs class with fields of types that `KINDS` lists."""
    if not attrs.has(type(settings)):
        raise ConfigurationError("its settings are no instance of an attrs class", remedy="see `kgscripts.settings`")
    for attribute in attrs.fields(type(settings)):
        if _kind(attribute) not in KINDS:
            message = f"the type of its setting {attribute.name!r} is none of {', '.join(KINDS)}"
            raise ConfigurationError(message, remedy="give it one of them")


def settings_of(settings: attrs.AttrsInstance) -> list[Setting]:
    """The settings of a class, in its order, of which `settings` has the defaults."""
    docstrings = docstrings_of(type(settings))
    return [
        Setting(
            name=attribute.name,
            kind=_kind(attribute),
            default=getattr(settings, attribute.name),
            help=docstrings.get(attribute.name, ""),
            task=attribute.metadata.get(_TASK, ""),
        )
        for attribute in attrs.fields(type(settings))
    ]


def version_of(settings: attrs.AttrsInstance) -> dict[str, str | int | float | bool]:
    """The part of settings that belongs to a version: all values except names of models, the CPU as a device, and those
    of `running_setting`.

    Raises as `check_types`.
    """
    check_types(settings)
    values = attrs.asdict(settings, filter=lambda field, _: not {_TASK, _RUNNING} & set(field.metadata))
    for name in devices_of(settings):
        values[name] = kind_of(values[name])
        if values[name] == CPU:
            del values[name]
    return values


def models_of(settings: attrs.AttrsInstance) -> dict[str, tuple[str, str]]:
    """The models that settings name: the task of each and its name, by the name of the setting."""
    fields = (item for item in attrs.fields(type(settings)) if _TASK in item.metadata)
    return {item.name: (item.metadata[_TASK], getattr(settings, item.name)) for item in fields}


def devices_of(settings: attrs.AttrsInstance) -> list[str]:
    """The names of settings that name devices."""
    return [item.name for item in attrs.fields(type(settings)) if _DEVICE in item.metadata]


def _kind(attribute: attrs.Attribute[Any]) -> str:
    """The name of a field's type; annotations may be texts."""
    return attribute.type if isinstance(attribute.type, str) else getattr(attribute.type, "__name__", "")


def _typed(name: str, kind: str, value: Any) -> Any:
    """The value as its type; as it is if `KINDS` lacks the type. Raises ConfigurationError if it is of another type."""
    if kind not in KINDS:
        return value
    if kind == "str" and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if kind == "float" and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53:
        value = float(value)
    of_type, words = KINDS[kind]
    fits = isinstance(value, of_type) and isinstance(value, bool) == (kind == "bool")
    if not fits or (kind == "float" and not math.isfinite(value)):
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=f"give {words}")
    if kind == "str":
        check_texts(**{name: value})
    return value


@cache
def docstrings_of(cls: Any) -> dict[str, str]:
    """The texts behind the fields of a class and of those that it derives from; none without its source."""
    # Here, since only people read them.
    import ast
    import inspect
    import textwrap

    texts: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        try:
            (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        except (OSError, TypeError, ValueError, SyntaxError):
            continue
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for line, after in pairwise(body):
            match line, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    texts[name] = inspect.cleandoc(text)
    return texts
