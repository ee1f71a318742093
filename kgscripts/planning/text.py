"""Plans as trees for people, in the width of the terminal, or of 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rich.text import Text
from rich.tree import Tree

from schemas.changes import Level
from schemas.plan import Contradiction, LeftOutReason, Passage, Plan, PlanStep
from schemas.terminal import console, echo, printable

_COLUMNS = 80
_LONGEST = 240
"""The most characters of a label or passage."""


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
    (at the start, or by the step with this number), and what it changes.
    """
    tree = Tree(_line((_cut(plan.title), "bold"), (f"  {_count(len(plan.steps), 'step')}", "dim")))
    numbers = plan.numbers()
    if things := _things(plan.tools, plan.supplies):
        tree.add(_line(("You need: ", "bold"), (things, "green")))
    if plan.initial:
        tree.add(_line(("At the start: ", "bold"), ("; ".join(map(str, plan.initial)), "magenta")))
    for step in plan.steps:
        branch = tree.add(_line((f"{numbers[step.id]}. ", "dim"), (_cut(step.label), "")))
        for kind, text, style in step_parts(step, numbers):
            if text:
                branch.add(_line((f"{kind}: ", "dim"), (text, style)))
    if plan.contradictions:
        branch = tree.add(_line((_count(len(plan.contradictions), "contradiction"), "bold red")))
        for item in plan.contradictions:
            _add_contradiction(branch, item, plan, numbers)
    if plan.left_out:
        reasons = Counter(item.reason for item in plan.left_out)
        why = ", ".join(f"{reasons[reason]:,} {reason}" for reason in LeftOutReason if reasons[reason])
        tree.add(_line((f"{_count(len(plan.left_out), 'change')} left out: {why} (--json lists them)", "dim")))
    return tree


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
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _things(tools: Iterable[str], supplies: Iterable[str]) -> str:
    """ "bowl, oven; flour, egg": tools, then supplies."""
    return "; ".join(", ".join(things) for things in (tools, supplies) if things)


def _unsure(level: Level) -> str:
    return "" if level is Level.CERTAIN else f" ({level})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _line(*pieces: tuple[str, str]) -> Text:
    """A line of pieces of text, each with its style, without control characters."""
    line = Text()
    for text, style in pieces:
        line.append(printable(text), style=style)
    return line
