"""Configurations of training as TOML files, with the scores that the model has in print."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from kgscripts.models.change_retrieval import RetrievalSettings
from kgscripts.models.settings import settings_from
from lightning_modules.state_changes.composer_settings import ComposerTrainingSettings
from lightning_modules.state_changes.settings import CausalChangeSettings
from lightning_modules.state_changes.shipped import shipped_configurations
from schemas.errors import ConfigurationError

SETTINGS: Mapping[str, type[attrs.AttrsInstance]] = {
    "composer": ComposerTrainingSettings,
    "retrieval": RetrievalSettings,
    "causal": CausalChangeSettings,
}
"""Kind -> its settings."""

_KNOWN = ("name", "kind", "training", "published")
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
    where = str(name_or_path)
    if where in shipped_configurations():
        resource = resources.files("lightning_modules.state_changes") / "configs" / f"{where}.toml"
        return _configuration(resource.read_text(encoding="utf-8"), where)
    try:
        return _configuration(Path(where).read_text(encoding="utf-8"), where)
    except OSError as error:
        remedy = f"name a TOML file, or one of {', '.join(shipped_configurations())}"
        raise ConfigurationError("no such configuration", where=where, remedy=remedy) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=where) from error


def _configuration(text: str, where: str) -> Configuration:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"no TOML: {error}", where=where) from error
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
    return Configuration(
        name=name,
        kind=kind,
        training=settings_from(SETTINGS[kind], training, f"{where} [training]"),
        published=_published(values.get("published", {}), f"{where} [published]"),
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
