"""Settings of the fine-tuning of a causal language model."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from lightning_modules.settings import TrainingSettings, count, not_negative, positive, share


@frozen(kw_only=True)
class CausalSettings(TrainingSettings):
    """Learning rate and schedule are those of OpenAI GPT (Radford et al. 2018). Batches are of pairs."""

    epochs: int = field(default=3, validator=count)
    """The maximum number of epochs."""
    learning_rate: float = field(default=6.25e-5, validator=positive)
    warm_up: float = field(default=0.002, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    weight_decay: float = field(default=0.01, validator=not_negative)
    batch_size: int = field(default=16, validator=count)
    patience: int = field(default=1, validator=count)
    gradient_clip: float | None = 1.0

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"fine-tuning": self.epochs}
