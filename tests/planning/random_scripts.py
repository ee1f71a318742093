"""Random steps with changes and a partial order."""

from __future__ import annotations

from attrs import frozen
from hypothesis import strategies as st

from kgscripts.planning.making import SourceChange, SourceStep, make_plan
from kgscripts.planning.plan import Plan
from schemas.changes import Level


@frozen
class Random:
    """Steps in a reading order with a partial order that agrees with it; likely changes count or do not."""

    steps: list[SourceStep]
    order: list[tuple[str, str]]
    likely: bool

    def plan(self) -> Plan:
        return make_plan("a random script", self.steps, self.order, likely=self.likely)


_CHANGES = st.builds(
    SourceChange,
    entity=st.sampled_from(["kettle", "water", "Cup", "flour"]),
    attribute=st.sampled_from(["temperature", "heat", "location", "existence"]),
    before=st.sampled_from(["", "hot", "cold", "in the cup", "lighter", "present"]),
    after=st.sampled_from(["", "hot", "cold", "in cup", "lighter", "absent"]),
    level=st.sampled_from(Level),
    probability=st.sampled_from([0.25, 0.5, 1.0]),
)


@st.composite
def random_scripts(draw: st.DrawFn, most: int = 12) -> Random:
    """Scripts of up to `most` steps."""
    things = st.lists(st.sampled_from(["kettle", "cup", "flour", "water"]), max_size=2)
    changes = st.lists(st.lists(_CHANGES, max_size=3), min_size=1, max_size=most)
    steps = [
        SourceStep(id=str(number), label=f"step {number}", tools=draw(things), supplies=draw(things), changes=own)
        for number, own in enumerate(draw(changes))
    ]
    numbers = st.integers(0, len(steps) - 1)
    pairs = draw(st.lists(st.tuples(numbers, numbers), max_size=12))
    order = [(str(earlier), str(later)) for earlier, later in pairs if earlier < later]
    return Random(steps, order, draw(st.booleans()))
