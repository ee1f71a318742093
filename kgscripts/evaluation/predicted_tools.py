"""Whether predicted tools are right, on everyday events with the tools that a person accepts for them.

The lists are ``data/predicted_tools.*.tsv``. A tool is right if the list of the event has it; an event that needs no
tool has an empty list, so that any answer is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from importlib import resources

from attrs import frozen

from kgscripts.evaluation.gold_lists import singular
from kgscripts.extractors.instructions import read_instruction
from kgscripts.extractors.tool_prediction import predict_tools, tool_words
from kgscripts.models.registry import load
from schemas.errors import QueryError

SPLITS = ("development", "unseen")
KITCHEN = "kitchen"
_FIRST = 5


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
class Method:
    """A way to rank tools: of each event, in the order of the events."""

    name: str
    rank: Callable[[Sequence[str]], Sequence[Ranking]]
    candidates: Sequence[str]


@frozen
class MethodScores:
    """The scores of one method, by part of the list, and the share of the right tools that it can give at all."""

    method: str
    parts: dict[str, ToolScores]
    candidates: float


def tool_events(split: str) -> list[ToolEvent]:
    """The events of a split."""
    file = resources.files("kgscripts.evaluation") / "data" / f"predicted_tools.{split}.tsv"
    rows = csv.DictReader(file.read_text("utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [
        ToolEvent(row["domain"], row["event"], frozenset(map(singular, filter(None, (row["tools"] or "").split(";")))))
        for row in rows
    ]


def evaluate_predicted_tools(split: str) -> list[MethodScores]:
    """Score every method on a split. Raises ModelError if MiniLM is not found."""
    events = tool_events(split)
    return [_evaluate(method, events) for method in _methods()]


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


def _evaluate(method: Method, events: Sequence[ToolEvent]) -> MethodScores:
    rankings = method.rank([event.event for event in events])
    parts = {
        "all": range(len(events)),
        KITCHEN: [number for number, event in enumerate(events) if event.domain == KITCHEN],
        "elsewhere": [number for number, event in enumerate(events) if event.domain != KITCHEN],
    }
    known = set(map(singular, method.candidates))
    accepted = [tool for event in events for tool in event.tools]
    return MethodScores(
        method.name,
        {name: score([events[at] for at in part], [rankings[at] for at in part]) for name, part in parts.items()},
        sum(tool in known for tool in accepted) / len(accepted),
    )


def _methods() -> list[Method]:
    words = tool_words()
    return [Method("masked cloze model", _by_cloze, words)]


def _by_cloze(events: Sequence[str]) -> list[Ranking]:
    read = [_words(event) for event in events]
    found = predict_tools(load("cloze", "masked"), read, tool_words())
    return [Ranking(tuple(tool.lemma for tool in tools), bool(tools)) for tools in found]


def _words(event: str) -> Sequence[str]:
    try:
        return read_instruction(event).words
    except QueryError:
        return event.split()
