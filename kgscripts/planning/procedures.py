"""Plans of procedures: numbered steps with the tools and changes that were read in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kgscripts.planning.making import make_plan
from kgscripts.planning.plan import Passage, Plan
from kgscripts.planning.source import SourceChange, SourceStep
from schemas.changes import RatedChange


def plan_of_procedure(
    title: str,
    texts: Sequence[str],
    changes: Sequence[Iterable[RatedChange]],
    tools: Sequence[Iterable[str]],
    *,
    source: str = "",
    likely: bool = False,
) -> Plan:
    """The plan of a procedure whose steps are done in the order of their `texts`.

    `changes` and `tools` have an item for each step, `source` is the name of the procedure in passages; `likely`
    changes count or do not. The ids of the steps are their numbers, "1" first. The plan has no supplies: nothing lists
    those of a procedure.
    """
    steps = [
        SourceStep(
            id=str(number),
            label=text,
            tools=needed,
            changes=map(_change, own),
            passages=[Passage(text=text, source=source)],
        )
        for number, (text, own, needed) in enumerate(zip(texts, changes, tools, strict=True), start=1)
    ]
    return make_plan(title, steps, pairwise(step.id for step in steps), likely=likely)


def _change(rated: RatedChange) -> SourceChange:
    change = rated.change
    return SourceChange(
        entity=change.entity,
        attribute=change.attribute,
        before=change.before,
        after=change.after,
        level=rated.level,
        probability=rated.probability,
    )
