"""Settings of the fine-tuning of a causal language model on state changes."""

from __future__ import annotations

from attrs import field, frozen, validators

from lightning_modules.causal.settings import CausalSettings
from lightning_modules.settings import count, not_negative, positive, share


@frozen(kw_only=True)
class CausalChangeSettings(CausalSettings):
    """The defaults are those of the released code of OpenPI. Batches are of steps."""

    pretrained: str = field(default="gpt2-medium", validator=[validators.instance_of(str), validators.min_len(1)])
    """A causal language model of Hugging Face: a name or a folder."""
    epochs: int = field(default=30, validator=count)
    """The maximum number of epochs."""
    learning_rate: float = field(default=5e-5, validator=positive)
    warm_up: float = field(default=0.0, validator=share)
    """The share of all steps until the highest learning rate; from there it falls linearly to zero."""
    weight_decay: float = field(default=0.0, validator=not_negative)
    batch_size: int = field(default=8, validator=count)
    patience: int = field(default=30, validator=count)
    max_pieces: int = field(default=300, validator=[validators.instance_of(int), validators.ge(2)])
    """Pieces of a step and its changes; the context loses its beginning."""
    max_generated: int = field(default=400, validator=count)
    """The most pieces that are generated for a step."""
