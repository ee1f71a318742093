"""Settings of the training of the word-level networks."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from lightning_modules.settings import TrainingSettings, count, not_negative

LIKELIHOOD = "likelihood"
HARD_EM = "hard EM"
"""The phases of the training."""


@frozen(kw_only=True)
class TransducerTrainingSettings(TrainingSettings):
    """How a network is trained; the defaults are those of the released system. Batches are of pairs."""

    epochs: int = count(50)
    """The maximum number of epochs, of all phases together."""
    hard_em_after: int = count(0, least=0)
    """Epochs on the (marginal) likelihood, after which hard EM follows (appendix A.3); 0 for no hard EM."""
    minimum_gain: float = not_negative(0.01)
    """By how much the held-out loss must fall to count as a gain, in nats a pair."""
    max_tokens: int = count(50, least=2)
    """Tokens a side; the rest is cut off. The start symbol counts on the concrete side."""
    minimum_count: int = count(3)
    """How often a word must occur to have an id of its own, if the vocabulary is made from the pairs."""

    @property
    def phases(self) -> Mapping[str, int]:
        """See `TrainingSettings`."""
        first = min(self.epochs, self.hard_em_after or self.epochs)
        return {LIKELIHOOD: first, HARD_EM: self.epochs - first}
