"""Cloze models: they guess a hidden word of the concrete side (KidsCook, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from attrs import frozen

if TYPE_CHECKING:
    import torch

UNKNOWN_WORD = "#UNK#"
"""The unknown word as it is written if it is predicted and fed back to a model."""

HIDDEN_WORD = "_"
"""The placeholder in `Cloze.concrete` for a word that is still hidden."""


@frozen
class Cloze:
    """One hidden token to guess.

    `concrete` holds the tokens as they are known so far (earlier blanks filled in); `hidden` is true for each that is
    still unknown, which includes `position`. `slot_start` is the first token of the blank that `position` belongs to:
    alignments are those of the prefix before it (appendix A.4).
    """

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    hidden: tuple[bool, ...]
    position: int
    slot_start: int


class ClozeModel(Protocol):
    """Ranks candidate words for hidden tokens. `kgscripts evaluate cloze` evaluates these."""

    name: str
    context: Literal["left", "both"]
    """Which side of a blank the model sees besides the abstract sentence."""

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
        """Log probabilities, (clozes, candidates + 1), float32: of each candidate and, last, of the unknown word.

        Rows are normalised over these alone. A word of several pieces has the sum of its pieces. A candidate that the
        model does not know has -inf; the evaluation treats it as the unknown word.
        """

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> torch.Tensor | None:
        """log p(concrete | abstract) of each pair in nats, (pairs,); None if the model defines none.

        Without it candidate fillings are compared by the probability of their words in the blanks.
        """


@runtime_checkable
class TransitionModel(Protocol):
    """A cloze model whose published surprisal counts alignment decisions along with words."""

    def transition_surprisal(self, clozes: Sequence[Cloze]) -> torch.Tensor:
        """Nats of the alignment decisions that go with each word, (clozes,), float32.

        The released scorer counts one emit a word and, before the first word of a blank (`position == slot_start`),
        the shifts to the blank's abstract token and one emit more.
        """
