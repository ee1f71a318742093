"""The items of the cloze task: pairs with blanks, truncated like in the released scorer."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from schemas.errors import InputError

MAX_ABSTRACT_TOKENS = 50
MAX_CONCRETE_TOKENS = 49
"""Fifty with the start symbol, which counts towards the concrete side."""


@frozen
class Blank:
    """A hidden token of the concrete side, and the whole blank (`start` to `end`, exclusive) that it belongs to."""

    position: int
    start: int
    end: int


@frozen
class ClozeItem:
    """A pair as models see it: both sides truncated, and its hidden tokens from left to right."""

    abstract: tuple[str, ...]
    concrete: tuple[str, ...]
    blanks: tuple[Blank, ...]
    where: str

    @property
    def slots(self) -> list[tuple[int, int]]:
        """The whole blanks as spans of concrete tokens, end exclusive."""
        return list(dict.fromkeys((blank.start, blank.end) for blank in self.blanks))


def cloze_item(pair: Pair) -> ClozeItem:
    """The item of a pair. Blanks beyond the truncation are dropped; a blank that crosses it ends there."""
    spans = [(start, min(end, MAX_CONCRETE_TOKENS)) for start, end in pair.slots if start < MAX_CONCRETE_TOKENS]
    return ClozeItem(
        abstract=pair.abstract[:MAX_ABSTRACT_TOKENS],
        concrete=pair.concrete[:MAX_CONCRETE_TOKENS],
        blanks=tuple(Blank(position, start, end) for start, end in spans for position in range(start, end)),
        where=pair.where,
    )


def cloze_items(pairs: Iterable[Pair]) -> list[ClozeItem]:
    """The items of cloze templates, in order. Pairs without a blank are kept, since their alignments are measured.

    Raises InputError if there are no blanks at all.
    """
    items = [cloze_item(pair) for pair in pairs]
    if not any(item.blanks for item in items):
        remedy = f"pass cloze templates: a third column with a 0 for each token to guess, within {MAX_CONCRETE_TOKENS}"
        raise InputError("there are no blanks", where=items[0].where if items else None, remedy=remedy)
    return items


def blank_words(items: Iterable[ClozeItem]) -> set[str]:
    """The words that were blanked."""
    return {item.concrete[blank.position] for item in items for blank in item.blanks}
