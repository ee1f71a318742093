"""Settings of the training of the composer."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen, validators

from kgscripts.models.changes.network import whole_heads
from kgscripts.models.sentence_vectors import SIZE
from lightning_modules.settings import TrainingSettings, count, not_negative, positive, share


@frozen(kw_only=True)
class ComposerTrainingSettings(TrainingSettings):
    """All that decides the network beside the steps. Batches are of steps."""

    size: int = field(default=256, validator=[*count, whole_heads])
    """The size of the hidden states of the decoder."""
    layers: int = field(default=2, validator=count)
    rank: int = field(default=24, validator=[*count, validators.le(SIZE)])
    """The rank of the adapters as which the trained encoder is shipped."""
    dropout: float = field(default=0.25, validator=share)
    """The dropout of the network; the encoder has that of its own configuration."""
    learning_rate: float = field(default=1e-3, validator=positive)
    encoder_learning_rate: float = field(default=6e-5, validator=positive)
    weight_decay: float = field(default=0.01, validator=not_negative)
    warm_up: float = field(default=0.06, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    epochs: int = field(default=10, validator=count)
    """The maximum number of epochs."""
    batch_size: int = field(default=16, validator=count)
    patience: int = field(default=10, validator=count)
    gradient_clip: float | None = 1.0
    most_changes: int = field(default=10, validator=count)
    """The number of changes that are drawn for training from each step in each epoch."""
    hidden_titles: float = field(default=0.2, validator=share)
    """The share of steps whose title is hidden, for procedures without one."""
    hidden_contexts: float = field(default=0.1, validator=share)
    """The share of steps whose context is hidden."""

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"composing": self.epochs}
