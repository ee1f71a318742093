"""Small scripts, steps and plans for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgscripts import Script
from kgscripts.planning.making import SourceChange, SourceStep, make_plan
from kgscripts.planning.plan import Passage, Plan
from kgscripts.scripts.types import Change, Evidence, Need, Participant, Step, Tool
from schemas.changes import Level

Told = tuple[str, Sequence[str]]
"""The label of a step, and its changes: "temperature of water: cold -> hot"."""


def change(text: str, **values: Any) -> SourceChange:
    """ "temperature of water: cold -> hot" as a change."""
    name, _, states = text.partition(": ")
    attribute, _, entity = name.rpartition(" of ")
    before, _, after = states.rpartition("-> ")
    return SourceChange(entity=entity, attribute=attribute, before=before, after=after, **values)


def step(label: str, *changes: str, tools: str = "", supplies: str = "") -> SourceStep:
    """A step whose id is its label, in a text that says its label."""
    return SourceStep(
        id=label,
        label=label,
        tools=tools.split(),
        supplies=supplies.split(),
        changes=map(change, changes),
        passages=[Passage(text=f"{label.capitalize()}.", source="how_to.md")],
    )


def plan_of(*steps: SourceStep, order: Sequence[tuple[str, str]] = ()) -> Plan:
    return make_plan("making tea", steps, order)


def script(
    title: str, told: Sequence[Told], *, needs: str = "", order: Sequence[tuple[int, int]] | None = None
) -> Script:
    """A script of a graph; `needs` are tools, then supplies behind a semicolon, which every step uses whose label has
    their name. Without an `order` (numbers of steps from 0 on), steps are in a row."""
    tools, _, supplies = needs.partition(";")
    every = [(name, "instrument") for name in tools.split()] + [(name, None) for name in supplies.split()]
    pairs = [(number, number + 1) for number in range(len(told) - 1)] if order is None else order
    iri = "https://w3id.org/kgscripts/data/sub-event/{}"
    numbers: dict[str, Any] = {"support": 1, "probability": 1.0}
    return Script(
        iri="https://w3id.org/kgscripts/data/scenario/1",
        label=title,
        alternative_labels=(),
        support=1,
        needs=[
            Need(iri=name, label=name, role=role, declared=0, used=1, amount=None, usual=True, **numbers)
            for name, role in every
        ],
        steps=[
            Step(
                iri=iri.format(number),
                label=label,
                rank=number,
                mean_position=0.5,
                usual=True,
                essential=False,
                optional=False,
                evidence=[Evidence(text=f"{label}.", words_start=0, words_end=4, source="a.md", start=0, end=9)],
                tools=[
                    Tool(iri=name, label=name, role=role, predicted=False, inferred=False, **numbers)
                    for name, role in every
                    if role and name in label
                ],
                participants=[
                    Participant(iri=name, label=name, role="patient", **numbers)
                    for name, role in every
                    if not role and name in label
                ],
                changes=[_script_change(text) for text in changes],
                **numbers,
            )
            for number, (label, changes) in enumerate(told)
        ],
        order=[(iri.format(earlier), iri.format(later)) for earlier, later in pairs],
    )


def _script_change(text: str) -> Change:
    made = change(text)
    return Change(
        iri=text,
        label=text,
        support=1,
        probability=1.0,
        entity=made.entity,
        attribute=made.attribute,
        before=made.before or None,
        after=made.after,
        level=Level.CERTAIN,
    )


HAND_MADE = [
    script(
        "making tea",
        [
            ("fill the kettle with water", ["fullness of kettle: empty -> full", "location of water: in kettle"]),
            ("boil the water in the kettle", ["temperature of water: cold -> hot", "power of kettle: off -> on"]),
            (
                "pour the water into the cup",
                ["location of water: in kettle -> in cup", "fullness of kettle: full -> empty"],
            ),
            ("drink from the cup", ["existence of water: present -> absent"]),
        ],
        needs="kettle cup; water",
    ),
    script(
        "washing hands",
        [
            ("open the tap", ["openness of tap: closed -> open"]),
            ("wet hands with water", ["wetness of hands: dry -> wet"]),
            ("rub hands with soap", ["cleanliness of hands: dirty -> clean"]),
            ("close the tap", ["openness of tap: open -> closed"]),
            ("dry hands with the towel", ["wetness of hands: wet -> dry", "wetness of towel: dry -> damp"]),
        ],
        needs="towel; soap water",
        order=[(0, 1), (1, 2), (1, 3)],
    ),
    script(
        "sending a parcel",
        [
            ("put the book in the box", ["location of book: on shelf -> in box"]),
            ("tape the box", ["openness of box: open -> closed", "amount of tape: a roll -> used up"]),
            ("tape the label to the box", ["location of label: on sheet -> on box"]),
            ("open the box again", ["openness of box: closed -> open"]),
        ],
        needs="box; tape label",
        order=[(0, 1)],
    ),
    script("pumping up a tyre", [("pump up the tyre", ["pressure of tyre: low -> high"])], needs="pump"),
    script("saying hello", [("wave", []), ("smile", [])], order=[]),
]
"""Scripts with changes, with a supply that is used up, with contradictions, and without changes."""
