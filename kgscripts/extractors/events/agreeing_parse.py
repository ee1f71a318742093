"""A parse that does not contradict the reader: its predicates are verbs, and what has a part of its own in an event is
no part of a compound."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WITHIN_NOUN = frozenset({"amod", "case", "compound", "nmod", "flat", "fixed", "mark", "cc", "det"})


def agreeing(doc: Doc, verbs: Set[int], parts: Set[int]) -> Doc:
    """The parse, or a copy in which the words at `verbs` are verbs and those at `parts` stand apart."""
    tokens = [doc[place] for place in sorted(parts)]
    named = [token for token in tokens if token.i in verbs and token.pos_ not in {"VERB", "AUX"}]
    joined = [token for token in tokens if token.dep_ in _WITHIN_NOUN and (token.i in verbs or token.head.i in parts)]
    if not named and not joined:
        return doc
    copy = doc.copy()
    for token in named:
        verb = copy[token.i]
        verb.pos_, verb.tag_ = "VERB", "VB"
    for token in joined:
        copy[token.i].dep_ = "dep"
    return copy
