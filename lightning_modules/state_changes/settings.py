"""Settings of the training of the models of state changes."""

from __future__ import annotations

from attrs import field, frozen, validators

from kgscripts.models.changes.network import whole_heads
from kgscripts.models.sentence_vectors import SIZE
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.settings import LINEAR, TrainingSettings, count, not_negative, positive, schedule_of, share, text


@frozen(kw_only=True)
class ComposerTrainingSettings(TrainingSettings):
    """All that decides the network beside the steps. Batches are of steps."""

    size: int = count(256, whole_heads)
    """The size of the hidden states of the decoder."""
    layers: int = count(2)
    rank: int = count(24, validators.le(SIZE))
    """The rank of the adapters as which the trained encoder is shipped."""
    dropout: float = share(0.25)
    """The dropout of the network; the encoder has that of its own configuration."""
    encoder_learning_rate: float = positive(6e-5)
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    batch_size: int = count(16)
    patience: int = count(10)
    gradient_clip: float | None = 1.0
    most_changes: int = count(10)
    """At most this many changes of each step are drawn in an epoch."""
    hidden_titles: float = share(0.2)
    """The share of steps whose title is hidden, for procedures without one."""
    hidden_contexts: float = share(0.1)
    """The share of steps whose context is hidden."""


@frozen(kw_only=True)
class CausalChangeSettings(CausalSettings):
    """The defaults are those of the released code of OpenPI. Batches are of steps."""

    pretrained: str = text("gpt2-medium")
    epochs: int = count(30)
    learning_rate: float = positive(5e-5)
    warm_up: float = share(0.0)
    weight_decay: float = not_negative(0.0)
    batch_size: int = count(8)
    patience: int = count(30)
    max_pieces: int = field(default=300, validator=[validators.instance_of(int), validators.ge(2)])
    """Pieces of a step and its changes; the context loses its beginning."""
    max_generated: int = count(400)
    """The most pieces that are generated for a step."""
