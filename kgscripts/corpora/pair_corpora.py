"""Pair corpora as tokens: an abstract instruction and the concrete one that spells it out (KidsCook)."""

from __future__ import annotations

from attrs import field, frozen

from schemas.errors import RecordError


@frozen(kw_only=True)
class Pair:
    """An abstract instruction and its concrete realisation, tokenised.

    `blanks` is empty, or says for each concrete token whether it is to be guessed (the 0s of a cloze template).
    `steps` are the indices of the first token of each concrete step. `where` tells a person where it came from.
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

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The blanks as spans of concrete tokens, end exclusive, in order."""
        starts = [i for i, blank in enumerate(self.blanks) if blank and not (i and self.blanks[i - 1])]
        size = len(self.blanks)
        return [(start, next((i for i in range(start, size) if not self.blanks[i]), size)) for start in starts]
