"""Configurations of training as TOML files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen, validators

from kgscripts.models.cloze.networks import network_settings
from kgscripts.models.cloze.settings import LanguageModelSettings, TransducerSettings
from lightning_modules.settings import TrainingSettings, count, not_negative
from lightning_modules.toml_configuration import TomlConfiguration
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
    known = ("name", "kind", "network", "training")
    read = TomlConfiguration.read(name_or_path, "lightning_modules.transducer", known)
    name, kind = read.text("name"), read.text("kind")
    return Configuration(
        name=name,
        kind=kind,
        network=network_settings(kind, read.table("network"), f"{read.where} [network]"),
        training=read.training(TransducerTrainingSettings),
    )
