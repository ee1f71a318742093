"""Making a plan of neutral steps: their order, and which step brings about what another one requires."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain

from attrs import define, evolve, field, frozen

from kgscripts.changes.attributes import agree, leading_attribute
from kgscripts.planning.plan import (
    Condition,
    Contradiction,
    Effect,
    LeftOutChange,
    LeftOutReason,
    Passage,
    Plan,
    PlanStep,
    Precondition,
)
from kgscripts.text.lexicon import word_list
from schemas.changes import Level
from schemas.errors import InputError

_RELATIVE = re.compile(
    "(?:more|less|fewer)(?: .*)?"
    "|(?:bigg|blunt|bright|broad|calm|clean|clear|clos|cold|cool|dark|deep|dens|dirti|dri|dry|dull|empti|fast|firm|flatt"
    "|full|great|hard|heavi|high|hott|larg|light|long|loos|loud|low|narrow|near|neat|old|quiet|rough|sharp|shin|shini"
    "|short|slow|small|smooth|soft|strong|sweet|tall|thick|thinn|tight|warm|weak|wett|wid|young)er"
)


def folded(name: str) -> str:
    """A name in lower case with single spaces: names of entities and things that differ in these only are one."""
    return " ".join(name.lower().split())


def is_relative(value: str) -> bool:
    """Whether a value says how an attribute changes, and not which value it has: "heavier", "more full"."""
    return _RELATIVE.fullmatch(value.lower()) is not None


def _value(text: str | None) -> str:
    return " ".join((text or "").split())


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(folded, names)))


@frozen(kw_only=True)
class SourceChange:
    """What a step changes: `attribute` of `entity` is `before` before it and `after` after it ("" or None: unknown).

    Without passages of its own, it has those of its step.
    """

    entity: str = field(converter=folded)
    attribute: str = field(converter=folded)
    before: str = field(default="", converter=_value)
    after: str = field(default="", converter=_value)
    level: Level = Level.CERTAIN
    probability: float = 1.0
    passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])


@frozen(kw_only=True)
class SourceStep:
    """A step with its id, its label for people, the item of its text, the things that it needs at hand, its changes and
    its passages."""

    id: str
    label: str
    item: str = ""
    tools: tuple[str, ...] = field(default=(), converter=_names)
    supplies: tuple[str, ...] = field(default=(), converter=_names)
    changes: tuple[SourceChange, ...] = field(default=(), converter=tuple[SourceChange, ...])
    passages: tuple[Passage, ...] = field(default=(), converter=tuple[Passage, ...])


_SHOWN = 6
"""The most steps of a circle that a message names."""


def steps_before(ids: Sequence[str], order: Iterable[tuple[str, str]], where: str) -> dict[str, list[str]]:
    """The steps that directly precede each step in a partial order of pairs (earlier, later), each once.

    Raises
    ------
    InputError
        If two steps have the same id, or a pair names a step that is none of `ids`.
    """
    before: dict[str, dict[str, None]] = {step: {} for step in ids}
    if len(before) < len(ids):
        raise InputError("two steps have the same id", where=where, remedy="give each step an id of its own")
    for earlier, later in order:
        for step in (earlier, later):
            if step not in before:
                raise InputError(
                    f"the order names the step {step!r}, which is none of the steps",
                    where=where,
                    remedy="leave out pairs with other steps",
                )
        before[later][earlier] = None
    return {step: list(own) for step, own in before.items()}


def in_order(before: Mapping[str, Sequence[str]], labels: Mapping[str, str], where: str) -> list[str]:
    """The steps in the order of `before` that stays as near as possible to the order of its keys.

    Raises
    ------
    InputError
        If steps must precede each other in a circle; the message names them.
    """
    # Here, since importing it takes long.
    import networkx as nx

    order = nx.DiGraph()
    order.add_nodes_from(before)
    order.add_edges_from((earlier, later) for later, own in before.items() for earlier in own)
    places = {step: place for place, step in enumerate(before)}
    try:
        return list(nx.lexicographical_topological_sort(order, places.__getitem__))
    except nx.NetworkXUnfeasible:
        names = [repr(labels[earlier]) for earlier, _ in nx.find_cycle(order)]
    shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else [*names, names[0]]
    raise InputError(
        f"the steps must precede each other in a circle: {' before '.join(shown)}",
        where=where,
        remedy="leave out one of these orders",
    )


_AMOUNTS = word_list("attributes of amount")
_USED_UP = word_list("values of the used up")
"""The attributes, and their values after a change, that say of a thing that it is used up."""


def make_plan(
    title: str,
    steps: Sequence[SourceStep],
    order: Iterable[tuple[str, str]],
    *,
    tools: Iterable[str] = (),
    supplies: Iterable[str] = (),
    likely: bool = False,
) -> Plan:
    """Make a plan of steps in a reading order, with a partial order of pairs of ids (earlier, later).

    Parameters
    ----------
    tools, supplies:
        Things at hand at the start, besides those of the steps.
    likely:
        Plan with likely changes too, not only with certain ones.

    Notes
    -----
    A step requires the values before its changes, unless they are relative ("lighter"). Each is brought about by the
    last earlier step that changes the same attribute of the same entity, if the values agree; it holds at the start if
    there is no such step; otherwise it is a contradiction and left out. Of a step's changes of one attribute of an
    entity, the surest is taken. Steps that change the same attribute of an entity keep their order, so that nothing
    comes between a step and the one that needs its effect, and the state after the plan is always the same. Time and
    memory are proportional to the numbers of steps, changes, things and pairs (times the logarithm of that of steps).

    Raises
    ------
    InputError
        If the order has a circle or names unknown steps, or two steps have the same id.
    """
    before = steps_before([step.id for step in steps], order, title)
    by_id = {step.id: step for step in steps}
    ordered = in_order(before, {step.id: step.label for step in steps}, title)
    all_tools = dict.fromkeys(chain(map(folded, tools), *(step.tools for step in steps)))
    all_supplies = dict.fromkeys(chain(map(folded, supplies), *(step.supplies for step in steps)))
    world = _World(things=all_tools.keys() | all_supplies.keys(), likely=likely)
    planned = [world.do(by_id[step], before[step]) for step in ordered]
    conditions = chain(world.initial, *(step.effects for step in planned))
    return Plan(
        title=title,
        tools=all_tools,
        supplies=[thing for thing in all_supplies if thing not in all_tools],
        things=dict.fromkeys(item.entity for item in conditions if item.entity not in world.things),
        initial=world.initial,
        steps=planned,
        contradictions=world.contradictions,
        left_out=world.left_out,
    )


@frozen
class _Held:
    """A condition that holds, the step that brought it about (its id; None: it holds at the start) and its passages."""

    condition: Condition
    step: str | None
    passages: tuple[Passage, ...] = ()


@define
class _World:
    """What holds after the steps that were done so far.

    `things` are those at hand at the start; `likely` changes count or do not.
    """

    things: Set[str]
    likely: bool
    initial: list[Condition] = field(factory=list)
    contradictions: list[Contradiction] = field(factory=list)
    left_out: list[LeftOutChange] = field(factory=list)
    _places: dict[str, int] = field(factory=dict)
    """Of the steps that were done."""
    _held: dict[tuple[str, str], _Held] = field(factory=dict)
    """By entity and attribute."""
    _used_up: dict[str, _Held] = field(factory=dict)
    """The change that says it, by thing."""
    _needing: dict[str, list[str]] = field(factory=dict)
    """The steps that need a thing at hand."""

    def do(self, step: SourceStep, before: Sequence[str]) -> PlanStep:
        """Do the next step, which comes after the steps `before` in the order of the script."""
        changes = self._chosen(step)
        needed = self._at_hand(step)
        held = [self._before(change) for change in changes]
        uses_up = [change.entity for change in changes if self._uses_up(change)]
        # A step also follows the last one with another value where its own value before is unknown: the state after
        # both depends on their order.
        suppliers = [item.step for item in held if item is not None and item.step is not None]
        needing = chain.from_iterable(self._needing.get(thing, ()) for thing in uses_up)
        planned = PlanStep(
            id=step.id,
            label=step.label,
            item=step.item,
            passages=step.passages,
            tools=[thing for thing in step.tools if thing in needed],
            supplies=[thing for thing in step.supplies if thing in needed],
            preconditions=[
                precondition
                for change, item in zip(changes, held, strict=True)
                if (precondition := self._precondition(step, change, item))
            ],
            effects=[_effect(change) for change in changes],
            ceases=[
                item.condition
                for change, item in zip(changes, held, strict=True)
                if item is not None and item.condition.value != change.after
            ],
            uses_up=dict.fromkeys(uses_up),
            follows=sorted({*before, *suppliers, *needing} - {step.id}, key=self._places.__getitem__),
        )
        self._places[step.id] = len(self._places)
        for change in changes:
            now = _Held(_condition(change, change.after), step.id, change.passages)
            self._held[change.entity, change.attribute] = now
            if change.entity in uses_up:
                self._used_up.setdefault(change.entity, now)
        return planned

    def _chosen(self, step: SourceStep) -> list[SourceChange]:
        """The changes of a step, the surest one of each attribute of an entity; the others are left out."""
        by_attribute: dict[tuple[str, str], SourceChange] = {}
        for original in sorted(
            step.changes, key=lambda change: (change.level is not Level.CERTAIN, -change.probability)
        ):
            attribute = leading_attribute(original.attribute)
            change = evolve(original, attribute=attribute, passages=original.passages or step.passages)
            chosen = by_attribute.get((change.entity, attribute))
            if change.level is Level.LIKELY and not self.likely:
                self._leave_out(step, change, LeftOutReason.LIKELY)
            elif not change.after:
                self._leave_out(step, change, LeftOutReason.NO_VALUE)
            elif chosen is None:
                by_attribute[change.entity, attribute] = change
            elif (chosen.before, chosen.after) != (change.before, change.after):
                self._leave_out(step, change, LeftOutReason.RIVAL)
        return [evolve(change, before="") if is_relative(change.before) else change for change in by_attribute.values()]

    def _leave_out(self, step: SourceStep, change: SourceChange, reason: LeftOutReason) -> None:
        names = {name: getattr(change, name) for name in ("entity", "attribute", "before", "after")}
        self.left_out.append(LeftOutChange(step=step.id, reason=reason, **names))

    def _at_hand(self, step: SourceStep) -> set[str]:
        """The things that a step needs and that are not used up."""
        needed: set[str] = set()
        for thing in dict.fromkeys((*step.tools, *step.supplies)):
            if (held := self._used_up.get(thing)) is None:
                needed.add(thing)
                self._needing.setdefault(thing, []).append(step.id)
            else:
                required = Condition(entity=thing, attribute="availability", value="at hand")
                self._contradict(held, step, required, step.passages)
        return needed

    def _before(self, change: SourceChange) -> _Held | None:
        """What holds of the attribute before a change (None: unknown); it holds at the start if no step changed it."""
        state = change.entity, change.attribute
        if state not in self._held and change.before:
            self._held[state] = _Held(_condition(change, change.before), None)
            self.initial.append(self._held[state].condition)
        return self._held.get(state)

    def _uses_up(self, change: SourceChange) -> bool:
        says_it = change.attribute in _AMOUNTS and folded(change.after) in _USED_UP
        return says_it and change.entity in self.things and change.entity not in self._used_up

    def _precondition(self, step: SourceStep, change: SourceChange, held: _Held | None) -> Precondition | None:
        """What a change requires, in the words of the step that brings it about; None: nothing, or a contradiction."""
        if held is None or not change.before:
            return None
        if not agree(held.condition.value, change.before):
            self._contradict(held, step, _condition(change, change.before), change.passages)
            return None
        return Precondition(
            entity=change.entity,
            attribute=change.attribute,
            value=held.condition.value,
            supplier=held.step,
            level=change.level,
            probability=change.probability,
        )

    def _contradict(self, held: _Held, step: SourceStep, required: Condition, passages: tuple[Passage, ...]) -> None:
        # Never what holds at the start: that is what the first step requires, which then changes it.
        assert held.step is not None
        self.contradictions.append(
            Contradiction(
                earlier=held.step,
                effect=held.condition,
                earlier_passages=held.passages,
                later=step.id,
                required=required,
                later_passages=passages,
            )
        )


def _condition(change: SourceChange, value: str) -> Condition:
    return Condition(entity=change.entity, attribute=change.attribute, value=value)


def _effect(change: SourceChange) -> Effect:
    return Effect(
        entity=change.entity,
        attribute=change.attribute,
        value=change.after,
        level=change.level,
        probability=change.probability,
    )
