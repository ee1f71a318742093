"""The configuration of a build: options and settings from the command line and from a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from kgscripts.building.declared_options import options_of, texts_of
from kgscripts.building.options import BuildOptions
from kgscripts.building.settings import check_values
from kgscripts.distributed.object_stores import is_url
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.models.registry import is_shipped
from kgscripts.plugins import Plugins
from kgscripts.settings import models_of, naming, toml_value
from schemas.arguments import check_type, path_of
from schemas.errors import ConfigurationError
from schemas.input_files import read_toml

_GROUPS: Mapping[str, Plugins[Any]] = {"extractors": EXTRACTORS, "enrichers": ENRICHERS}
_ONLY = "only"


@frozen
class Configuration:
    """The content of a file: `options` are arguments of `kgscripts.build_graph`, `as_json` is the value of
    ``--json``."""

    options: dict[str, Any] = field(factory=dict)
    as_json: bool | None = None


def read_configuration(path: str | Path, cls: type[BuildOptions] = BuildOptions) -> Configuration:
    """The inputs, the output, the options and the settings of a TOML file; its paths are relative to it.

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
        readers: dict[str, Callable[[Any, Path], Any]] = {
            "inputs": _inputs,
            "output": lambda value, folder: folder / path_of("output", value),
            **{name: option.of_file for name, option in options_of(cls).items()},
            "json": _flag,
        }
        if unknown := sorted(set(values) - set(readers)):
            known = ", ".join(name.replace("_", "-") for name in readers if name not in _GROUPS)
            remedy = f"known are {known}, [extractors] {_ONLY}, [extractors.NAME] and [enrichers.NAME]"
            raise ConfigurationError(f"unknown option {', '.join(unknown)}", remedy=remedy)
        options = {name: readers[name](value, path.parent) for name, value in values.items()}
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
    settings: dict[str, dict[str, Any]] = {}
    for text in texts:
        where, equals, value = text.partition("=")
        name, _, setting = where.strip().rpartition(".")
        if not (equals and name and setting):
            remedy = "write NAME.SETTING=VALUE, such as state-changes.model=DIR"
            raise ConfigurationError(f"{text} is no setting", where="--set", remedy=remedy)
        settings.setdefault(name, {})[setting.replace("-", "_")] = toml_value(value.strip())
    return settings


def configured(config: Path | None, options: Mapping[str, Any], settings: Iterable[str] | None) -> Configuration:
    """The content of a file, if one is given, with the `options` and `settings` of a command line, which win.

    Raises as `read_configuration` and `read_settings`.
    """
    configuration = Configuration() if config is None else read_configuration(config)
    of_file, over = configuration.options.get("settings", {}), read_settings(settings or ())
    joined = {name: {**of_file.get(name, {}), **over.get(name, {})} for name in (*of_file, *over)}
    return Configuration({**configuration.options, **options, "settings": joined}, configuration.as_json)


def _named_with_underscores(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The values of options or settings, whose names may have hyphens."""
    result: dict[str, Any] = {}
    for name, value in values.items():
        python_name = name.replace("-", "_")
        if python_name in result:
            raise ConfigurationError(
                f"{where}{python_name} is given twice, with hyphens and with underscores", remedy="leave one out"
            )
        result[python_name] = value
    return result


def _inputs(places: Any, folder: Path) -> list[str | Path]:
    return [place if is_url(place) else folder / path_of("inputs", place) for place in texts_of("inputs", places)]


def _flag(as_json: Any, _: Path) -> bool:
    check_type("json", as_json, bool, "give true or false")
    return bool(as_json)


def _settings(group: str, name: str, values: Any, path: Path) -> dict[str, Any]:
    """The settings in one table, with the paths of models."""
    where = f"{path} [{group}.{name}]"
    check_type(f"{group}.{name}", values, dict, f"write [{group}.{name}] and its settings below")
    for other, plugins in _GROUPS.items():
        if name not in _GROUPS[group].names() and name in plugins.names():
            raise ConfigurationError(f"{name!r} is not one of the {group}", remedy=f"write [{other}.{name}]")
    settings = _named_with_underscores(values, f"{group}.{name}.")
    if name in _GROUPS[group].names():
        for setting, (task, _) in models_of(_GROUPS[group].open(name).settings).items():
            model = settings.get(setting)
            if isinstance(model, str) and model and not is_shipped(model, task):
                settings[setting] = str(path.parent / model)
    check_values(name, settings, where)
    return settings
