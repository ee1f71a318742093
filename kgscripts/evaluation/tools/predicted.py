"""Whether predicted tools are right, on everyday events with the tools that a person accepts for them.

The lists are ``data/predicted_tools.*.tsv``. A tool is right if the list of the event has it; an event that needs no
tool has an empty list, so that any answer is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.evaluation.counting import percent
from kgscripts.evaluation.tools.baselines import by_cloze, by_prior, by_similarity
from kgscripts.models.tools.ranker import LEAST_PROBABILITY, ToolRanker
from kgscripts.titles.words import singular
from schemas.provenance import BenchmarkScore, Exposure

KITCHEN = "kitchen"
_FIRST = 5
_SAME = 0.9
"""From this cosine on an event is taken to be a known one in other words."""


@frozen
class ToolEvent:
    """An event in the words of an instruction, its domain, and the tools that count as right."""

    domain: str
    event: str
    tools: frozenset[str]


@frozen
class Ranking:
    """The tools of one event, best first, and whether the first of them is given as an answer."""

    tools: tuple[str, ...]
    answered: bool


@frozen
class ToolScores:
    """Scores of one method on some events. Shares of nothing are 0."""

    events: int
    with_tools: int
    """Events that need a tool."""
    answered: int
    right: int
    """Answers that are right: `right / answered` is precision@1."""
    hits: int
    """Events that need a tool and have a right one among the first five, answered or not."""
    needless: int
    """Answers for events that need no tool."""

    @property
    def precision(self) -> float:
        """The share of the answers that are right."""
        return self.right / self.answered if self.answered else 0.0

    @property
    def share_answered(self) -> float:
        """The share of the events that need a tool for which there is an answer."""
        return (self.answered - self.needless) / self.with_tools if self.with_tools else 0.0

    @property
    def hit(self) -> float:
        """The share of the events that need a tool with a right one among the first five."""
        return self.hits / self.with_tools if self.with_tools else 0.0


@frozen
class MethodScores:
    """The scores of one method, by part of the list, and the share of the right tools that it can give at all."""

    method: str
    parts: dict[str, ToolScores]
    candidates: float


def tool_events(split: str) -> list[ToolEvent]:
    """The events of a split, ``development`` or ``unseen``."""
    file = resources.files("kgscripts.evaluation") / "data" / f"predicted_tools.{split}.tsv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        ToolEvent(row["domain"], row["event"], frozenset(map(singular, filter(None, (row["tools"] or "").split(";")))))
        for row in rows
    ]


def evaluate_predicted_tools(ranker: ToolRanker, events: Sequence[ToolEvent]) -> list[MethodScores]:
    """Score a ranker, and simpler methods, on events; the ranker comes first. Raises ModelError without MiniLM."""
    names = [event.event for event in events]
    simpler = (
        ("most frequent tools", by_prior),
        ("MiniLM, event and tool", by_similarity),
        ("cloze model, single words", by_cloze),
    )
    return [
        evaluate_ranker(ranker, events),
        *(
            _evaluate(name, ranker, events, [Ranking(tuple(tools), answered=True) for tools in rank(ranker, names)])
            for name, rank in simpler
        ),
    ]


def evaluate_ranker(ranker: ToolRanker, events: Sequence[ToolEvent]) -> MethodScores:
    """Score a ranker alone; it answers if the first tool is probable enough. Raises ModelError without MiniLM."""
    rankings = [
        Ranking(tuple(tool.lemma for tool in tools), tools[0].probability >= LEAST_PROBABILITY)
        for tools in ranker.rank([event.event for event in events])
    ]
    return _evaluate(ranker.model.name if ranker.model else "", ranker, events, rankings)


def benchmark_scores(scores: MethodScores, split: str, exposure: Exposure) -> list[BenchmarkScore]:
    """Precision@1, answers and hit@5 of each part, in percent."""
    return [
        percent("kgscripts predicted tools", split, f"{name}, {part}", 100 * value, exposure=exposure)
        for part, own in scores.parts.items()
        for name, value in (("precision@1", own.precision), ("answered", own.share_answered), ("hit@5", own.hit))
    ]


def score(events: Sequence[ToolEvent], rankings: Sequence[Ranking]) -> ToolScores:
    """Scores of the rankings of events, one each."""
    pairs = [
        (event, [singular(tool) in event.tools for tool in ranking.tools[:_FIRST]], ranking.answered)
        for event, ranking in zip(events, rankings, strict=True)
    ]
    return ToolScores(
        events=len(pairs),
        with_tools=sum(bool(event.tools) for event in events),
        answered=sum(answered for _, _, answered in pairs),
        right=sum(answered and right[0] for _, right, answered in pairs),
        hits=sum(any(right) for _, right, _ in pairs),
        needless=sum(answered and not event.tools for event, _, answered in pairs),
    )


def _evaluate(name: str, ranker: ToolRanker, events: Sequence[ToolEvent], rankings: Sequence[Ranking]) -> MethodScores:
    parts = {
        "all": range(len(events)),
        KITCHEN: [number for number, event in enumerate(events) if event.domain == KITCHEN],
        "elsewhere": [number for number, event in enumerate(events) if event.domain != KITCHEN],
        "unlike known events": np.flatnonzero(_nearest(ranker, events) < _SAME).tolist(),
    }
    known = set(map(singular, ranker.known.tools))
    accepted = [tool for event in events for tool in event.tools]
    return MethodScores(
        name,
        {part: score([events[at] for at in rows], [rankings[at] for at in rows]) for part, rows in parts.items()},
        sum(tool in known for tool in accepted) / len(accepted) if accepted else 0.0,
    )


def _nearest(ranker: ToolRanker, events: Sequence[ToolEvent]) -> NDArray[np.float64]:
    """The cosine of each event with the most similar known one, (events,)."""
    vectors = ranker.vectors([event.event for event in events])
    return np.asarray((vectors @ ranker.known.vectors.T).max(axis=1))
