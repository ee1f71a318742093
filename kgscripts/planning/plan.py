"""A plan: the steps of a script with what must hold before each of them and what it changes; and its text, a tree in
the width of the terminal, or of 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import attrs
from attrs import field, frozen

from schemas.changes import Level
from schemas.terminal import console, count, cut, echo, printable

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_COLUMNS = 80
_LONGEST = 240
"""The most characters of a label or passage."""


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
    about what it ends. `passages` are its evidence, and `item` is the numbered step or the line of a list that tells
    it, if the script is that of one text.
    """

    id: str
    label: str
    item: str = ""
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
        return plan_text(self)

    def numbers(self) -> Mapping[str, int]:
        """The place of each step in the plan by its id, from 1 on."""
        return {step.id: number for number, step in enumerate(self.steps, start=1)}

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain values, for JSON."""
        return attrs.asdict(self)


def plan_text(plan: Plan) -> str:
    """The plan as a tree in 80 columns, without colours."""
    screen = console(width=_COLUMNS)
    with screen.capture() as captured:
        screen.print(plan_tree(plan))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def print_plan(plan: Plan) -> None:
    """Print a plan: in the width of a terminal, else in 80 columns."""
    screen = console()
    if screen.is_terminal:
        screen.print(plan_tree(plan))
    else:
        echo(plan_text(plan))


def plan_tree(plan: Plan) -> Tree:
    """What one needs, what holds at the start, the steps in order, then contradictions and what is left out.

    A step shows the things that it needs at hand, the numbers of the steps that must be done before, what it requires
    (at the start, or by the step with this number), and what it changes. Steps stand below the item of their text that
    tells them, if it says more than they do.
    """
    # Importing rich takes a tenth of a second, and other forms of a plan do not need it.
    from rich.tree import Tree

    tree = Tree(_line((_cut(plan.title), "bold"), (f"  {count(len(plan.steps), 'step')}", "dim")))
    numbers = plan.numbers()
    if things := _things(plan.tools, plan.supplies):
        tree.add(_line(("You need: ", "bold"), (things, "green")))
    if plan.initial:
        tree.add(_line(("At the start: ", "bold"), ("; ".join(map(str, plan.initial)), "magenta")))
    item, place = "", tree
    for step in plan.steps:
        if step.item != item:
            item = step.item
            place = tree.add(_line((_cut(item), ""))) if item and not _is_label(item, step) else tree
        branch = place.add(_line((f"{numbers[step.id]}. ", "dim"), (_cut(step.label), "")))
        for kind, text, style in step_parts(step, numbers):
            if text:
                branch.add(_line((f"{kind}: ", "dim"), (text, style)))
    if plan.contradictions:
        branch = tree.add(_line((count(len(plan.contradictions), "contradiction"), "bold red")))
        for contradiction in plan.contradictions:
            _add_contradiction(branch, contradiction, plan, numbers)
    if plan.left_out:
        reasons = Counter(left.reason for left in plan.left_out)
        why = ", ".join(f"{reasons[reason]:,} {reason}" for reason in LeftOutReason if reasons[reason])
        tree.add(_line((f"{count(len(plan.left_out), 'change')} left out: {why} (--json lists them)", "dim")))
    return tree


def _is_label(item: str, step: PlanStep) -> bool:
    """Whether an item of a text says what the label of its step says."""
    return item.strip(" .").casefold() == step.label.casefold()


def step_parts(step: PlanStep, numbers: Mapping[str, int]) -> Iterator[tuple[str, str, str]]:
    """The parts of a step: what they are called, their text and its style."""
    yield "at hand", _things(step.tools, step.supplies), "green"
    yield "after", ", ".join(map(str, sorted(numbers[other] for other in step.follows))), "blue"
    required = (
        f"{item}{'' if item.supplier is None else f' (by {numbers[item.supplier]})'}" for item in step.preconditions
    )
    yield "requires", "; ".join(required), "magenta"
    before = {(item.entity, item.attribute): item.value for item in step.ceases}
    changes = (
        f"{item.attribute} of {item.entity}: {_arrow(before.get((item.entity, item.attribute)))}{item.value}"
        f"{_unsure(item.level)}"
        for item in step.effects
    )
    yield "changes", "; ".join(changes), "magenta"
    yield "uses up", ", ".join(step.uses_up), "green"


def _arrow(before: str | None) -> str:
    return "" if before is None else f"{before} -> "


def _add_contradiction(tree: Tree, item: Contradiction, plan: Plan, numbers: Mapping[str, int]) -> None:
    earlier, later = numbers[item.earlier], numbers[item.later]
    branch = tree.add(
        _line(
            (_cut(f"{later}. {plan.steps[later - 1].label}"), ""),
            (" requires ", "dim"),
            (str(item.required), "magenta"),
            (", which is left out, since ", "dim"),
            (_cut(f"{earlier}. {plan.steps[earlier - 1].label}"), ""),
            (" leaves ", "dim"),
            (str(item.effect), "magenta"),
        )
    )
    for number, passages in ((later, item.later_passages), (earlier, item.earlier_passages)):
        for passage in passages:
            branch.add(_passage(number, passage))


def _passage(number: int, passage: Passage) -> Text:
    source = f"  {passage.source}" if passage.source else ""
    return _line((f"{number}. ", "dim"), (f'"{_cut(passage.text)}"', "italic"), (source, "dim"))


def _cut(text: str) -> str:
    """`text` in one line of at most `_LONGEST` characters."""
    return cut(" ".join(text.split()), _LONGEST)


def _things(tools: Iterable[str], supplies: Iterable[str]) -> str:
    """ "bowl, oven; flour, egg": tools, then supplies."""
    return "; ".join(", ".join(things) for things in (tools, supplies) if things)


def _unsure(level: Level) -> str:
    return "" if level is Level.CERTAIN else f" ({level})"


def _line(*pieces: tuple[str, str]) -> Text:
    """A line of pieces of text, each with its style, without control characters."""
    from rich.text import Text

    line = Text()
    for text, style in pieces:
        line.append(printable(text), style=style)
    return line
