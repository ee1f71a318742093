"""Simple ways to rank the tools of an event, to compare the tool ranker with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgscripts.extractors.realis.instructions import read_instruction
from kgscripts.models.cloze import HIDDEN_WORD, Cloze
from kgscripts.models.registry import load
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.tools.ranker import ToolRanker
from schemas.errors import QueryError

_SENTENCES = (
    ("use", "a", HIDDEN_WORD, "to", "...", "."),
    ("...", "with", "a", HIDDEN_WORD, "."),
    ("...", "in", "a", HIDDEN_WORD, "."),
)
"""Templates of the concrete side; three dots are replaced by the words of the abstract event."""


def by_prior(ranker: ToolRanker, events: Sequence[str]) -> list[list[str]]:
    """For each event, the tools that are usual in most of the known events of a ranker."""
    known = ranker.known
    counts = known.votes[known.group_of].sum(axis=0)[:-1]
    ranked = [known.tools[tool] for tool in np.argsort(-counts, kind="stable")]
    return [ranked for _ in events]


def by_similarity(ranker: ToolRanker, events: Sequence[str]) -> list[list[str]]:
    """For each event, the tools of a ranker by the cosine of the name and the event. Raises ModelError as MiniLM."""
    tools = quantised_vectors(ranker.known.tools).astype(np.int32)
    cosines = quantised_vectors(events).astype(np.int32) @ tools.T
    return [[ranker.known.tools[tool] for tool in np.argsort(-row, kind="stable")] for row in cosines]


def by_cloze(ranker: ToolRanker, events: Sequence[str]) -> list[list[str]]:
    """For each event, the single-word tools of a ranker by the masked cloze model: "use a ___ to drain the pasta"."""
    words = [tool for tool in ranker.known.tools if " " not in tool]
    read = [_words(event) for event in events]
    clozes = [_cloze(event, sentence) for event in read for sentence in _SENTENCES]
    found = load("cloze", "masked").predict(clozes, words).exp().reshape(len(events), len(_SENTENCES), -1).mean(dim=1)
    return [
        [words[place] for place in row[:-1].argsort(descending=True, stable=True) if words[place] not in event]
        for event, row in zip(read, found, strict=True)
    ]


def _words(event: str) -> Sequence[str]:
    try:
        return read_instruction(event).words
    except QueryError:
        return event.split()


def _cloze(event: Sequence[str], sentence: Sequence[str]) -> Cloze:
    concrete = tuple(word for part in sentence for word in (event if part == "..." else (part,)))
    place = concrete.index(HIDDEN_WORD)
    return Cloze(
        abstract=(*event, "."),
        concrete=concrete,
        hidden=tuple(word == HIDDEN_WORD for word in concrete),
        position=place,
    )
