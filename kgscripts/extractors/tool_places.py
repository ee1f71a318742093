"""Durable things that an event is done in, on or to: "put the pasta in the pot", "line a tin", "heat the grill".

They are containers, supports and appliances. Each is also a participant: the place, or the patient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.extractors.tool_phrases import phrases_of, whole_of
from kgscripts.text.lexicon import is_a, is_tool, verbs
from kgscripts.text.syntax import lemma, prepositional_phrases

if TYPE_CHECKING:
    from spacy.tokens import Token

PLACING = frozenset(
    {"in", "into", "inside", "inside of", "on", "onto", "on top of", "upon", "over", "under", "from", "out of"}
    | {"off", "off of", "to", "around", "between", "through", "at", "among"}
)
_NO_USE = verbs("having") | verbs("perception") | verbs("dwelling") | verbs("reporting")
_WORKED_ON = (
    _NO_USE
    | verbs("washing") | verbs("mending") | verbs("giving") | verbs("cutting")
    | {"make", "create", "build", "change", "replace", "paint", "wipe", "polish", "dust", "sell", "sharpen", "break"}
    | {"decorate", "wrap", "label", "count", "share", "play", "admire", "scrape", "discard", "throw", "recycle"}
)
"""Verbs whose object is what the event works on, or what is had: "wash the pan", "buy a knife"."""
_MOVED = frozenset({"go", "come", "walk", "drive", "run", "ride", "travel", "move", "arrive", "sit", "stand", "lie"})


def places_of(frame: Frame) -> Iterator[Token]:
    """The durable things in, on, from or to which the event is done."""
    verb = lemma(frame.verb)
    if verb in _NO_USE or (verb in _MOVED and not frame.objects):
        return
    for phrase in phrases_of(frame):
        if phrase.preposition not in PLACING:
            continue
        yield from durable(phrase.head)
        for inner in prepositional_phrases(phrase.head):
            if inner.preposition in {"in", "on", "over"}:
                yield from durable(inner.head)
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition in PLACING:
                yield from durable(phrase.head)


def operated(frame: Frame) -> Iterator[Token]:
    """The durable things that the event makes ready, operates or takes to hand."""
    if lemma(frame.verb) in _WORKED_ON:
        return
    for acted in frame.objects:
        if is_noun(acted):
            yield from durable(acted)


def durable(noun: Token) -> Iterator[Token]:
    """The noun, or the whole of which it is a part, if it is a durable thing that is used: "the bottom of a tin"."""
    for candidate in dict.fromkeys((whole_of(noun), content_head(noun), noun)):
        name = noun_lemma(candidate)
        if is_noun(candidate) and is_tool(name) and not is_a(name, "vehicle"):
            yield candidate
            return
