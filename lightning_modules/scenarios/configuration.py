"""Configurations of training as TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from kgscripts.models.settings import settings_from
from lightning_modules.scenarios.detector_settings import DetectorTrainingSettings
from lightning_modules.scenarios.shipped import shipped_configurations
from lightning_modules.scenarios.tiling_settings import TilingTrainingSettings
from schemas.errors import ConfigurationError

SETTINGS: Mapping[str, type[attrs.AttrsInstance]] = {
    "detector": DetectorTrainingSettings,
    "topic-tiling": TilingTrainingSettings,
}
"""Kind -> its settings."""

_KNOWN = ("name", "kind", "training")


@frozen(kw_only=True)
class Configuration:
    """What is trained, and how."""

    name: str
    kind: str
    training: Any
    """The settings of its kind; see `SETTINGS`."""


def read_configuration(name_or_path: str | Path) -> Configuration:
    """A shipped configuration by its name, or a TOML file.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown, missing or
    impossible in it.
    """
    where = str(name_or_path)
    try:
        if where in shipped_configurations():
            resource = resources.files("lightning_modules.scenarios") / "configs" / f"{where}.toml"
            return _configuration(tomllib.loads(resource.read_text(encoding="utf-8")), where)
        return _configuration(tomllib.loads(Path(where).read_text(encoding="utf-8")), where)
    except OSError as error:
        remedy = f"name a TOML file, or one of {', '.join(shipped_configurations())}"
        raise ConfigurationError("no such configuration", where=where, remedy=remedy) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"no TOML in UTF-8: {error}", where=where) from error


def _configuration(values: Mapping[str, Any], where: str) -> Configuration:
    if unknown := sorted(set(values) - set(_KNOWN)):
        remedy = f"known are {', '.join(_KNOWN)}"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
    name, kind, training = values.get("name"), values.get("kind"), values.get("training", {})
    if not isinstance(name, str) or not name:
        raise ConfigurationError("name is missing or no text", where=where)
    if not isinstance(kind, str) or kind not in SETTINGS:
        raise ConfigurationError(f"unknown kind {kind!r}", where=where, remedy=f"known are {', '.join(SETTINGS)}")
    if not isinstance(training, dict):
        raise ConfigurationError("training is no table", where=where, remedy="write [training] and the settings below")
    return Configuration(name=name, kind=kind, training=settings_from(SETTINGS[kind], training, f"{where} [training]"))
