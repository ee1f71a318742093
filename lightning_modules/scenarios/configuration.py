"""Configurations of training as TOML files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from lightning_modules.scenarios.detector_settings import DetectorTrainingSettings
from lightning_modules.scenarios.tiling_settings import TilingTrainingSettings
from lightning_modules.toml_configuration import TomlConfiguration

SETTINGS: Mapping[str, type[attrs.AttrsInstance]] = {
    "detector": DetectorTrainingSettings,
    "topic-tiling": TilingTrainingSettings,
}
"""Kind -> its settings."""


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
    read = TomlConfiguration.read(name_or_path, "lightning_modules.scenarios", ("name", "kind", "training"))
    name, kind = read.text("name"), read.kind(SETTINGS)
    return Configuration(name=name, kind=kind, training=read.training(SETTINGS[kind]))
