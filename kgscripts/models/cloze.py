"""Cloze models: they guess a hidden word of the concrete side (KidsCook, section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol

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
    still unknown, which includes `position`.
    """

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    hidden: tuple[bool, ...]
    position: int


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
