"""Settings of the training of the step merger and of the encoder of steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

from attrs import field, frozen

from lightning_modules.settings import TrainingSettings, count, not_negative, positive, share
from lightning_modules.toml_configuration import TomlConfiguration


@frozen(kw_only=True)
class StepTrainingSettings(TrainingSettings):
    """All that decides the network beside its scenarios. Batches are of pairs of actions."""

    hidden: int = field(default=32, validator=count)
    dropout: float = field(default=0.1, validator=share)
    pairs: int = field(default=12_000, validator=count)
    """So many pairs of an annotation are drawn at most."""
    narrative_weight: float = field(default=0.5, validator=not_negative)
    """What a scenario of stories counts for, against one of descriptions: their labels agree less."""
    learning_rate: float = field(default=1e-2, validator=positive)
    weight_decay: float = field(default=1e-2, validator=not_negative)
    warm_up: float = field(default=0.2, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    epochs: int = field(default=6, validator=count)
    batch_size: int = field(default=2048, validator=count)
    patience: int = field(default=6, validator=count)

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"training": self.epochs}


@frozen(kw_only=True)
class EncoderTrainingSettings(TrainingSettings):
    """All that decides the encoder beside its steps. A batch is of one scenario."""

    layers: int = field(default=4, validator=count)
    rank: int = field(default=16, validator=count)
    temperature: float = field(default=0.07, validator=positive)
    learning_rate: float = field(default=1.5e-3, validator=positive)
    weight_decay: float = field(default=1e-2, validator=not_negative)
    warm_up: float = field(default=0.1, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    epochs: int = field(default=8, validator=count)
    batch_size: int = field(default=96, validator=count)
    patience: int = field(default=8, validator=count)
    gradient_clip: float | None = 1.0

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"training": self.epochs}


_Training = TypeVar("_Training", StepTrainingSettings, EncoderTrainingSettings)


@frozen(kw_only=True)
class Configuration(Generic[_Training]):
    """What is trained, and how."""

    name: str
    training: _Training


def read_configuration(name_or_path: str | Path) -> Configuration[StepTrainingSettings]:
    """A shipped configuration of the step merger by its name, or a TOML file.

    Raises ConfigurationError for one that does not exist, that is no TOML, or that has anything unknown, missing or
    impossible in it.
    """
    return _read(name_or_path, "merger", StepTrainingSettings)


def read_encoder_configuration(name_or_path: str | Path) -> Configuration[EncoderTrainingSettings]:
    """The same of the encoder of steps."""
    return _read(name_or_path, "encoder", EncoderTrainingSettings)


def _read(name_or_path: str | Path, kind: str, settings: type[_Training]) -> Configuration[_Training]:
    read = TomlConfiguration.read(name_or_path, "lightning_modules.steps", ("name", "kind", "training"))
    read.kind([kind])
    return Configuration(name=read.text("name"), training=read.training(settings))
