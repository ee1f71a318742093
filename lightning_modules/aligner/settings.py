"""Settings of the aligner."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen, validators

from lightning_modules.settings import TrainingSettings, count, not_negative, share


@frozen(kw_only=True)
class AlignerSettings(TrainingSettings):
    """All that decides the result beside the data; chosen on labelled train pairs that were held out.

    A batch has `batch_size` labelled pairs and `anchored` other pairs, whose loss has the weight `anchor_weight`.
    """

    layers: int = field(default=4, validator=count)
    """Layers of MiniLM that are kept."""
    rank: int = field(default=32, validator=count)
    """Of the adapters."""
    size: int = field(default=128, validator=count)
    """The size of the vectors whose inner product is the score of a pair of words."""
    epochs: int = field(default=13, validator=count)
    """Epochs over the labelled pairs."""
    batch_size: int = field(default=16, validator=count)
    anchored: int = field(default=8, validator=count)
    anchor_weight: float = field(default=0.3, validator=not_negative)
    weight_decay: float = field(default=0.01, validator=not_negative)
    warm_up: float = field(default=0.15, validator=share)
    """The share of all steps until the highest learning rate; from there it falls by a cosine."""
    patience: int = field(default=13, validator=count)
    gradient_clip: float | None = 1.0
    smoothing: float = field(default=0.02, validator=not_negative)
    shift_probability: float = field(default=0.9, validator=[validators.gt(0.0), validators.lt(1.0)])
    """Settings of the lattice; see `kgscripts.models.alignment.aligner.PathSettings`."""

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        return {"adapting": self.epochs}
