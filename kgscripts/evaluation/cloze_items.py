"""What the cloze task asks: the blanks of a pair, cut as the released scorer cuts them."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from kgscripts.corpora.pair import Pair
from schemas.errors import InputError

MAX_ABSTRACT_TOKENS = 50
MAX_CONCRETE_TOKENS = 49
"""Fifty with the start symbol, which counts on the concrete side."""


@frozen
class Blank:
    """A hidden token of the concrete side, and the whole blank (`start` to `end`, exclusive) that it belongs to."""

    position: int
    start: int
    end: int


@frozen
class ClozeItem:
    """A pair as it is asked: both sides cut to what models see, and its hidden tokens from left to right."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    blanks: tuple[Blank, ...]
    where: str

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The whole blanks as spans of concrete tokens, end exclusive."""
        return list(dict.fromkeys((blank.start, blank.end) for blank in self.blanks))


def cloze_item(pair: Pair) -> ClozeItem:
    """The item of a pair. What lies beyond the cut is not asked; a blank that reaches beyond it ends there."""
    spans = [(start, min(end, MAX_CONCRETE_TOKENS)) for start, end in pair.slots if start < MAX_CONCRETE_TOKENS]
    return ClozeItem(
        abstract=pair.abstract[:MAX_ABSTRACT_TOKENS],
        concrete=pair.concrete[:MAX_CONCRETE_TOKENS],
        blanks=tuple(Blank(position, start, end) for start, end in spans for position in range(start, end)),
        where=pair.where,
    )


def cloze_items(pairs: Iterable[Pair]) -> list[ClozeItem]:
    """The items of cloze templates, in their order. Pairs without a blank stay: their alignments are measured.

    Raises InputError where nothing is to be guessed.
    """
    items = [cloze_item(pair) for pair in pairs]
    if not any(item.blanks for item in items):
        remedy = f"give cloze templates: a third column with a 0 for each token to guess, within {MAX_CONCRETE_TOKENS}"
        raise InputError("there are no blanks", where=items[0].where if items else None, remedy=remedy)
    return items


def blank_words(items: Iterable[ClozeItem]) -> set[str]:
    """The words that were blanked."""
    return {item.concrete[blank.position] for item in items for blank in item.blanks}
