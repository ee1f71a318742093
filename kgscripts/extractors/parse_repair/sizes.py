"""Repairs of parses in which a measure took the place of the thing: "in a 23x33cm (9x13 in) baking dish", "in a 180 C /
Gas 4 oven", "heat 2 tbsp oil", "heat half the oil".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from kgscripts.extractors.parse_repair.parse_changes import Change
from kgscripts.text.amounts import UNITS, is_no_thing, is_size
from kgscripts.text.lexicon import is_tool
from kgscripts.text.syntax import is_verb

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_OPENING = frozenset({"case", "det", "amod", "nmod:poss", "advmod"})
_NOMINAL = frozenset({"obl", "obj", "nmod", "dep"})
_BETWEEN = frozenset({"gas", "mark", "fan", *UNITS})
_FARTHEST = 12
"""The most words between a size and its thing."""


def size_changes(sentence: Span) -> Iterator[Change]:
    """The changes that make a thing the head of the phrase of its size."""
    end = 0
    for size in sentence:
        if size.i < end or size.dep_ not in _NOMINAL or is_verb(size) or not is_size(size):
            continue
        behind = list(takewhile(_describes, size.doc[size.i + 1 : min(size.i + _FARTHEST, sentence.end)]))
        thing = next((token for token in reversed(behind) if token.pos_ == "NOUN" and is_tool(token.lemma_)), None)
        governor = next((token for token in size.ancestors if is_verb(token)), None)
        if thing is None or governor is None:
            continue
        end = thing.i
        yield Change(thing, governor.i, "obl" if any(c.dep_ == "case" for c in size.lefts) else "obj")
        yield Change(size, thing.i, "compound")
        yield from (Change(child, thing.i, child.dep_) for child in size.lefts if child.dep_ in _OPENING)
        for token in behind:
            if token.i < thing.i and (token.dep_ == "case" or not token.is_alpha):
                yield Change(token, size.i, "dep")  # "(9x13 in)"


def measure_changes(doc: Iterable[Token]) -> Iterator[Change]:
    """The changes that put the noun behind a measure in its place: "heat 2 tbsp oil", "add half the milk"."""
    for measure in doc:
        counted = is_no_thing(measure)
        if not counted and measure.lower_ != "half":
            continue
        thing = next((child for child in measure.rights if child.dep_ == "obj"), None)
        if thing is None:
            continue
        number = measure.nbor(-1) if counted else measure
        outer = measure if number.head.i == measure.i else number  # parsers may attach both to the verb
        if outer.head.i == outer.i:
            yield Change(thing, thing.i, "ROOT")
        else:
            yield Change(thing, outer.head.i, "obj" if is_verb(outer) else outer.dep_)
        yield Change(measure, thing.i, "compound" if counted else "det", "NOUN", "NN")
        if counted:
            yield Change(number, measure.i, "nummod")
        governor = thing if outer.head.i == outer.i else outer.head
        kept = {thing.i, number.i}
        yield from (Change(child, governor.i, child.dep_) for child in measure.children if child.i not in kept)


def _describes(token: Token) -> bool:
    """Whether a token may stand between a size and its thing, or is it."""
    known = token.lower_ in _BETWEEN or token.pos_ in {"ADJ", "NOUN", "NUM"} or token.lower_ in "()/-x"
    return known or token.lower_[:1].isdigit()
