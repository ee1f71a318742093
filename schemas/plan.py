"""A plan: the steps of a script with what must hold before each of them and what it changes. `Script.plan` makes it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs
from attrs import field, frozen

from schemas.by_name import function
from schemas.changes import Level


@frozen(kw_only=True)
class Passage:
    """A sentence or step of a text, as evidence, and the name of its source ("" if it has none)."""

    text: str
    source: str = ""


@frozen(kw_only=True)
class Condition:
    """`attribute` of `entity` has the value `value`."""

    entity: str
    attribute: str
    value: str

    def __str__(self) -> str:
        return f"{self.attribute} of {self.entity}: {self.value}"


@frozen(kw_only=True)
class Precondition(Condition):
    """A condition that must hold before a step: the id of the earlier step that brings it about, or None if it holds at
    the start. `level` and `probability` are those of the change that it was read from."""

    supplier: str | None
    level: Level
    probability: float

    __str__ = Condition.__str__


@frozen(kw_only=True)
class Effect(Condition):
    """A condition that is true after a step, with the level and the probability of the change."""

    level: Level
    probability: float

    __str__ = Condition.__str__


@frozen(kw_only=True)
class PlanStep:
    """A step of a plan.

    It needs `tools` and `supplies` at hand, and its `preconditions`. Its `effects` become true, what `ceases` is true
    no longer, and the things that it `uses_up` are at hand no longer. `follows` are the ids of the steps that must be
    done before it: those of the order of the script, those that bring about what it needs, and those that need or bring
    about what it ends. `passages` are its evidence.
    """

    id: str
    label: str
    passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...], repr=False)
    tools: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    supplies: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    preconditions: tuple[Precondition, ...] = field(default=(), converter=tuple[Precondition, ...])
    effects: tuple[Effect, ...] = field(default=(), converter=tuple[Effect, ...])
    ceases: tuple[Condition, ...] = field(default=(), converter=tuple[Condition, ...])
    uses_up: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    follows: tuple[str, ...] = field(default=(), converter=tuple[str, ...])


@frozen(kw_only=True)
class Contradiction:
    """An effect of an earlier step that contradicts what a later step requires, with the passages of both (steps are
    ids). What is required is left out of the plan.

    A thing that the later step needs and the earlier one uses up is required as "availability of THING: at hand".
    """

    earlier: str
    effect: Condition
    earlier_passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])
    later: str
    required: Condition
    later_passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])


class LeftOutReason(StrEnum):
    """Why a change is no part of a plan: the first of these that is true."""

    LIKELY = "likely only"
    NO_VALUE = "no value after"
    RIVAL = "another value is surer"


@frozen(kw_only=True)
class LeftOutChange:
    """A change of a step (its id) that is no part of the plan, and why."""

    step: str
    entity: str
    attribute: str
    before: str
    after: str
    reason: LeftOutReason


@frozen(kw_only=True, repr=False)
class Plan:
    """The steps of a script in an order that its partial order allows, with preconditions and effects.

    `tools` and `supplies` are at hand at the start, and the conditions `initial` hold then; nothing else is known.
    `things` are the other entities of its conditions.
    """

    title: str
    tools: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    supplies: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    things: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    initial: tuple[Condition, ...] = field(default=(), converter=tuple[Condition, ...])
    steps: tuple[PlanStep, ...] = field(default=(), converter=tuple[PlanStep, ...])
    contradictions: tuple[Contradiction, ...] = field(default=(), converter=tuple[Contradiction, ...])
    left_out: tuple[LeftOutChange, ...] = field(default=(), converter=tuple[LeftOutChange, ...])

    def __repr__(self) -> str:
        return f"Plan({self.title!r}: {len(self.steps):,} steps, {len(self.contradictions):,} contradictions)"

    def __str__(self) -> str:
        """The plan as `kgscripts plan` prints it."""
        return str(function("kgscripts.planning.text:plan_text")(self))

    def numbers(self) -> Mapping[str, int]:
        """The place of each step in the plan by its id, from 1 on."""
        return {step.id: number for number, step in enumerate(self.steps, start=1)}

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON."""
        return attrs.asdict(self)
