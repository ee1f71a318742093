"""The rules of plans, one by one, and plans of many steps."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.planning.making import SourceChange, SourceStep, is_relative, make_plan
from kgscripts.planning.plan import Condition, Passage
from schemas.changes import Level
from tests.planning.executing import do
from tests.planning.hand_made import HAND_MADE, change, plan_of, step


def test_conditions_come_from_the_last_step_that_changes_the_attribute() -> None:
    plan = plan_of(
        step("fill kettle", "fullness of kettle: empty -> full"),
        step("boil water", "temperature of water: cold -> hot", "power of kettle: off -> on"),
        step("pour water", "heat of Water: hot -> warm", "fullness of kettle: filled with water, full -> empty"),
    )
    fill, boil, pour = plan.steps
    assert [(str(item), item.supplier) for item in fill.preconditions] == [("fullness of kettle: empty", None)]
    assert [(str(item), item.supplier) for item in boil.preconditions] == [
        ("temperature of water: cold", None),
        ("power of kettle: off", None),
    ]
    # A condition has the words of the step that brings it about.
    assert [(str(item), item.supplier) for item in pour.preconditions] == [
        ("temperature of water: hot", "boil water"),
        ("fullness of kettle: full", "fill kettle"),
    ]
    assert list(map(str, pour.effects)) == ["temperature of water: warm", "fullness of kettle: empty"]
    assert list(map(str, pour.ceases)) == ["temperature of water: hot", "fullness of kettle: full"]
    assert list(map(str, plan.initial)) == [
        "fullness of kettle: empty",
        "temperature of water: cold",
        "power of kettle: off",
    ]
    assert plan.things == ("kettle", "water")
    assert (boil.follows, pour.follows) == ((), ("fill kettle", "boil water"))
    assert plan.contradictions == ()


def test_a_contradiction_is_listed_with_both_passages_and_left_out() -> None:
    plan = plan_of(
        step("heat oven", "power of oven: off -> on"),
        step("light oven", "power of oven: off -> on"),
        step("cool oven", "power of oven: on -> off"),
    )
    (found,) = plan.contradictions
    assert (found.earlier, found.later) == ("heat oven", "light oven")
    assert (str(found.effect), str(found.required)) == ("power of oven: on", "power of oven: off")
    assert found.earlier_passages == (Passage(text="Heat oven.", source="how_to.md"),)
    assert found.later_passages == (Passage(text="Light oven.", source="how_to.md"),)
    assert plan.steps[1].preconditions == ()
    assert plan.steps[2].preconditions[0].supplier == "light oven"
    do(plan, plan.steps)


def test_a_change_has_passages_of_its_own() -> None:
    own = [Passage(text="The oven was on already.", source="b.md")]
    heat = SourceStep(id="1", label="heat", changes=[change("power of oven: on", passages=own)])
    plan = plan_of(heat, step("light", "power of oven: off -> on"))
    assert list(plan.contradictions[0].earlier_passages) == own


def test_steps_that_change_the_same_attribute_keep_their_order() -> None:
    plan = plan_of(
        step("clean", "cleanliness of pot: clean"),
        step("cook", "cleanliness of pot: clean -> dirty"),
        step("scrub", "cleanliness of pot: shiny"),
    )
    assert [item.follows for item in plan.steps] == [(), ("clean",), ("cook",)]
    assert [list(map(str, item.ceases)) for item in plan.steps] == [
        [],
        ["cleanliness of pot: clean"],
        ["cleanliness of pot: dirty"],
    ]


def test_the_surest_change_of_an_attribute_is_taken() -> None:
    unsure: dict[str, Any] = {"level": Level.LIKELY, "probability": 0.9}
    drain = SourceStep(
        id="drain",
        label="drain",
        changes=[
            change("location of pasta: in pot -> in sink", **unsure),
            change("place of pasta: in pot -> in colander", probability=0.5),
            change("location of Pasta: in colander", probability=0.25),
            change("wetness of pasta: wet -> ", **unsure),
        ],
    )
    for likely, reasons in ((True, ("another value is surer", "no value after")), (False, ("likely only",) * 2)):
        plan = make_plan("", [drain], [], likely=likely)
        (effect,) = plan.steps[0].effects
        assert (str(effect), effect.level, effect.probability) == ("location of pasta: in colander", "certain", 0.5)
        assert [(item.step, item.before, item.after, item.reason) for item in plan.left_out] == [
            ("drain", "", "in colander", "another value is surer"),
            ("drain", "in pot", "in sink", reasons[0]),
            ("drain", "wet", "", reasons[1]),
        ]


def test_likely_changes_count_if_one_says_so() -> None:
    heat = SourceStep(id="heat", label="heat", changes=[change("heat of pot: cold -> hot", level=Level.LIKELY)])
    assert make_plan("", [heat], []).steps[0].effects == ()
    assert make_plan("", [heat], [], likely=True).steps[0].effects[0].level is Level.LIKELY


@pytest.mark.parametrize(
    "before", ["lighter", "heavier", "Fuller", "more", "more full", "less money", "bigger", "drier"]
)
def test_relative_values_are_required_of_nothing(before: str) -> None:
    plan = plan_of(
        step("fill", "fullness of pot: empty -> full"),
        step("add", f"fullness of pot: {before} -> heavier"),
        step("drain", "fullness of pot: full -> empty"),
    )
    assert plan.steps[1].preconditions == ()
    assert list(map(str, plan.steps[1].ceases)) == ["fullness of pot: full"]
    # Whether it is still full, nobody says.
    assert [str(item.effect) for item in plan.contradictions] == ["fullness of pot: heavier"]


@pytest.mark.parametrize("value", ["full", "water", "under", "in container", "moreover", "lesser", "", "never more"])
def test_other_values_are_not_relative(value: str) -> None:
    assert not is_relative(value)


def test_a_supply_is_used_up_if_a_change_says_so() -> None:
    plan = plan_of(
        step("grease tin", supplies="butter", tools="tin brush"),
        step("melt butter", "state of matter of butter: solid -> liquid", supplies="butter"),
        step("add butter", "amount of butter: some -> used up", "existence of sun: gone", supplies="butter"),
        step("fry egg", supplies="Butter egg"),
        order=[("melt butter", "add butter")],
    )
    assert (plan.tools, plan.supplies, plan.things) == (("tin", "brush"), ("butter", "egg"), ("sun",))
    grease, melt, add, fry = plan.steps
    assert (grease.uses_up, melt.uses_up, add.uses_up) == ((), (), ("butter",))
    assert add.follows == ("grease tin", "melt butter")
    assert fry.supplies == ("egg",)
    (found,) = plan.contradictions
    assert (found.earlier, found.later) == ("add butter", "fry egg")
    assert str(found.effect) == "amount of butter: used up"
    assert found.required == Condition(entity="butter", attribute="availability", value="at hand")
    do(plan, plan.steps)


def test_steps_that_need_each_other_end() -> None:
    plan = plan_of(
        step("turn key", "position of key: in lock -> turned", "lock of door: locked -> unlocked"),
        step("put key", "position of key: in hand -> in lock", "lock of door: unlocked -> locked"),
    )
    # The first step has what it requires from the start; the second one contradicts it, once.
    assert [str(item.required) for item in plan.contradictions] == ["location of key: in hand"]
    assert plan.steps[1].follows == ("turn key",)


def test_no_steps_and_no_changes() -> None:
    assert make_plan("", [], []).steps == ()
    plan = HAND_MADE[-1].plan()
    assert [item.label for item in plan.steps] == ["wave", "smile"]
    assert (plan.initial, plan.contradictions, plan.things) == ((), (), ())


def test_ten_thousand_steps() -> None:
    chance = random.Random(0)

    def constraints(number: int) -> int:
        values = ("", "hot", "cold")
        steps = [
            SourceStep(
                id=str(place),
                label="heat",
                supplies=["water", "gas"],
                changes=[
                    SourceChange(entity=f"pot {chance.randrange(50)}", attribute="heat", before=before, after="hot")
                    for before in chance.sample(values, 2)
                ],
            )
            for place in range(number)
        ]
        pairs = [tuple(sorted(chance.sample(range(number), 2))) for _ in range(number)]
        plan = make_plan("heating", steps, [(str(earlier), str(later)) for earlier, later in pairs])
        assert len(plan.steps) == number
        return sum(len(item.follows) for item in plan.steps)

    few, many = constraints(1_000), constraints(10_000)
    assert 8 * few < many < 12 * few


@given(st.lists(st.text(max_size=3), max_size=6))
def test_things_are_folded(names: list[str]) -> None:
    plan = plan_of(SourceStep(id="1", label="a", tools=names, supplies=[name.upper() for name in names]))
    assert not {name.lower() for name in plan.tools} - set(plan.tools)
    assert not set(plan.tools) & set(plan.supplies)
