"""Whether predicted tools are right, on everyday events with the tools that a person accepts for them.

The lists are ``data/predicted_tools.*.tsv``. A tool is right if the list of the event has it; an event that needs no
tool has an empty list, so that any answer is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.evaluation.lists import list_rows
from kgscripts.evaluation.result import Evaluation, Example, Figure, compared, counts, shares
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.tools.ranker import LEAST_PROBABILITY, ToolRanker
from kgscripts.titles.plain import singular
from schemas.provenance import Exposure


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


def tool_events(split: str) -> list[ToolEvent]:
    """The events of a split, ``development`` or ``unseen``."""
    return [
        ToolEvent(row["domain"], row["event"], frozenset(map(singular, filter(None, (row["tools"] or "").split(";")))))
        for row in list_rows(f"predicted_tools.{split}.tsv")
    ]


def evaluate_predicted_tools(ranker: ToolRanker, split: str, *, source: str = "") -> Evaluation:
    """Score a ranker, and simpler methods, on a split of the list. Raises ModelError without MiniLM."""
    events = tool_events(split)
    names = [event.event for event in events]
    simpler = (
        ("most frequent tools", by_prior),
        ("MiniLM, event and tool", by_similarity),
    )
    ranked, ranker_name = rank_events(ranker, events), ranker.model.name if ranker.model else ""
    rankings = {ranker_name: ranked}
    for name, rank in simpler:
        rankings[name] = [Ranking(tuple(tools), answered=True) for tools in rank(ranker, names)]
    figures = {name: _figures(ranker, events, given) for name, given in rankings.items()}
    return Evaluation(
        task="tools",
        dataset="kgscripts predicted tools",
        split=split,
        exposure=Exposure(split),
        items={"events": len(events), "that need a tool": sum(bool(event.tools) for event in events)},
        systems=compared(figures, ranker_name, source),
        examples=[
            Example(
                system=ranker_name,
                where=event.domain,
                text=event.event,
                gold=sorted(event.tools),
                found=ranking.tools[:_FIRST] if ranking.answered else (),
            )
            for event, ranking in zip(events, ranked, strict=True)
        ],
    )


def rank_events(ranker: ToolRanker, events: Sequence[ToolEvent]) -> list[Ranking]:
    """The rankings of a ranker; it answers if the first tool is probable enough. Raises ModelError without MiniLM."""
    return [
        Ranking(tuple(tool.lemma for tool in tools), tools[0].probability >= LEAST_PROBABILITY)
        for tools in ranker.rank([event.event for event in events])
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


def _figures(ranker: ToolRanker, events: Sequence[ToolEvent], rankings: Sequence[Ranking]) -> list[Figure]:
    parts = {
        "all": range(len(events)),
        KITCHEN: [number for number, event in enumerate(events) if event.domain == KITCHEN],
        "elsewhere": [number for number, event in enumerate(events) if event.domain != KITCHEN],
        "unlike known events": np.flatnonzero(_nearest(ranker, events) < _SAME).tolist(),
    }
    known = set(map(singular, ranker.known.tools))
    accepted = [tool for event in events for tool in event.tools]
    figures: list[Figure] = []
    for part, rows in parts.items():
        own = score([events[at] for at in rows], [rankings[at] for at in rows])
        figures += shares(
            {
                f"precision@1, {part}": own.precision,
                f"answered, {part}": own.share_answered,
                f"hit@5, {part}": own.hit,
            }
        )
        figures += counts({f"events, {part}": own.events, f"needless answers, {part}": own.needless})
    candidates = sum(tool in known for tool in accepted) / len(accepted) if accepted else 0.0
    return [*figures, *shares({"right tools that are candidates": candidates}, "all events")]


def _nearest(ranker: ToolRanker, events: Sequence[ToolEvent]) -> NDArray[np.float64]:
    """The cosine of each event with the most similar known one, (events,)."""
    vectors = ranker.vectors([event.event for event in events])
    return np.asarray((vectors @ ranker.known.vectors.T).max(axis=1))
