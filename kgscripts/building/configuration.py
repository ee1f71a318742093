"""The configuration of a build: options and settings from the command line and from a TOML file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.building.settings import check_values
from kgscripts.corpora.tables import parse_columns
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.models.registry import is_named
from kgscripts.plugins import Plugins
from kgscripts.settings import models_of, naming, toml_value
from schemas.arguments import check_number, check_texts, check_type, path_of, shown
from schemas.errors import ConfigurationError
from schemas.toml_files import read_toml

_UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
_GROUPS: Mapping[str, Plugins[Any]] = {"extractors": EXTRACTORS, "enrichers": ENRICHERS}
_ONLY = "only"


@frozen
class Configuration:
    """The content of a file: `options` are arguments of `kgscripts.build_graph`, `as_json` is the value of
    ``--json``."""

    options: dict[str, Any] = field(factory=dict)
    as_json: bool | None = None


def read_configuration(path: str | Path) -> Configuration:
    """The options and settings of a TOML file; its paths are relative to it.

    Raises
    ------
    ConfigurationError
        If it cannot be read or is no TOML, or has an unknown option, extractor, enricher or setting, or a value of
        another type.
    ModelError
        If a model of its settings does not exist, or is for another task.
    """
    path = path_of("config", path)
    with naming(str(path)):
        values = _named_with_underscores(read_toml(path, remedy="name a TOML file"), "")
        tables = {group: values.pop(group, {}) for group in _GROUPS}
        if isinstance(tables["extractors"], list):
            tables["extractors"] = {_ONLY: tables["extractors"]}
        for group, table in tables.items():
            check_type(group, table, dict, f"write [{group}.NAME] and the settings of NAME below")
        if isinstance(tables["extractors"].get(_ONLY), list):
            values["extractors"] = tables["extractors"].pop(_ONLY)
        if unknown := sorted(set(values) - set(_OPTIONS)):
            known = [name.replace("_", "-") for name in _OPTIONS if name not in _GROUPS]
            remedy = f"known are {', '.join(known)}, [extractors] {_ONLY}, [extractors.NAME] and [enrichers.NAME]"
            raise ConfigurationError(f"unknown option {', '.join(unknown)}", remedy=remedy)
        options = {name: _OPTIONS[name](name, value, path.parent) for name, value in values.items()}
        settings = {
            name: _settings(group, name, values, path)
            for group, table in tables.items()
            for name, values in table.items()
        }
    if settings:
        options["settings"] = settings
    return Configuration(options, options.pop("json", None))


def read_settings(texts: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Settings from texts ``NAME.SETTING=VALUE``. A value is a TOML value, or else a text without quotation marks.

    Raises ConfigurationError for other texts.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        where, equals, value = text.partition("=")
        name, _, setting = where.strip().rpartition(".")
        if not (equals and name and setting):
            remedy = "write NAME.SETTING=VALUE, such as state-changes.model=DIR"
            raise ConfigurationError(f"{text} is no setting", where="--set", remedy=remedy)
        found.setdefault(name, {})[setting.replace("-", "_")] = toml_value(value.strip())
    return found


def merged(settings: Mapping[str, Mapping[str, Any]], over: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Both settings, joined by name; those of `over` win."""
    return {name: {**settings.get(name, {}), **over.get(name, {})} for name in (*settings, *over)}


def bytes_of(size: str) -> int:
    """The number of bytes of a size such as ``512MB`` or ``1.5GiB``. Raises ConfigurationError for another text."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Z]+)", size.strip().upper())
    if match is None or match[2] not in _UNITS:
        raise ConfigurationError(
            f"--memory {size} is not a size", remedy="give a number and a unit (MB, GB, TB, MiB, GiB, TiB), such as 2GB"
        )
    return int(float(match[1]) * _UNITS[match[2]])


def _named_with_underscores(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values of options or settings, whose names may have hyphens."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        own = name.replace("-", "_")
        if own in found:
            raise ConfigurationError(
                f"{where}{own} is given twice, with hyphens and with underscores", remedy="leave one out"
            )
        found[own] = value
    return found


def _settings(group: str, name: str, values: Any, path: Path) -> dict[str, Any]:
    """The settings in one table, with the paths of models."""
    where = f"{path} [{group}.{name}]"
    check_type(f"{group}.{name}", values, dict, f"write [{group}.{name}] and its settings below")
    for other, plugins in _GROUPS.items():
        if name not in _GROUPS[group].names() and name in plugins.names():
            raise ConfigurationError(f"{name!r} is not one of the {group}", remedy=f"write [{other}.{name}]")
    found = _named_with_underscores(values, f"{group}.{name}.")
    if name in _GROUPS[group].names():
        for setting, (task, _) in models_of(_GROUPS[group].open(name).settings).items():
            model = found.get(setting)
            if isinstance(model, str) and model and not is_named(model, task):
                found[setting] = str(path.parent / model)
    check_values(name, found, where)
    return found


def _text(name: str, value: Any, _: Path) -> str:
    check_type(name, value, str, "give a text")
    check_texts(**{name: value})
    return str(value)


def _path(name: str, value: Any, folder: Path) -> Path:
    return folder / path_of(name, value)


def _number(name: str, value: Any, _: Path) -> int:
    check_number(name, value)
    return int(value)


def _flag(name: str, value: Any, _: Path) -> bool:
    check_type(name, value, bool, "give true or false")
    return bool(value)


def _names(name: str, value: Any, _: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{name} is {shown(value)}", remedy=f'give a list of texts: {name} = ["..."]')
    return value


def _paths(name: str, value: Any, folder: Path) -> list[Path]:
    return [_path(name, item, folder) for item in _names(name, value, folder)]


def _memory(name: str, value: Any, folder: Path) -> int:
    return bytes_of(_text(name, value, folder))


_OPTIONS: Mapping[str, Callable[[str, Any, Path], Any]] = {
    "inputs": _paths,
    "output": _path,
    "device": _text,
    "format": _text,
    "columns": lambda name, value, folder: parse_columns(_text(name, value, folder)),
    "scenario": _text,
    "scenarios": _text,
    "scenario_list": _path,
    "limit": _number,
    "min_support": _number,
    "min_readers": _number,
    "strict": _flag,
    "any_language": _flag,
    "jobs": _number,
    "spacy_model": _text,
    "extractors": _names,
    "also": _names,
    "without": _names,
    "predict_tools": _flag,
    "corrections": _path,
    "memory": _memory,
    "base_iri": _text,
    "licence": _text,
    "json": _flag,
}
"""What each option of the command takes in a file."""
