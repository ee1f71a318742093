"""The types of what is read: scripts, with their steps, what these need and change, and the evidence for all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, TypeVar

import attrs
from attrs import Factory, field, frozen

from schemas.changes import Level
from schemas.json_schema import json_schema

_MANY_SOURCES = 5
ENOUGH = 2
"""The number of sources from which on a part of a step counts."""


@frozen(kw_only=True)
class Scenario:
    """A scenario, with the number of its sources (`support`) and of its steps in the graph (`sub_events`)."""

    iri: str
    label: str
    alternative_labels: tuple[str, ...] = field(converter=tuple[str, ...])
    support: int
    sub_events: int


@frozen(kw_only=True)
class Evidence:
    """A sentence in which something was read.

    `text[words_start:words_end]` are its words; `start` and `end` are the span of the sentence in the text of the
    source that is named `source` (code points, end exclusive).
    """

    text: str
    words_start: int
    words_end: int
    source: str
    start: int
    end: int

    @property
    def words(self) -> str:
        """The words of the sentence that were read."""
        return self.text[self.words_start : self.words_end]


@frozen(kw_only=True)
class Reader:
    """A model that read or predicted something (an extractor, a network or a parser), with its highest confidence."""

    iri: str
    name: str
    version: str
    task: str
    score: float


def is_added(support: int, probability: float) -> bool:
    """Whether these are the numbers of what only a person added; those of what a model predicted have a probability."""
    return not support and not probability


@frozen(kw_only=True)
class Part:
    """A step of a script, or what belongs to a step, with the number of sources that it was read in (`support`).

    `label_text` is the label as a person would write it; things have their label there. `probability` is that of the
    relation in the graph: of a step its share of the sources, of a tool, participant or
    change its share of the mentions of the step. Both are 0 for what only a person added. `evidence` holds as many
    passages as were asked for. `read_by` are the models behind it, and `via` is how a tool was found (`ToolWay`), as
    far as the graph and its records tell. Both are read for a single step only.
    """

    iri: str = field(repr=False)
    label: str
    label_text: str = field(default=Factory(attrgetter("label"), takes_self=True), repr=False)
    support: int
    probability: float
    evidence: tuple[Evidence, ...] = field(default=(), converter=tuple[Evidence, ...], repr=False)
    read_by: tuple[Reader, ...] = field(default=(), converter=tuple[Reader, ...], repr=False)
    via: tuple[str, ...] = field(default=(), converter=tuple[str, ...], repr=False)

    def own(self) -> dict[str, Any]:
        """What only parts of its kind have, such as the role of a tool."""
        return {item.name: getattr(self, item.name) for item in attrs.fields(type(self))[len(attrs.fields(Part)) :]}


class ToolWay(StrEnum):
    """How a tool was found: the words of the step name it, those of a step before do (it is carried along or inferred),
    or a model predicted it."""

    NAMED = "named"
    CARRIED = "carried"
    INFERRED = "inferred"
    PREDICTED = "predicted"


@frozen(kw_only=True)
class Tool(Part):
    """A tool of a step; `predicted` if a model added it and no text names it, `inferred` if it is named in a step
    before only."""

    role: str
    predicted: bool
    inferred: bool


@frozen(kw_only=True)
class Participant(Part):
    """A person, thing or place that takes part in a step."""

    role: str


@frozen(kw_only=True)
class Need(Part):
    """A thing that one must have for a scenario: a tool with its role, or a supply (role None), which is used up.

    `declared` is the number of sources in which a list declares it, `used` that of those in which a usual step uses it.
    `amount` is how much or how large, as most lists write it (None: no list says it). Each of `instead` does as well,
    and `optional` is what one may do without. `usual` is whether enough sources name it.
    """

    role: str | None
    declared: int
    used: int
    amount: str | None
    instead: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    optional: bool = False
    usual: bool

    @property
    def is_tool(self) -> bool:
        """Whether it is a tool, which is used and not used up."""
        return self.role is not None


@frozen(kw_only=True)
class Change(Part):
    """What a step changes: `attribute` of `entity` is `before` before it (None: unknown) and `after` after it.

    `level` is *certain* if a passage shows it surely, else *likely*.
    """

    entity: str
    attribute: str
    before: str | None
    after: str
    level: Level


@frozen(kw_only=True)
class DerivedChange:
    """What follows from a change that was read (`follows_from`, its IRI); see `kgscripts.changes.derived`."""

    entity: str
    attribute: str
    before: str
    after: str
    follows_from: str


@frozen(kw_only=True)
class Match(Part):
    """The same step of another scenario; `similarity` is the cosine of their vectors."""

    scenario: str
    similarity: float


@frozen(kw_only=True)
class StepCorrection:
    """A correction by a person, of a scenario or of one of its steps."""

    label: str
    author: str
    time: str


@frozen(kw_only=True)
class Step(Part):
    """A step in its script. Its parts are sorted by support, concrete steps (`decomposes_into`) by order.

    `written` is whether a written script has it, and not only texts. `rank` is its place among all steps of the
    scenario, and `mean_position` its mean place in the sources (0 first, 1 last). `typicality` is the probability that
    it belongs to the script (None: unknown), and `usual` whether that is enough. `essential` is whether the scenario is
    likely not done without it, with the probability of that, and `optional` whether it is likely often left out;
    neither is known without vectors of actions. `wordings` are the actions that express it, the most frequent first.
    Containers and surfaces are behind the other tools. `durations` are the wordings of how long it takes, the most
    frequent first. Written scripts say the `wordings` of their steps themselves; only they have `conditions` ("if the
    nut is rusty"), `variants`, the ways to do the activity that alone have the step, `left_out_of`, those that do
    without it, and `parts`, what it consists of. `derived` has what follows
    from its certain changes, if that was asked for. `further` has relations of installed packages, by type.
    """

    rank: int
    mean_position: float
    typicality: float | None = None
    usual: bool
    written: bool = False
    essential: bool
    essential_probability: float | None = field(default=None, repr=False)
    optional: bool
    wordings: tuple[str, ...] = field(default=(), converter=tuple[str, ...], repr=False)
    durations: tuple[str, ...] = field(default=(), converter=tuple[str, ...], repr=False)
    conditions: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    variants: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    left_out_of: tuple[str, ...] = field(default=(), converter=tuple[str, ...], repr=False)
    parts: tuple[str, ...] = field(default=(), converter=tuple[str, ...], repr=False)
    tools: tuple[Tool, ...] = field(default=(), converter=tuple[Tool, ...], repr=False)
    participants: tuple[Participant, ...] = field(default=(), converter=tuple[Participant, ...], repr=False)
    changes: tuple[Change, ...] = field(default=(), converter=tuple[Change, ...], repr=False)
    derived: tuple[DerivedChange, ...] = field(default=(), converter=tuple[DerivedChange, ...], repr=False)
    decomposes_into: tuple[Part, ...] = field(default=(), converter=tuple[Part, ...], repr=False)
    alternatives: tuple[Part, ...] = field(default=(), converter=tuple[Part, ...], repr=False)
    matches: tuple[Match, ...] = field(default=(), converter=tuple[Match, ...], repr=False)
    further: Mapping[str, tuple[Part, ...]] = field(factory=dict, repr=False)
    corrections: tuple[StepCorrection, ...] = field(default=(), converter=tuple[StepCorrection, ...], repr=False)


AnyPart = TypeVar("AnyPart", bound=Part)


def well_supported(step: Step, parts: Sequence[AnyPart]) -> Sequence[AnyPart]:
    """The parts to show of a step: of a step of many sources, those that at least two sources and a twentieth of its
    sources have, or that a person added. What few of many sources have tells little."""
    if step.support < _MANY_SOURCES:
        return parts
    least = max(float(ENOUGH), step.support / 20)
    return [part for part in parts if part.support >= least or is_added(part.support, part.probability)]


def shown_name(part: Part) -> str:
    """The name of a part on pages and in tables: an inferred tool stands in parentheses, and a question mark behind a
    change that is likely only."""
    if isinstance(part, Change) and part.level is Level.LIKELY:
        return f"{part.label_text}?"
    return f"({part.label})" if isinstance(part, Tool) and part.inferred else part.label_text


@frozen(kw_only=True)
class Precedence:
    """The step `before` precedes `after` (IRIs) in `support` sources; `lower` is how sure that is, and `required`
    whether it must."""

    before: str
    after: str
    support: int
    probability: float
    lower: float
    required: bool


class Reason(StrEnum):
    """Why a step is left out: the first of these that is true."""

    UNUSUAL = "unusual"
    FEW_SOURCES = "few sources"
    LIMIT = "limit"


@frozen(kw_only=True)
class LeftOut:
    """A step of the scenario that is not among the steps of the script, and why."""

    iri: str
    label: str
    support: int
    typicality: float | None
    reason: Reason


@frozen(kw_only=True)
class Item:
    """A numbered step, a line of a list or a row of a table, in the words of its text, with the steps (IRIs) that are
    read in it. `start` and `end` are its span in the text of the source that is named `source` (code points, end
    exclusive)."""

    text: str
    source: str
    start: int
    end: int
    steps: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen(kw_only=True, repr=False)
class Script:
    """The steps of a scenario in order, read in `support` sources, of which a language model wrote `generated`.

    `items` are those of the text of a scenario that only one text tells, in their order. `needs` are the tools, then
    the supplies, that one must have for it, those of the most sources first, without `needs_left_out` that few sources
    name. `left_out` are its other steps, the most important first. `corrections` are those of the scenario itself, such
    as steps that a person rejected. `precedes` are the PRECEDES relations between these steps. `order` follows from all
    relations of the scenario, those of steps that are left out too: pairs of IRIs, without pairs that other pairs
    imply.
    """

    iri: str
    label: str
    alternative_labels: tuple[str, ...] = field(converter=tuple[str, ...])
    support: int
    generated: int = 0
    needs: tuple[Need, ...] = field(default=(), converter=tuple[Need, ...])
    needs_left_out: int = 0
    steps: tuple[Step, ...] = field(converter=tuple[Step, ...])
    items: tuple[Item, ...] = field(default=(), converter=tuple[Item, ...])
    left_out: tuple[LeftOut, ...] = field(default=(), converter=tuple[LeftOut, ...])
    corrections: tuple[StepCorrection, ...] = field(default=(), converter=tuple[StepCorrection, ...])
    precedes: tuple[Precedence, ...] = field(default=(), converter=tuple[Precedence, ...])
    order: tuple[tuple[str, str], ...] = field(default=(), converter=tuple[tuple[str, str], ...])

    def __repr__(self) -> str:
        counts = f"{len(self.steps):,} steps, {len(self.left_out):,} left out, support {self.support:,}"
        return f"Script({self.label!r}: {counts})"

    def directly_before(self) -> dict[str, list[str]]:
        """For each step (IRIs) those that `order` puts directly before it, in the order of the steps. Steps that no
        path of `order` joins can be done in any order."""
        before: dict[str, list[str]] = {step.iri: [] for step in self.steps}
        for step in self.steps:
            for start, end in self.order:
                if start == step.iri:
                    before[end].append(start)
        return before

    def to_dict(self) -> dict[str, Any]:
        """The script as plain values, for JSON; `script_schema` describes it."""
        return attrs.asdict(self)


def script_schema() -> dict[str, Any]:
    """The JSON Schema of `Script.to_dict` and of ``kgscripts show DIR SCENARIO --json``; ``$defs/Step`` is a step."""
    return {**json_schema(Script), "title": "A script of kgscripts"}
