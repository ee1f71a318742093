"""Configurations of training as TOML files, with the scores that the model has in print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from kgscripts.models.changes.retrieval import RetrievalSettings
from lightning_modules.state_changes.composer_settings import ComposerTrainingSettings
from lightning_modules.state_changes.settings import CausalChangeSettings
from lightning_modules.toml_configuration import TomlConfiguration
from schemas.errors import ConfigurationError

SETTINGS: Mapping[str, type[attrs.AttrsInstance]] = {
    "composer": ComposerTrainingSettings,
    "retrieval": RetrievalSettings,
    "causal": CausalChangeSettings,
}
"""Kind -> its settings."""

_METRICS = ("exact", "bleu", "rouge")


@frozen(kw_only=True)
class Configuration:
    """What is trained, and how."""

    name: str
    kind: str
    training: Any
    """The settings of its kind; see `SETTINGS`."""
    published: Mapping[str, Mapping[str, float]]
    """Split -> metric -> F1 in percent by the official evaluator, of a published model with these settings."""


def read_configuration(name_or_path: str | Path) -> Configuration:
    """A shipped configuration by its name, or a TOML file.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown, missing or
    impossible in it.
    """
    known = ("name", "kind", "training", "published")
    read = TomlConfiguration.read(name_or_path, "lightning_modules.state_changes", known)
    name, kind = read.text("name"), read.kind(SETTINGS)
    return Configuration(
        name=name,
        kind=kind,
        training=read.training(SETTINGS[kind]),
        published=_published(read.values.get("published", {}), f"{read.where} [published]"),
    )


def _published(values: object, where: str) -> Mapping[str, Mapping[str, float]]:
    remedy = f"write [published.SPLIT] and below it {', '.join(_METRICS)} in percent"
    if not isinstance(values, dict):
        raise ConfigurationError("published is no table", where=where, remedy=remedy)
    for split, scores in values.items():
        if not isinstance(scores, dict) or set(scores) != set(_METRICS):
            raise ConfigurationError(f"{split} has not the three metrics", where=where, remedy=remedy)
        if any(not isinstance(score, int | float) or not 0 <= score <= 100 for score in scores.values()):
            raise ConfigurationError(f"{split} has a score that is no percentage", where=where, remedy=remedy)
    return values
