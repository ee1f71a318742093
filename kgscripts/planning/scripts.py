"""Plans of the scripts of a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from operator import attrgetter

from kgscripts.planning.making import SourceChange, SourceStep, folded, make_plan
from kgscripts.planning.plan import Passage, Plan
from kgscripts.scripts.types import Part, Script, Step, well_supported

_OF_CHANGE = ("entity", "attribute", "before", "after", "level", "probability")


def plan_of_script(script: Script, *, likely: bool = False) -> Plan:
    """The plan of a script.

    Steps of variants are left out, and of steps one of which is done instead of the other all but the first that is not
    optional. A step needs those of its tools and participants at hand that the script needs. Of a step of many sources,
    what few of them have is left out, as `kgscripts show` does. `likely` changes count or do not. Passages are those
    that the script was read with.

    Raises
    ------
    InputError
        If the order of the script has a circle, or two steps have the same IRI.
    """
    tools = [folded(need.label) for need in script.needs if need.is_tool]
    supplies = [folded(need.label) for need in script.needs if not need.is_tool]
    kept = {step.iri: step for step in _chosen(script.steps)}
    item_of = {iri: item.text for item in reversed(script.items) for iri in item.steps}
    steps = [_step(step, item_of.get(step.iri, ""), set(tools), set(supplies)) for step in kept.values()]
    order = _order_among(script.order, kept.keys())
    return make_plan(script.label, steps, order, tools=tools, supplies=supplies, likely=likely)


def _chosen(steps: Sequence[Step]) -> list[Step]:
    """The steps of one way to do it, in their order."""
    chosen: list[Step] = []
    instead: set[str] = set()
    for step in sorted(steps, key=attrgetter("optional")):
        if not step.variants and step.iri not in instead:
            chosen.append(step)
            instead.update(other.iri for other in step.alternatives)
    return sorted(chosen, key=attrgetter("rank"))


def _order_among(order: Iterable[tuple[str, str]], kept: Collection[str]) -> list[tuple[str, str]]:
    """The pairs of steps that are kept; what follows by a step that is left out stays."""
    pairs = dict.fromkeys(order)
    for other in {step for pair in pairs for step in pair}.difference(kept):
        before, after = ([pair[end] for pair in pairs if pair[1 - end] == other] for end in (0, 1))
        pairs = {pair: None for pair in pairs if other not in pair} | dict.fromkeys(product(before, after))
    return sorted(pairs)


def _step(step: Step, item: str, tools: set[str], supplies: set[str]) -> SourceStep:
    parts: list[Part] = [*well_supported(step, step.tools), *well_supported(step, step.participants)]
    things = [folded(part.label) for part in parts]
    return SourceStep(
        id=step.iri,
        label=step.label_text,
        item=item,
        tools=[thing for thing in things if thing in tools],
        supplies=[thing for thing in things if thing in supplies],
        changes=[
            SourceChange(**{name: getattr(change, name) for name in _OF_CHANGE}, passages=_passages(change))
            for change in well_supported(step, step.changes)
        ],
        passages=_passages(step),
    )


def _passages(part: Part) -> Iterator[Passage]:
    return (Passage(text=item.text, source=item.source) for item in part.evidence)
