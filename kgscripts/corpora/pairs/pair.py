"""Pairs of an abstract and a concrete instruction, as tokens (KidsCook, section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from attrs import field, frozen

from schemas.errors import RecordError

if TYPE_CHECKING:
    from spacy.language import Language

_ATTACHED = re.compile(r"\w[.,;:!?)\]\"”](?:\s|$)|(?:^|\s)[(\[\"“]\w")


@frozen(kw_only=True)
class Pair:
    """An abstract instruction and its concrete realisation, tokenised.

    `blanks` is empty, or marks each concrete token that is to be guessed (the 0s of a cloze template). `steps` are the
    indices of the first token of each concrete step. `where` is the source location, for messages.
    Raises RecordError for an empty side, and for blanks or steps that do not fit the concrete side.
    """

    abstract: tuple[str, ...] = field(converter=tuple[str, ...])
    concrete: tuple[str, ...] = field(converter=tuple[str, ...])
    blanks: tuple[bool, ...] = field(default=(), converter=tuple[bool, ...])
    steps: tuple[int, ...] = field(default=(0,), converter=tuple[int, ...])
    where: str = ""

    def __attrs_post_init__(self) -> None:
        if not self.abstract or not self.concrete:
            side = "concrete" if self.abstract else "abstract"
            raise RecordError(f"the {side} side is empty", where=self.where)
        if self.blanks and len(self.blanks) != len(self.concrete):
            raise RecordError(f"{len(self.blanks)} marks for {len(self.concrete)} tokens", where=self.where)
        rising = all(first < second for first, second in zip(self.steps, self.steps[1:], strict=False))
        if not self.steps or self.steps[0] != 0 or not rising or self.steps[-1] >= len(self.concrete):
            raise RecordError(f"steps begin at {self.steps} of {len(self.concrete)} tokens", where=self.where)

    @classmethod
    def of_steps(cls, abstract: Iterable[str], steps: Iterable[Sequence[str]], where: str = "") -> Pair:
        """The pair whose concrete side consists of these steps; steps without tokens are left out."""
        written = [step for step in steps if step]
        starts = [0, *accumulate(map(len, written))][: max(1, len(written))]
        return cls(
            abstract=abstract,
            concrete=chain.from_iterable(written),
            steps=starts,
            where=where,
        )

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The blanks as spans of concrete tokens, end exclusive, in order."""
        marks = (False, *self.blanks, False)
        bounds = [index for index in range(len(marks) - 1) if marks[index] != marks[index + 1]]
        return list(zip(bounds[::2], bounds[1::2], strict=True))


def tokens(text: str) -> list[str]:
    """The tokens of a text, in lower case.

    Text in which no punctuation mark or bracket is attached to a word counts as tokenised and is split at white space;
    other text is tokenised by spaCy's rules for English.
    """
    if not _ATTACHED.search(text):
        return text.lower().split()
    # Here, since it imports spaCy. In pieces: the tokenizer refuses long texts.
    from kgscripts.text.passages import split_text

    pieces = (blank_english().make_doc(text[start:end]) for start, end in split_text(text))
    return [token.text.lower() for piece in pieces for token in piece if not token.is_space]


@cache
def blank_english() -> Language:
    """spaCy's tokenizer and word lists for English, without a model."""
    import spacy

    return spacy.blank("en")
