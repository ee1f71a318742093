"""Settings of the aligner."""

from __future__ import annotations

from attrs import field, frozen, validators

from lightning_modules.settings import ONE_CYCLE, TrainingSettings, count, not_negative, schedule_of, share


@frozen(kw_only=True)
class AlignerSettings(TrainingSettings):
    """All that decides the result beside the data; chosen on labelled train pairs that were held out.

    A batch has `batch_size` labelled pairs and `anchored` other pairs, whose loss has the weight `anchor_weight`.
    """

    layers: int = count(4)
    """Layers of MiniLM that are kept."""
    rank: int = count(32)
    """Of the adapters."""
    size: int = count(128)
    """The size of the vectors whose inner product is the score of a pair of words."""
    epochs: int = count(13)
    """Epochs over the labelled pairs."""
    batch_size: int = count(16)
    anchored: int = count(8)
    anchor_weight: float = not_negative(0.3)
    weight_decay: float = not_negative(0.01)
    schedule: str = schedule_of(ONE_CYCLE)
    warm_up: float = share(0.15)
    patience: int = count(13)
    gradient_clip: float | None = 1.0
    smoothing: float = not_negative(0.02)
    shift_probability: float = field(default=0.9, validator=[validators.gt(0.0), validators.lt(1.0)])
    """Settings of the lattice; see `kgscripts.models.alignment.aligner.PathSettings`."""
