"""What a search finds: scenarios, steps and tools of a graph. `ScriptGraph.search` returns it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import attrs
from attrs import frozen


class Kind(StrEnum):
    """What can be found."""

    STEP = "step"
    TOOL = "tool"
    SCENARIO = "scenario"


@frozen(kw_only=True)
class Found:
    """A step, a tool or a scenario that answers a question.

    `score` is the sum of its reciprocal ranks (`Answer`); `by_words` and `by_meaning` are the ranks, from 1, or None
    where it is not among the best.
    """

    kind: Kind
    iri: str
    label: str
    scenario: str
    """That of a step; "" for other kinds, and for a step without one."""
    support: int
    score: float
    by_words: int | None
    by_meaning: int | None


@frozen(kw_only=True)
class Answer:
    """What is found for a question: steps, tools, then scenarios, each best first.

    What has all words of the question comes first. The ranks by words and by meaning are joined by reciprocal rank
    fusion (Cormack et al. 2009).

    `meaning` is false if only words were compared: they filled the answer, or the vectors or MiniLM are missing.
    """

    question: str
    meaning: bool
    found: tuple[Found, ...]

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain values, for JSON."""
        return attrs.asdict(self)
