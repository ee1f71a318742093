"""How a causal language model is fine-tuned."""

from __future__ import annotations

from attrs import field, frozen, validators


@frozen(kw_only=True)
class CausalSettings:
    """Settings of a run; learning rate and schedule are those of OpenAI GPT (Radford et al. 2018).

    Raises ValueError for what is out of range.
    """

    epochs: int = field(default=3, validator=validators.ge(1))
    learning_rate: float = field(default=6.25e-5, validator=validators.gt(0))
    """Of AdamW, at its height."""
    warm_up: float = field(default=0.002, validator=[validators.ge(0), validators.le(1)])
    """The share of all steps until that height; from there it falls linearly to nothing."""
    weight_decay: float = field(default=0.01, validator=validators.ge(0))
    batch_size: int = field(default=16, validator=validators.ge(1))
    """Pairs a step."""
    patience: int = field(default=1, validator=validators.ge(1))
    """Epochs without a gain on the held-out pairs after which training ends."""
    seed: int = 1931
