"""What the aligner learns from: anchors that are hidden, and labelled words.

An anchor is a concrete content word that also occurs on the abstract side. If it is hidden, its context shows which
abstract word it was, so any pair corpus teaches which parts of the two sides belong together. What anchors cannot
teach, which abstract word a word that does *not* occur there spells out, comes from labels of train pairs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.network import Sides
from kgscripts.models.alignment.words import aligned_places, is_content_word
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment

_LONGEST = 90
_HIDDEN = 0.1
"""The share of other content words that are hidden, so that an unknown word need not be an anchor."""

_SEEN_ANCHOR = 0.15
"""The weight of an anchor that is not hidden, relative to hidden or labelled words."""


@frozen
class Target:
    """The concrete word of an example is aligned to one of `places`."""

    concrete: int
    places: tuple[int, ...]
    weight: float


@frozen
class Example:
    """A pair, its hidden words, its targets, the place of the pair in its file, and whether it has labels."""

    sides: Sides
    targets: tuple[Target, ...]
    where: str
    is_labelled: bool


def anchor_example(pair: Pair, draw: random.Random) -> Example:
    """A pair with some of its anchors hidden, and a few other words on both sides."""
    abstract, concrete = pair.abstract[:_LONGEST], pair.concrete[:_LONGEST]
    found = _anchors(abstract, concrete)
    rate = draw.random()
    gone = {word for word in sorted({concrete[index] for index in found}) if draw.random() < rate}
    hidden = {index for index in found if concrete[index] in gone or draw.random() < _HIDDEN}
    targets = (Target(index, places, 1.0 if index in hidden else 2 * _SEEN_ANCHOR) for index, places in found.items())
    others = _drawn(concrete, draw) - found.keys()
    sides = Sides(abstract, concrete, _drawn(abstract, draw), hidden | others)
    return Example(sides, tuple(targets), pair.where, is_labelled=False)


def labelled_example(pair: Pair, label: GoldAlignment, draw: random.Random | None) -> Example:
    """A labelled pair, with a few words hidden if there is a `draw`. Its anchors are targets of a small weight."""
    hidden = _drawn(pair.concrete, draw)
    targets = [Target(index, places, _SEEN_ANCHOR) for index, places in _anchors(pair.abstract, pair.concrete).items()]
    possible = set(aligned_places(pair.abstract))
    for index, accepted in label.aligned.items():
        if places := tuple(place for place in accepted if place in possible):
            targets.append(Target(index, places, 1.0))
    sides = Sides(pair.abstract, pair.concrete, _drawn(pair.abstract, draw), hidden)
    return Example(sides, tuple(targets), pair.where, is_labelled=True)


def _anchors(abstract: Sequence[str], concrete: Sequence[str]) -> dict[int, tuple[int, ...]]:
    places: dict[str, list[int]] = {}
    for index, word in enumerate(abstract):
        if is_content_word(word):
            places.setdefault(word, []).append(index)
    return {index: tuple(places[word]) for index, word in enumerate(concrete) if word in places}


def _drawn(words: Sequence[str], draw: random.Random | None) -> set[int]:
    if draw is None:
        return set()
    return {index for index, word in enumerate(words) if is_content_word(word) and draw.random() < _HIDDEN}
