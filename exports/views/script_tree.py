"""Scripts, steps, needs and lists of scenarios as trees for people: on terminals, in pipes and as the text of a script.

Their lines have labels, counts and sentences without control characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from rich.text import Text
from rich.tree import Tree

from kgscripts.scripts.things import Needs, ToolUse
from kgscripts.scripts.types import (
    Change,
    Evidence,
    Match,
    Need,
    Part,
    Participant,
    Reason,
    Scenario,
    Script,
    Step,
    StepCorrection,
    Tool,
    is_added,
    well_supported,
)
from schemas.changes import Level
from schemas.terminal import console, count, cut, printable

LONGEST = 240
"""The most characters of a label or sentence."""
ADDED = "added by a person"


def add_evidence(tree: Tree, evidence: Iterable[Evidence], *, numbered: bool = False) -> None:
    """Add the sentences, each with its words in brackets."""
    for number, item in enumerate(evidence, start=1):
        before, after = item.text[: item.words_start], item.text[item.words_end :]
        tree.add(
            styled(
                (f"{number}. " if numbered else "", "dim"),
                (f'"{before}[', "italic"),
                (item.words, "bold italic"),
                (f']{after}"', "italic"),
                (f"  {item.source}, characters {item.start} to {item.end}", "dim"),
            )
        )


def numbers_of(what: Part | ToolUse) -> str:
    """How many sources have it, and which share; or that a person added it."""
    return ADDED if was_added(what) else f"{count(what.support, 'source')}, {what.probability:.0%}"


def was_added(what: Part | ToolUse) -> bool:
    """Whether only a person added it."""
    return is_added(what.support, what.probability)


def styled(*pieces: tuple[str, str]) -> Text:
    """A line of pieces of text, each with its style."""
    line = Text()
    for text, style in pieces:
        line.append(_shown(text), style=style)
    return line


def _shown(text: str) -> str:
    """`text` in one line without control characters, cut to `LONGEST` characters."""
    return cut(printable(re.sub(r"[\t\n\r\x0b\x0c\x85\u2028\u2029]+", " ", text)), LONGEST)


_STYLES = {True: "green", False: "cyan"}
"""The styles of tools and of supplies."""


def needs_line(needs: Iterable[Need], left_out: int = 0) -> Text:
    """ "You need: bowl, oven; flour (200 g), egg (3)": tools, then supplies with their amounts."""
    line = styled(("You need: ", "bold"))
    before: Need | None = None
    for need in needs:
        between = "" if before is None else ", " if before.is_tool == need.is_tool else "; "
        details = ", ".join(filter(None, [need.amount, *(f"or {other}" for other in need.instead)]))
        amount = f" ({details})" if details else ""
        line.append_text(styled((between, ""), (need.label, _STYLES[need.is_tool]), (amount, "dim")))
        before = need
    if left_out:
        line.append_text(styled((f"; {left_out:,} more in few sources", "dim")))
    return line


def needs_text(needs: Iterable[Need], left_out: int = 0) -> str:
    """`needs_line` as plain text."""
    return needs_line(needs, left_out).plain


def needs_tree(of_scenario: Needs) -> Tree:
    """The tools and supplies of a scenario, each with its numbers and passages."""
    tree = Tree(styled((of_scenario.label, "bold"), (f"  read in {count(of_scenario.support, 'source')}", "dim")))
    for kind, is_tool in (("tools", True), ("supplies", False)):
        needs = [need for need in of_scenario.needs if need.is_tool is is_tool]
        branch = tree.add(Text(kind, style="dim")) if needs else tree
        for need in needs:
            details = ", ".join(_need_details(need))
            leaf = branch.add(styled((need.label, _STYLES[is_tool]), (f"  {details}", "dim")))
            add_evidence(leaf, need.evidence)
    if not of_scenario.needs:
        tree.add(Text("no list names a need, and no usual step uses anything", style="dim"))
    if of_scenario.left_out:
        tree.add(styled((f"{of_scenario.left_out:,} more: --all --min-support 1 shows all", "dim")))
    return tree


def _need_details(need: Need) -> Iterator[str]:
    if need.role:
        yield need.role
    if need.amount:
        yield need.amount
    yield from (f"or {other}" for other in need.instead)
    if need.optional:
        yield "optional"
    yield numbers_of(need)
    if need.declared:
        yield f"declared by {need.declared:,}"
    if need.used:
        yield f"used by {need.used:,}"
    if not need.usual:
        yield "unusual"


_MOST_PARTS = 6
"""The most tools, participants or changes that are printed of a step in a script: many were read only once."""
_MOST_DURATIONS = 3
_DONE_BY, _CHANGES = "done by", "changes"
_ENDLESS = 100_000
"""Width of a line, in characters, if the output is not a terminal."""


def script_text(script: Script) -> str:
    """The script as a tree without colours."""
    screen = console(width=_ENDLESS)
    with screen.capture() as captured:
        screen.print(script_tree(script))
    return captured.get().rstrip("\n")


def scenarios_tree(scenarios: Sequence[Scenario], left_out: int) -> Tree:
    """The scenarios with their numbers of steps and sources."""
    tree = Tree(Text(count(len(scenarios) + left_out, "scenario"), style="bold"))
    for each in scenarios:
        counts = f"{count(each.sub_events, 'step')}, read in {count(each.support, 'source')}"
        tree.add(styled((each.label, "bold"), (f"  {counts}", "dim")))
    if not scenarios and not left_out:
        tree.add(
            styled(("no source names one: build again with --scenario NAME, or add front matter (scenario: NAME)", ""))
        )
    if left_out:
        tree.add(styled((f"{left_out:,} more: --all --min-support 1 shows all", "dim")))
    return tree


def script_tree(script: Script) -> Tree:
    """What it needs, and the steps with what belongs to them, each kind in one line, and the passages of the steps."""
    steps = len(script.steps) + len(script.left_out)
    counts = f"{count(steps, 'step')}, read in {count(script.support, 'source')}"
    tree = Tree(styled((script.label, "bold"), (f"  {counts}{_writers(script)}", "dim")))
    if script.needs:
        tree.add(needs_line(script.needs, script.needs_left_out))
    numbers = {step.iri: number for number, step in enumerate(script.steps, start=1)}
    shares = script.support > 1
    before = script.directly_before()
    written = any(step.written for step in script.steps)
    items = _Items(tree, script)
    for step in script.steps:
        number = numbers[step.iri]
        line = _step_line(step, f"{number}. ", shares=shares)
        if written and not step.written and not was_added(step):
            line.append(" (not in the script)", style="italic")
        branch = items.above(step).add(line)
        _add_written(branch, step)
        for kind, parts, style, between in _kinds(step):
            if parts:
                shown = parts if kind == _DONE_BY else well_supported(step, parts)[:_MOST_PARTS]
                left_out = len(parts) - len(shown)
                if kind == _CHANGES and len(shown) > 1:
                    lines = branch.add(Text(kind, style="dim"))
                    for part in shown:
                        lines.add(_parts_line("", [part], 0, style, shares=shares))
                    if left_out:
                        lines.add(Text(f"{left_out:,} more", style="dim"))
                else:
                    branch.add(_parts_line(f"{kind}: ", shown, left_out, style, between, shares=shares))
        _add_derived(branch, step)
        _add_durations(branch, step, _MOST_DURATIONS)
        earlier = [numbers[iri] for iri in before[step.iri]]
        # In a chain of steps each comes after the one above it, and the first after none.
        if earlier != [number - 1] and number > 1:
            branch.add(Text(f"after: {_ranges(earlier)}" if earlier else "at any time", style="dim"))
        if step.alternatives:
            branch.add(styled(("or: ", "dim"), (", ".join(item.label_text for item in step.alternatives), "yellow")))
        if step.matches:
            others = "; ".join(f"{item.scenario}: {item.label_text}" for item in step.matches)
            branch.add(styled(("also in ", "dim"), (others, "blue")))
        _add_corrections(branch, step.corrections)
        add_evidence(branch, step.evidence)
    items.add_until()
    for line in _variants(script.steps, numbers):
        tree.add(line)
    _add_corrections(tree, script.corrections)
    if script.left_out:
        tree.add(Text(left_out_line(script), style="dim"))
    return tree


class _Items:
    """The items of the text of a script, as headings above the steps that are read in them, in the text's own words.

    Items without a step stand at their place in the text. An item is repeated where its steps have others between them,
    and left out where it says what the label of its step says.
    """

    def __init__(self, tree: Tree, script: Script) -> None:
        self._tree = self._branch = tree
        self._items = script.items
        self._of_step = {iri: place for place, item in reversed([*enumerate(script.items)]) for iri in item.steps}
        self._current, self._shown = -1, 0

    def above(self, step: Step) -> Tree:
        """Where a step hangs, whose heading is added if it is another one than that of the step before."""
        place = self._of_step.get(step.iri)
        if place is None:
            self._current, self._branch = -1, self._tree
        elif place != self._current:
            self.add_until(place)
            item = self._items[place]
            is_label = len(item.steps) == 1 and _words(item.text) == _words(step.label_text)
            self._branch = self._tree if is_label else self._add(place)
            self._current, self._shown = place, max(self._shown, place + 1)
        return self._branch

    def add_until(self, end: int | None = None) -> None:
        """Add the items before this one, or all, that have not been shown."""
        for place in range(self._shown, len(self._items) if end is None else end):
            self._add(place)
            self._shown = place + 1

    def _add(self, place: int) -> Tree:
        return self._tree.add(styled((self._items[place].text, "")))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _writers(script: Script) -> str:
    """Whether a language model wrote what was read."""
    if not script.generated:
        return ""
    who = "" if script.generated == script.support else f"{script.generated:,} of them "
    return f", {who}written by a language model"


def _variants(steps: Sequence[Step], numbers: Mapping[str, int]) -> Iterator[Text]:
    """A line for each other way to do it: the steps that it has, and those that it does without."""
    for name in dict.fromkeys(name for step in steps for name in (*step.variants, *step.left_out_of)):
        own = _ranges([numbers[step.iri] for step in steps if name in step.variants])
        without = _ranges([numbers[step.iri] for step in steps if name in step.left_out_of])
        parts = [f"with {own}" if own else "", f"without {without}" if without else ""]
        yield styled(("or ", "dim"), (name, "yellow"), (f": {', '.join(filter(None, parts))}", "dim"))


def _ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers, those of three or more in a row as a range: "2, 5-7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = ([f"{run[0]}-{run[-1]}"] if len(run) > 2 else map(str, run) for run in runs)
    return ", ".join(part for run in parts for part in run)


def left_out_line(script: Script) -> str:
    """How many steps are left out, why, and how to see them."""
    reasons = Counter(item.reason for item in script.left_out)
    words = {
        Reason.UNUSUAL: "unusual",
        Reason.FEW_SOURCES: "in too few sources",
        Reason.LIMIT: "over the limit",
    }
    why = ", ".join(f"{reasons[reason]:,} {text}" for reason, text in words.items() if reasons[reason])
    return f"{len(script.left_out):,} more ({why}): --all --min-support 1 shows all"


def step_tree(scenario: str, step: Step) -> Tree:
    """A step with all that belongs to it, and what gave it. The passages and the models are listed once, at the end;
    the parts name the numbers of the passages, and the models."""
    numbers: dict[Evidence, int] = {}
    models: dict[str, str] = {}
    tree = Tree(_step_line(step, "").append_text(_references(step, numbers)).append_text(_readers(step, models)))
    typicality = "" if step.typicality is None else f", typicality {step.typicality:.0%}"
    tree.add(styled(("step of ", "dim"), (scenario, "bold"), (f"  rank {step.rank}{typicality}", "dim")))
    others = [wording for wording in step.wordings if wording != step.label]
    if others:
        tree.add(styled(("in other words: ", "dim"), (", ".join(others), "yellow")))
    _add_written(tree, step)
    _add_durations(tree, step, len(step.durations))
    for kind, parts, style in (
        *((kind, parts, style) for kind, parts, style, _ in _kinds(step)),
        ("or", step.alternatives, "yellow"),
        ("also in", step.matches, "blue"),
    ):
        if parts:
            branch = tree.add(Text(kind, style="dim"))
            for part in parts:
                label = f"{part.scenario}: {part.label_text}" if isinstance(part, Match) else part.label_text
                line = styled((label, style), (f"  {_details(part)}", "dim"))
                branch.add(line.append_text(_references(part, numbers)).append_text(_readers(part, models)))
    _add_derived(tree, step)
    _add_corrections(tree, step.corrections)
    if numbers:
        add_evidence(tree.add(Text("passages", style="dim")), numbers, numbered=True)
    if models:
        branch = tree.add(Text("models", style="dim"))
        for name, task in sorted(models.items()):
            branch.add(styled((name, ""), (f"  {task}", "dim")))
    return tree


def tool_tree(tool: str, uses: Sequence[ToolUse], left_out: int) -> Tree:
    """The steps that are done with a tool, by scenario, each with a passage."""
    tree = Tree(styled((tool, "bold green"), (f"  used in {count(len(uses) + left_out, 'step')}", "dim")))
    for scenario, group in groupby(uses, attrgetter("scenario")):
        branch = tree.add(styled((scenario, "bold") if scenario else ("of no scenario", "italic")))
        for use in group:
            leaf = branch.add(styled((use.label, ""), (f"  {', '.join(_roles(use))}, {numbers_of(use)}", "dim")))
            add_evidence(leaf, filter(None, [use.evidence]))
    if left_out:
        tree.add(styled((f"{left_out:,} more: --all --min-support 1 shows all", "dim")))
    return tree


def print_tree(tree: Tree) -> None:
    """Print a tree: folded to the width of a terminal, else one line for each branch."""
    screen = console()
    if not screen.is_terminal:
        screen.width = _ENDLESS
    screen.print(tree)


def _kinds(step: Step) -> Iterator[tuple[str, Sequence[Part], str, str]]:
    """The parts of a step: what they are called, their style, and what is printed between them."""
    yield "tools", step.tools, "green", ", "
    yield "participants", step.participants, "cyan", ", "
    yield _CHANGES, step.changes, "magenta", "; "
    yield _DONE_BY, step.decomposes_into, "yellow", ", then "
    for name, parts in step.further.items():
        yield name.lower().replace("_", " "), parts, "green", ", "


def _step_line(step: Step, number: str, *, shares: bool = True) -> Text:
    return styled(
        (number, "dim"),
        (step.label_text, "bold" if step.essential else ""),
        (" (essential)" if step.essential else " (optional)" if step.optional else "", "italic"),
        ("" if step.usual else " (unusual)", "italic"),
        (f"  {numbers_of(step)}" if shares or was_added(step) else "", "dim"),
    )


def _parts_line(
    kind: str, shown: Sequence[Part], left_out: int, style: str, between: str = "", *, shares: bool = True
) -> Text:
    line = Text(kind, style="dim")
    for number, part in enumerate(shown):
        share = [f"{part.probability:.0%}"] if shares else []
        details = ", ".join((*_roles(part), *([ADDED] if was_added(part) else share)))
        line.append_text(styled((between if number else "", ""), (part.label_text, style)))
        line.append_text(styled((f" ({details})" if details else "", "dim")))
    if not shown:
        return line.append(f"{left_out:,} in few sources", style="dim")
    return line.append(f"{between}{left_out:,} more" if left_out else "", style="dim")


def _add_written(tree: Tree, step: Step) -> None:
    """When a written script does a step, and what it consists of."""
    when = "; ".join((*step.conditions, *(f"in the variant {name}" for name in step.variants)))
    for name, words in (("only: ", when), ("consists of: ", ", ".join(step.parts))):
        if words:
            tree.add(styled((name, "dim"), (words, "yellow")))


def _add_derived(tree: Tree, step: Step) -> None:
    """What follows from the changes, each with the change that it follows from."""
    labels = {change.iri: change.label_text for change in step.changes}
    branch = tree.add(Text("derived from these changes", style="dim")) if step.derived else tree
    for item in step.derived:
        effect = f"{item.attribute} of {item.entity}: {item.before} -> {item.after}"
        branch.add(styled((effect, "magenta"), (f"  follows from {labels[item.follows_from]}", "dim")))


def _add_durations(tree: Tree, step: Step, most: int) -> None:
    """The wordings of how long a step takes, at most `most` of them."""
    if step.durations:
        more = len(step.durations) - most
        left_out = f", {more:,} more" if more > 0 else ""
        tree.add(styled(("takes: ", "dim"), (", ".join(step.durations[:most]), "blue"), (left_out, "dim")))


def _references(part: Part, numbers: dict[Evidence, int]) -> Text:
    """The numbers of the passages of a part; passages without a number get one."""
    cited = sorted(numbers.setdefault(item, len(numbers) + 1) for item in part.evidence)
    noun = "passage" if len(cited) == 1 else "passages"
    return styled((f"  {noun} {', '.join(map(str, cited))}" if cited else "", "dim"))


def _readers(part: Part, models: dict[str, str]) -> Text:
    """The models behind a part, which are added to `models` with their tasks."""
    named = {f"{reader.name} {reader.version}": reader.task for reader in part.read_by}
    models.update(named)
    return styled((f"  by {', '.join(named)}" if named else "", "dim"))


def _add_corrections(tree: Tree, corrections: Iterable[StepCorrection]) -> None:
    for item in corrections:
        tree.add(styled(("corrected: ", "dim"), (item.label, "red"), (f"  {item.author}, {item.time[:10]}", "dim")))


def _details(part: Part) -> str:
    return ", ".join((*_roles(part), numbers_of(part)))


def _roles(part: Part | ToolUse) -> Iterator[str]:
    if isinstance(part, Change) and part.level is Level.LIKELY:
        yield part.level
    if isinstance(part, Tool | ToolUse | Participant):
        yield part.role
    if isinstance(part, Tool) and part.via:
        yield " or ".join(part.via)
    elif isinstance(part, Tool) and part.predicted:
        yield "predicted"
    elif isinstance(part, Tool | ToolUse) and part.inferred:
        yield "inferred"
