"""Durable things that an event is done in, on or to: "put the pasta in the pot", "line a tin", "heat the grill".

They are containers, supports and appliances. Each is also a participant: the place, or the patient.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import is_noun, noun_lemma
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
_READYING = (
    {"preheat", "heat", "reheat", "warm", "light", "grease", "oil", "butter", "flour", "line", "prepare", "sterilise"}
    | {"sterilize", "fill", "start", "switch", "turn", "invert", "bring", "cover", "coat"}
    | {"replace", "remove", "tilt", "swirl", "operate", "uncover", "rim"}
)
"""Verbs with which a thing is made ready, operated or put in its place for what follows, where nothing else is the
tool: "grease a tin", "heat the grill", "put a pan on the heat"."""
_PUTTING = frozenset({"put", "place", "set", "return"})
_FROM = frozenset({"off", "off of", "from", "to", "around", "at", "among"})
"""Prepositions after which only containers, machines and sieves are tools: "take the cake from the oven"."""
_SURFACES = frozenset({"surface", "work surface", "worktop"})
_AMOUNTS = frozenset({"tablespoon", "teaspoon", "ball", "wedge", "stick", "sheet", "layer", "strip", "patch", "string"})
_MOVED = frozenset({"go", "come", "walk", "drive", "run", "ride", "travel", "move", "arrive", "sit", "stand", "lie"})


def places_of(frame: Frame) -> Iterator[Token]:
    """The durable things in, on, from or to which the event is done."""
    verb = lemma(frame.verb)
    if verb in _NO_USE or (verb in _MOVED and not frame.objects):
        return
    for phrase in phrases_of(frame):
        if phrase.preposition not in PLACING:
            continue
        if phrase.preposition not in _FROM or is_a(noun_lemma(whole_of(phrase.head)), "vessel", "appliance", "filter"):
            yield from durable(phrase.head)
        for inner in prepositional_phrases(phrase.head):
            if inner.preposition in {"in", "on", "over"}:
                yield from durable(inner.head)
    for acted in frame.objects:
        for phrase in prepositional_phrases(acted):
            if phrase.preposition in PLACING - _FROM:
                yield from durable(phrase.head)


def operated(frame: Frame) -> Iterator[Token]:
    """The durable things that the event makes ready, operates or takes to hand."""
    if lemma(frame.verb) not in _READYING and not _is_put_on_heat(frame):
        return
    if frame.recipients or frame.instruments:
        return
    if any(phrase.preposition == "with" and is_a(noun_lemma(phrase.head), "implement") for phrase in frame.phrases):
        return
    for acted in frame.objects:
        if is_noun(acted):
            yield from durable(acted)


def _is_put_on_heat(frame: Frame) -> bool:
    """Whether a thing is put where it is heated: "put a pan on the hob", "place the griddle over a high heat"."""
    heads = (noun_lemma(phrase.head) for phrase in frame.phrases if phrase.preposition in {"on", "over", "in", "to"})
    return lemma(frame.verb) in _PUTTING and any(name == "heat" or is_a(name, "heat_source") for name in heads)


def durable(noun: Token) -> Iterator[Token]:
    """The durable things that a noun phrase names: a thing, and the whole of which it is a part ("the bottom of a tin",
    "the pan of the bread machine", "a pot of water")."""
    for candidate in dict.fromkeys((noun, whole_of(noun))):
        name = noun_lemma(candidate)
        if is_noun(candidate) and _is_durable(name) and not _is_amount(candidate):
            yield candidate


def _is_durable(name: str) -> bool:
    return (is_tool(name) or name in _SURFACES) and not is_a(name, "vehicle")


def _is_amount(noun: Token) -> bool:
    """Whether a noun is a unit or a shape: "two tablespoons of batter", "roll into balls"."""
    return lemma(noun) in _AMOUNTS
