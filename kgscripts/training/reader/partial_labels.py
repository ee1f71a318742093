"""What annotations of research say about the labels of a graph: a label of theirs leaves a few of ours.

The network learns that one of these is right (the sum of their probabilities). So it sees texts of other domains for
the labels of a graph too, where a set does not contradict the guidelines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cache

import torch
from torch import Tensor

from kgscripts.models.reader.labels import GRAPH, HAPPENS, LISTS, NONE, PAIRS, REFERENT, WORDS, EventRole, Reality
from kgscripts.training.reader.gold import LabelledText

_EVENT: Set[str] = frozenset(Reality)
_NOT_DONE: Set[str] = frozenset(WORDS[GRAPH]) - HAPPENS
"""Of words that sets that annotate every action do not annotate."""
_CUES = frozenset(
    {"not", "never", "no", "n't", "don't", "cannot", "avoid", "without", "instead", "rather", "stop", "forget"}
    | {"if", "unless", "when", "whenever", "before", "until", "to", "so", "want", "wants", "wish", "would", "might"}
)
"""Words behind which an annotated action may be no part of what is done. Other actions are: otherwise a network could
call all that it reads in the texts of a set planned or negated, and agree with the labels that are there and those that
are not."""
_NO_EVENT: Set[str] = frozenset({NONE})
_OBJECT: Set[str] = frozenset({EventRole.OBJECT})
_MEANS: Set[str] = frozenset(
    {EventRole.INSTRUMENT, EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT, EventRole.MATERIAL}
)
_TOOL: Set[str] = _MEANS - {EventRole.MATERIAL}
_FOOD: Set[str] = _OBJECT | {EventRole.MATERIAL}
_PLACE: Set[str] = frozenset(
    {EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT, EventRole.DESTINATION, EventRole.PLACE}
)
_REST: Set[str] = frozenset(PAIRS[GRAPH]) - {EventRole.OBJECT, EventRole.INSTRUMENT, EventRole.APPLIANCE}
"""Of words without a link to an action."""

AUXILIARY = frozenset(
    {"use", "uses", "used", "using", "let", "make", "making", "keep", "try", "avoid", "start", "begin", "continue"}
    | {"allow", "need", "want", "have", "get", "take", "repeat", "be", "go", "ensure", "remember"}
)
"""Words that sets annotate as actions and the guidelines often as none: nothing is known of them."""

_GRAMMAR = frozenset(
    {
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "of",
        "in",
        "on",
        "at",
        "to",
        "from",
        "with",
        "into",
        "onto",
        "by",
        "for",
        "as",
    }
    | {"over", "under", "until", "while", "if", "when", "then", "than", "so", "also", "not", "no", "very", "about"}
    | {
        "around",
        "through",
        "after",
        "before",
        "between",
        "i",
        "you",
        "we",
        "he",
        "she",
        "they",
        "my",
        "your",
        "his",
        "its",
    }
    | {
        "our",
        "their",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "will",
        "would",
        "can",
        "could",
        "may",
        "should",
        "must",
    }
    | {"there", "who", "which", "where", "how", "too", "just", "only", "again", "once", "because", "though", "don't"}
)


def is_grammar(word: str) -> bool:
    """Whether a word in any text is neither an event nor a thing with a part in one."""
    return word.lower() in _GRAMMAR or not any(map(str.isalnum, word))


_NEAR = 8
"""Words: "allow the slides in the rack to cool"."""


def is_unknown(text: LabelledText, number: int) -> bool:
    """Whether the labels of another set say nothing of a word: it is an auxiliary, has no label and follows one, or has
    one and follows a word that says that it may not be done."""
    words = text.text.all_words
    if words[number].lower() in AUXILIARY:
        return True
    before = words[max(0, number - _NEAR) : number]
    return any(word.lower() in (_CUES if number in text.words else AUXILIARY) for word in before)


_OF_WORDS: Mapping[str, Mapping[str, Set[str]]] = {
    "wikihow-fg": {"Ae": HAPPENS, "Ai": _EVENT, "T": _NO_EVENT, "I": _NO_EVENT, NONE: _NOT_DONE},
    "easdrl": {"action": HAPPENS},
    "wet-lab": {
        "Action": HAPPENS,
        "Device": _NO_EVENT,
        "Location": _NO_EVENT,
        "Reagent": _NO_EVENT,
        NONE: _NOT_DONE,
    },
    "recipe-flow": {"Ac": HAPPENS, "Af": _EVENT, "T": _NO_EVENT, "F": _NO_EVENT, NONE: _NOT_DONE},
    "inscript": {"event": _EVENT, NONE: _NO_EVENT},
    LISTS: {"happens": HAPPENS, "other": (_EVENT | _NO_EVENT) - HAPPENS, "no event": _NO_EVENT},
}
_OF_PAIRS: Mapping[str, Mapping[str, Set[str]]] = {
    "wikihow-fg": {
        "I Targ": _OBJECT,
        "T Targ": _OBJECT | _TOOL,
        "I Dest": _OBJECT | _PLACE,
        "T Dest": _OBJECT | _PLACE,
        "T T-comp": _MEANS,
        "I I-comp": _FOOD,
        NONE: _REST,
    },
    "easdrl": {"object": _OBJECT, NONE: _REST},
    "wet-lab": {
        "Reagent Acts-on": _OBJECT,
        "Device Acts-on": _OBJECT | _TOOL,
        "Location Acts-on": _OBJECT | _TOOL,
        "Reagent Using": frozenset({EventRole.INSTRUMENT, EventRole.MATERIAL}),
        "Device Using": _TOOL,
        "Location Using": _TOOL,
        "Reagent Site": frozenset({EventRole.MATERIAL, EventRole.DESTINATION, EventRole.PLACE}),
        "Device Site": _TOOL,
        "Location Site": _PLACE,
        NONE: _REST,
    },
    "recipe-flow": {
        "F t": _OBJECT,
        "F d": frozenset({EventRole.DESTINATION, EventRole.PLACE}),
        "F f-comp": _FOOD,
        "T t": _OBJECT | _TOOL,
        "T d": _PLACE,
        "T t-comp": _TOOL,
        NONE: _REST,
    },
    "inscript": {
        "object": _OBJECT,
        REFERENT: frozenset({REFERENT}),
        NONE: frozenset(PAIRS[GRAPH]) - {REFERENT},
    },
    LISTS: {
        **{role: frozenset({role}) for role in (*EventRole, REFERENT)},
        "means": _MEANS,
        "place": frozenset({EventRole.DESTINATION, EventRole.PLACE}),
        "no means": frozenset(PAIRS[GRAPH]) - _MEANS | {EventRole.MATERIAL},
        "nothing": frozenset({NONE}),
    },
}


@cache
def word_masks(name: str) -> Tensor | None:
    """(labels of a set, labels of a graph): whether a label of theirs leaves one of ours; None if nothing is known."""
    return _masks(_OF_WORDS.get(name), WORDS, name)


@cache
def pair_masks(name: str) -> Tensor | None:
    """The same of pairs."""
    return _masks(_OF_PAIRS.get(name), PAIRS, name)


def _masks(left: Mapping[str, Set[str]] | None, labels: Mapping[str, Sequence[str]], name: str) -> Tensor | None:
    if left is None:
        return None
    ours = labels[GRAPH]
    return torch.tensor([[own in left.get(label, ours) for own in ours] for label in labels[name]])


def surprisal(scores: Tensor, gold: Tensor, masks: Tensor) -> Tensor:
    """The summed surprisal of what labels of a set leave: `scores` are (items, labels of a graph), `gold` (items,)."""
    left = masks.to(scores.device)[gold]
    return (scores.logsumexp(dim=1) - scores.masked_fill(~left, -torch.inf).logsumexp(dim=1)).sum()
