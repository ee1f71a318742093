"""The settings that a build gives to extractors and enrichers, by their names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias

from kgscripts.devices import CPU, check_device
from kgscripts.enrichers.protocol import ENRICHERS, Enricher
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.models.registry import describe
from kgscripts.settings import devices_of, models_of
from schemas.arguments import check_type
from schemas.errors import ConfigurationError, ModelError

Settings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Maps names of extractors and enrichers to values by names of settings."""


def check_settings(settings: Settings | None, chosen: Iterable[object] = ()) -> Settings:
    """The settings, after checks of names, values and models. Extractors and enrichers in `chosen` that are objects
    have settings of their own.

    Raises
    ------
    ConfigurationError
        If an extractor, an enricher or a setting does not exist, a value is not allowed, or settings are given for an
        object.
    ModelError
        If a model does not exist, or is for another task.
    """
    remedy = "give values by name: settings={'state-changes': {'model': 'DIR'}}"
    settings = {} if settings is None else settings
    check_type("settings", settings, Mapping, remedy)
    objects = [item.name for item in chosen if isinstance(item, Extractor | Enricher)]
    for name, values in settings.items():
        check_type("what has settings", name, str, remedy)
        check_type(f"the settings of {name!r}", values, Mapping, remedy)
        if name in objects:
            raise ConfigurationError(f"{name!r} comes as an object", remedy="make the object with its settings")
        check_values(name, values, name)
    return settings


def check_values(name: str, values: Mapping[str, Any], where: str) -> Extractor | Enricher:
    """The extractor or enricher of that name, made with the settings of these `values`, which are from `where`.

    Raises as `check_settings`.
    """
    installed = [*EXTRACTORS.names(), *ENRICHERS.names()]
    if name not in installed:
        close = get_close_matches(name, installed, 1)
        remedy = f"did you mean {close[0]}?" if close else f"installed are: {', '.join(installed)}"
        raise ConfigurationError(f"no extractor or enricher {name!r} is installed", where=where, remedy=remedy)
    plugin = (EXTRACTORS if name in EXTRACTORS.names() else ENRICHERS).open(name, values, where)
    for setting, (task, model) in models_of(plugin.settings).items():
        try:
            describe(model, task)
        except ModelError as error:
            raise ModelError(f"{setting}: {error}", where=where) from error
    return plugin


def on_device(settings: Settings, names: Iterable[str], device: str) -> Settings:
    """The settings, with the device set for the named extractors and enrichers that have one and are given no other.

    Raises ConfigurationError for a device that is not here.
    """
    check_device(device)
    if device == CPU:
        return settings
    result = dict(settings)
    for name in names:
        plugin = (EXTRACTORS if name in EXTRACTORS.names() else ENRICHERS).open(name)
        if devices := devices_of(plugin.settings):
            result[name] = {**dict.fromkeys(devices, device), **settings.get(name, {})}
    return result


def with_settings(
    extractors: Iterable[str | Extractor], without: Collection[str], settings: Settings
) -> list[str | Extractor]:
    """The extractors without those that are left out; those that `settings` names are made with them."""
    return [
        EXTRACTORS.open(item, settings[item])
        if isinstance(item, str) and item in settings and item not in without
        else item
        for item in extractors
    ]
