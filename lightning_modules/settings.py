"""Settings that every training has, their fields, what cross-validation withholds, and the devices of a run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from attrs import field, frozen, validators


class Precision(StrEnum):
    """Precision of the networks, by Lightning's names; lattice and emission are always computed in float32."""

    SINGLE = "32-true"
    BRAIN_FLOAT = "bf16-mixed"
    HALF = "16-mixed"


@frozen(kw_only=True)
class Hardware:
    """Accelerator and devices by Lightning's names, such as ``auto``, ``cpu`` or ``gpu``."""

    accelerator: str = "auto"
    devices: int | str = 1
    precision: Precision = Precision.SINGLE


CONSTANT, LINEAR, ONE_CYCLE = "constant", "linear", "one-cycle"


def count(default: int, *further: Any, least: int = 1) -> Any:
    """A field with a whole number of at least `least`."""
    return field(default=default, validator=[validators.instance_of(int), validators.ge(least), *further])


def share(default: float) -> Any:
    """A field with a number from 0 to 1."""
    return field(default=default, validator=[validators.instance_of(float), validators.ge(0.0), validators.le(1.0)])


def positive(default: float) -> Any:
    """A field with a number above 0."""
    return field(default=default, validator=[validators.instance_of(float), validators.gt(0.0)])


def not_negative(default: float) -> Any:
    """A field with a number of at least 0."""
    return field(default=default, validator=[validators.instance_of(float), validators.ge(0.0)])


def text(default: str) -> Any:
    """A field with a text that is not empty."""
    return field(default=default, validator=[validators.instance_of(str), validators.min_len(1)])


def schedule_of(default: str) -> Any:
    """A field with the schedule of the learning rate."""
    return field(default=default, validator=validators.in_([CONSTANT, LINEAR, ONE_CYCLE]))


@frozen(kw_only=True)
class TrainingSettings:
    """Base of the settings of each task. Raises ValueError or TypeError for values that are out of range.

    The optimiser is AdamW, which without `weight_decay` is Adam.
    """

    epochs: int = count(10)
    """The maximum number of epochs."""
    batch_size: int = count(32)
    """Examples per step."""
    learning_rate: float = positive(1e-3)
    """The highest learning rate."""
    schedule: str = schedule_of(CONSTANT)
    """Of the learning rate: constant, or rising for `warm_up`, then falling to zero, linear or one-cycle (cosine)."""
    warm_up: float = share(0.0)
    """The share of all steps until the highest learning rate."""
    weight_decay: float = not_negative(0.0)
    """Of AdamW."""
    gradient_clip: float | None = None
    """The largest norm of the gradient; None for no limit."""
    patience: int = count(5)
    """Epochs without a gain on the held-out examples after which a phase ends."""
    minimum_gain: float = not_negative(0.0)
    """By how much the held-out loss must fall to count as a gain, in nats."""
    seed: int = field(default=1931, validator=validators.instance_of(int))
    """Seed of all random choices."""

    @property
    def phases(self) -> Mapping[str, int]:
        """The phases of the training in order, and the maximum number of epochs of each."""
        return {"training": self.epochs}


class Withheld(StrEnum):
    """What training does not see."""

    STORIES = "stories"
    """A part of the stories of each scenario."""
    SCENARIOS = "scenarios"
    """All stories of a part of the scenarios; what was written about them is seen."""
    KNOWLEDGE = "knowledge"
    """All that is about a part of the scenarios; they are added to the trained model by their names."""
