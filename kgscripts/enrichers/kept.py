"""The enrichers of a graph and their settings, which its manifest keeps for later assemblies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from kgscripts.devices import CPU, check_device
from kgscripts.enrichers.protocol import ENRICHERS, Enricher
from kgscripts.models.registry import describe, shipped_models
from kgscripts.settings import devices_of, models_of, version_of
from schemas.errors import ConfigurationError


def kept_settings(enrichers: Iterable[Enricher]) -> dict[str, str | int | float | bool]:
    """The settings of enrichers by ``NAME.SETTING``.

    Other models than the default are kept by their digest, since a path means nothing on another machine.
    """
    found: dict[str, str | int | float | bool] = {}
    for enricher in enrichers:
        settings = enricher.settings
        found |= {f"{enricher.name}.{name}": value for name, value in version_of(settings).items()}
        defaults = {item.name: item.default for item in attrs.fields(type(settings))}
        for name, (task, model) in models_of(settings).items():
            digest = describe(model, task).digest
            if digest != describe(defaults[name], task).digest:
                found[f"{enricher.name}.{name}"] = digest
    return found


def enrichers_of(
    configuration: Mapping[str, Any], where: str, settings: Mapping[str, Mapping[str, Any]] | None = None
) -> list[Enricher]:
    """The enrichers of the graph in the directory `where`, with the settings in its manifest. `settings` give the paths
    of its models that do not ship, and devices that replace those of the graph.

    Raises
    ------
    ConfigurationError
        If an enricher is not installed, or a model or device is not found: without them the graph would become another
        one. If other `settings` are given.
    ModelError
        If an enricher or a model cannot be loaded.
    """
    wanted = ENRICHERS.of_graph(str(configuration.get("enrichers") or ""), where)
    given = {
        f"{name}.{setting}": value for name, values in (settings or {}).items() for setting, value in values.items()
    }
    found = []
    for name in wanted:
        values = {key.rpartition(".")[2]: value for key, value in configuration.items() if key.startswith(f"{name}.")}
        defaults = ENRICHERS.open(name).settings
        for setting, (task, _) in models_of(defaults).items():
            full = f"{name}.{setting}"
            if setting in values:
                values[setting] = _with_digest(values[setting], full, task, given.pop(full, None), where)
        for setting in devices_of(defaults):
            full = f"{name}.{setting}"
            values[setting] = _device(given.pop(full, values.get(setting, CPU)), full, where)
        found.append(ENRICHERS.open(name, values, where))
    if given:
        raise ConfigurationError(
            f"{min(given)} is neither a model of the graph that does not ship nor a device",
            where=where,
            remedy="leave it out: a graph keeps its settings until `kgscripts build-graph` is given others",
        )
    return found


def _with_digest(digest: object, setting: str, task: str, given: Any, where: str) -> Any:
    """The model with that digest: the given one, or the name of one that ships."""
    for model, of_task in [(name, "") for name in shipped_models()] if given is None else [(given, task)]:
        if describe(model, of_task).digest == digest:
            return model
    what = "a model that does not ship" if given is None else f"another model than {given}"
    raise ConfigurationError(
        f"the graph was made with {what}, of the digest {digest}",
        where=where,
        remedy=f"name the checkpoint with this digest: --set {setting}=DIR",
    )


def _device(device: Any, setting: str, where: str) -> str:
    try:
        check_device(str(device))
    except ConfigurationError as error:
        remedy = f"--set {setting}=cpu makes the graph on the CPU, where numbers differ a little"
        raise ConfigurationError(error.message, where=where, remedy=remedy) from error
    return str(device)
