"""What annotations of research say about the labels of a graph: a label of theirs leaves a few of ours.

The network learns that one of these is right (the sum of their probabilities). So it sees texts of other domains for
the labels of a graph too, where a set does not contradict the guidelines. ``data/partial_labels.toml`` has the lists.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence, Set
from functools import cache
from importlib import resources

import torch
from torch import Tensor

from kgscripts.models.reader.labels import GRAPH, HAPPENS, PAIRS, REFERENT, WORDS, EventRole, Reality
from kgscripts.reproductions.reader.gold import LabelledText

_DATA = tomllib.loads(
    (resources.files("kgscripts.reproductions.reader") / "data" / "partial_labels.toml").read_text(encoding="utf-8")
)
_CUES, AUXILIARY, _GRAMMAR = (frozenset(_DATA[name]) for name in ("cues", "auxiliary", "grammar"))
_TOOL = frozenset({EventRole.INSTRUMENT, EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT})
_EVERY_PAIR: Set[str] = frozenset(PAIRS[GRAPH])
_GROUPS: Mapping[str, Set[str]] = {
    "event": frozenset(Reality),
    "happens": HAPPENS,
    # Of words that sets that annotate every action do not annotate.
    "not done": frozenset(WORDS[GRAPH]) - HAPPENS,
    "tool": _TOOL,
    "means": _TOOL | {EventRole.MATERIAL},
    "place": frozenset(
        {EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT, EventRole.DESTINATION, EventRole.PLACE}
    ),
    # Of words without a link to an action.
    "rest": _EVERY_PAIR - {EventRole.OBJECT, EventRole.INSTRUMENT, EventRole.APPLIANCE},
    "no tool": _EVERY_PAIR - _TOOL,
    "no referent": _EVERY_PAIR - {REFERENT},
}
"""Groups of our labels, of words and of pairs."""


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


@cache
def word_masks(name: str) -> Tensor | None:
    """(labels of a set, labels of a graph): whether a label of theirs leaves one of ours; None if nothing is known."""
    return _masks("words", WORDS, name)


@cache
def pair_masks(name: str) -> Tensor | None:
    """The same of pairs."""
    return _masks("pairs", PAIRS, name)


def _masks(kind: str, labels: Mapping[str, Sequence[str]], name: str) -> Tensor | None:
    if name not in _DATA[kind]:
        return None
    ours = labels[GRAPH]
    left = {
        label: frozenset[str]().union(*(_GROUPS.get(own, {own}) for own in leaves))
        for label, leaves in _DATA[kind][name].items()
    }
    return torch.tensor([[own in left.get(label, ours) for own in ours] for label in labels[name]])


def surprisal(scores: Tensor, gold: Tensor, masks: Tensor) -> Tensor:
    """The summed surprisal of what labels of a set leave: `scores` are (items, labels of a graph), `gold` (items,)."""
    left = masks.to(scores.device)[gold]
    return (scores.logsumexp(dim=1) - scores.masked_fill(~left, -torch.inf).logsumexp(dim=1)).sum()
