"""Settings that every training has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from attrs import field, frozen, validators

count = [validators.instance_of(int), validators.ge(1)]
share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]
positive = [validators.instance_of(float), validators.gt(0.0)]
not_negative = [validators.instance_of(float), validators.ge(0.0)]


@frozen(kw_only=True)
class TrainingSettings:
    """Base of the settings of each task. Raises ValueError or TypeError for values that are out of range."""

    learning_rate: float = field(default=1e-3, validator=positive)
    """The highest learning rate."""
    batch_size: int = field(default=32, validator=count)
    """Examples per step."""
    patience: int = field(default=5, validator=count)
    """Epochs without a gain on the held-out examples after which a phase ends."""
    minimum_gain: float = field(default=0.0, validator=not_negative)
    """By how much the held-out loss must fall to count as a gain, in nats."""
    gradient_clip: float | None = None
    """The largest norm of the gradient; None for no limit."""
    seed: int = field(default=1931, validator=validators.instance_of(int))
    """Seed of all random choices."""

    @property
    @abstractmethod
    def phases(self) -> Mapping[str, int]:
        """The phases of the training in order, and the maximum number of epochs of each."""
