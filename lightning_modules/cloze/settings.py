"""Settings of the masked model."""

from __future__ import annotations

from attrs import frozen

from kgscripts.models.encoder import MINILM
from lightning_modules.settings import LINEAR, TrainingSettings, count, not_negative, schedule_of, share, text


@frozen(kw_only=True)
class MaskedSettings(TrainingSettings):
    """All that decides the result beside the pairs. Batches are of clozes, one a pair and epoch."""

    encoder: str = text(MINILM)
    """Name or folder of the encoder."""
    rank: int = count(32)
    """Of the adapters."""
    dropout: float = share(0.1)
    """In the word head."""
    left_share: float = share(0.2)
    """The share of clozes that show only what is left of the blank."""
    scattered_share: float = share(0.3)
    """The share of clozes whose hidden words are scattered over the text."""
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(LINEAR)
    warm_up: float = share(0.06)
    gradient_clip: float | None = 1.0
    patience: int = count(3)
