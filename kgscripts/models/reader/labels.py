"""What the reader says of words and of pairs of words, in the annotation of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

GRAPH = "graph"
"""The annotation whose layers a build uses."""

LISTS = "lists"
"""The lists of sentences with a few labels."""
NONE = ""


class Reality(StrEnum):
    """Whether an event is part of what a text tells or instructs, and why not if it is not."""

    INSTRUCTED = "do"
    TOLD = "told"
    HABIT = "habit"
    NEGATED = "neg"
    PLANNED = "plan"
    HYPOTHETICAL = "hyp"
    MENTIONED = "ment"
    MEMORY = "past"
    OTHER_STORY = "other"
    WARNING = "warn"
    NOTE = "ad"


HAPPENS = frozenset({Reality.INSTRUCTED, Reality.TOLD, Reality.HABIT})
"""The realities of events that enter a graph."""


class EventRole(StrEnum):
    """The part that a noun phrase plays in an event."""

    OBJECT = "obj"
    INSTRUMENT = "ins"
    CONTAINER = "con"
    APPLIANCE = "app"
    SUPPORT = "sup"
    MATERIAL = "mat"
    DESTINATION = "dst"
    PLACE = "pla"
    RECIPIENT = "rec"


REFERENT, PLACE_BEFORE = "referent", "place before"
"""Labels of a thing that a pronoun or nothing stands for: as the object, and as where the work goes on."""

NEEDED, CONDITION, CONDITIONAL = "needed", "in a condition", "conditional"
FLAGS = (NEEDED, CONDITION, CONDITIONAL)

WORDS: Mapping[str, Sequence[str]] = {
    GRAPH: [NONE, *Reality],
    "wikihow-fg": [NONE, "Ae", "Ae2", "Ai", "T", "I"],
    "easdrl": [NONE, "action", "object"],
    "wet-lab": [NONE, "Action", "Device", "Location", "Reagent"],
    "recipe-flow": [NONE, "Ac", "Ac2", "Af", "At", "T", "F"],
    "inscript": [NONE, "event", "other event"],
    LISTS: [NONE, "happens", "other", "no event"],
}
"""Set of annotations -> its labels of words."""
PAIRS: Mapping[str, Sequence[str]] = {
    GRAPH: [NONE, *EventRole, REFERENT, PLACE_BEFORE],
    "wikihow-fg": [NONE, "I Targ", "T Targ", "I Dest", "T Dest", "T T-comp", "I I-comp"],
    "easdrl": [NONE, "object"],
    "wet-lab": [
        NONE,
        *(f"{thing} {link}" for thing in ("Reagent", "Device", "Location") for link in ("Acts-on", "Using", "Site")),
    ],
    "recipe-flow": [NONE, "F t", "F d", "F f-comp", "T t", "T d", "T t-comp"],
    "inscript": [NONE, "object", REFERENT, "same"],
    LISTS: [NONE, *EventRole, REFERENT, "means", "place", "no means", "nothing"],
}
"""Set of annotations -> its labels of pairs of a predicate and a thing."""
