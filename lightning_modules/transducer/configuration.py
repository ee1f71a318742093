"""Configurations of training as TOML files; unknown settings are refused."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from attrs import field, frozen, validators

from kgscripts.models.networks import network_settings
from kgscripts.models.settings import LanguageModelSettings, TransducerSettings, settings_from
from lightning_modules.settings import TrainingSettings, count, not_negative
from lightning_modules.transducer.shipped import shipped_configurations
from schemas.errors import ConfigurationError

LIKELIHOOD = "likelihood"
HARD_EM = "hard EM"
"""The phases of the training."""


@frozen(kw_only=True)
class TransducerTrainingSettings(TrainingSettings):
    """How a network is trained; the defaults are those of the released system. Batches are of pairs."""

    likelihood_epochs: int = field(default=50, validator=count)
    """The maximum number of epochs on the (marginal) likelihood."""
    hard_em_epochs: int = field(default=0, validator=[validators.instance_of(int), validators.ge(0)])
    """The maximum number of epochs of hard EM after that, for a transducer (appendix A.3)."""
    minimum_gain: float = field(default=0.01, validator=not_negative)
    """By how much the held-out loss must fall to count as a gain, in nats a pair."""
    max_tokens: int = field(default=50, validator=[validators.instance_of(int), validators.ge(2)])
    """Tokens a side; the rest is cut off. The start symbol counts on the concrete side."""
    minimum_count: int = field(default=3, validator=count)
    """How often a word must occur to have an id of its own, if the vocabulary is made from the pairs."""

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {LIKELIHOOD: self.likelihood_epochs, HARD_EM: self.hard_em_epochs}


@frozen(kw_only=True)
class Configuration:
    """What is trained, and how."""

    name: str
    kind: str
    network: LanguageModelSettings
    training: TransducerTrainingSettings

    def __attrs_post_init__(self) -> None:
        if self.training.hard_em_epochs and not isinstance(self.network, TransducerSettings):
            remedy = "leave out hard_em_epochs, or train a transducer"
            raise ConfigurationError(f"a {self.kind} has no alignments for hard EM", where=self.name, remedy=remedy)


def read_configuration(name_or_path: str | Path) -> Configuration:
    """A shipped configuration by its name, or a TOML file.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown, missing or
    impossible in it.
    """
    if str(name_or_path) in shipped_configurations():
        resource = resources.files("lightning_modules.transducer") / "configs" / f"{name_or_path}.toml"
        return _configuration(resource.read_text(encoding="utf-8"), str(name_or_path))
    path = Path(name_or_path)
    if not path.is_file():
        remedy = f"name a TOML file, or one of {', '.join(shipped_configurations())}"
        raise ConfigurationError("no such configuration", where=str(name_or_path), remedy=remedy)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=str(path)) from error
    return _configuration(text, str(path))


def _configuration(text: str, where: str) -> Configuration:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"no TOML: {error}", where=where) from error
    known = ("name", "kind", "network", "training")
    if unknown := sorted(set(values) - set(known)):
        remedy = f"known are {', '.join(known)}"
        raise ConfigurationError(f"unknown setting {', '.join(unknown)}", where=where, remedy=remedy)
    for name in ("name", "kind"):
        if not isinstance(values.get(name), str) or not values[name]:
            raise ConfigurationError(f"{name} is missing or no text", where=where)
    return Configuration(
        name=values["name"],
        kind=values["kind"],
        network=network_settings(values["kind"], _table(values, "network", where), f"{where} [network]"),
        training=settings_from(TransducerTrainingSettings, _table(values, "training", where), f"{where} [training]"),
    )


def _table(values: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    table = values.get(name, {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{name} is no table", where=where, remedy=f"write [{name}] and its settings below")
    return table
