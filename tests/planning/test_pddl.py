"""Plans as PDDL, read by the parser of unified-planning and solved by a planner."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgscripts
from kgscripts import Script
from kgscripts.planning.making import SourceChange, SourceStep
from kgscripts.planning.pddl import action_names, pddl_domain, pddl_problem
from kgscripts.planning.plan import Plan, PlanStep
from kgscripts.scripts.reading import list_scenarios
from tests.example_graph import example_graph
from tests.graphs import ODD_TEXTS
from tests.planning.executing import any_order, do, solve
from tests.planning.hand_made import HAND_MADE, plan_of, script, step
from tests.planning.random_scripts import Random, random_scripts

FORBIDDEN = [*ODD_TEXTS, "", " ", "2 eggs", "define", "OBJECT", "object", "at-hand", "thing", "ä", "Ä", "(", ";", "?a"]
"""Words that are no names of PDDL, or that are its own."""


def check(plan: Plan, order: tuple[tuple[str, str], ...], folder: Path) -> None:
    """Check that a planner finds an order of the steps, and that it is one that the script allows."""
    solution = solve(plan, folder)
    assert sorted(solution) == sorted(item.id for item in plan.steps)
    _check_order(solution, order)
    by_id = {item.id: item for item in plan.steps}
    do(plan, [by_id[item] for item in solution])


def _check_order(steps: Sequence[str], order: Iterable[tuple[str, str]]) -> None:
    places = {item: place for place, item in enumerate(steps)}
    assert all(places[earlier] < places[later] for earlier, later in order)


def test_a_planner_solves_the_scenarios_of_the_example_texts(tmp_path: Path) -> None:
    """It solves the shorter ones and the longest; each is done step by step in an order that is allowed."""
    graph = kgscripts.ScriptGraph.open(example_graph())
    scripts = [graph.script(scenario.iri, evidence=1) for scenario in list_scenarios(graph)]
    assert len(scripts) >= 18
    assert sum(any(item.changes for item in each.steps) for each in scripts) >= 15
    longest = max(scripts, key=lambda each: len(each.steps))
    solved = 0
    for each in scripts:
        plan = each.plan()
        assert [item.id for item in plan.steps] == [item.iri for item in each.steps]
        assert all(item.passages for item in plan.steps)
        assert list(action_names(plan).values()) == [item.id for item in plan.steps]
        order = any_order(plan, random.Random(7))
        _check_order([item.id for item in order], each.order)
        do(plan, order)
        # The time of the planner is that of reading PDDL, which grows with its length.
        if len(plan.steps) <= 9 or each is longest:
            check(plan, each.order, tmp_path)
            solved += 1
    assert solved >= 8


@pytest.mark.parametrize("each", HAND_MADE, ids=lambda each: each.label)
def test_a_planner_solves_scripts_with_contradictions_and_supplies(each: Script, tmp_path: Path) -> None:
    check(each.plan(), each.order, tmp_path)


def test_what_the_hand_made_scripts_show() -> None:
    tea, hands, parcel, *_ = (each.plan() for each in HAND_MADE)
    assert tea.supplies == ("water",)
    assert tea.steps[3].uses_up == ("water",)
    assert [str(item.required) for item in hands.contradictions] == []
    assert hands.steps[4].follows == (hands.steps[1].id,)
    assert [str(item.required) for item in parcel.contradictions] == ["availability of tape: at hand"]


@settings(max_examples=6)
@given(random_scripts(most=7))
def test_random_scripts_are_solved_in_their_order(tmp_path_factory: pytest.TempPathFactory, made: Random) -> None:
    check(made.plan(), tuple(made.order), tmp_path_factory.mktemp("random"))


@pytest.mark.parametrize("number", range(len(FORBIDDEN)))
def test_names_that_pddl_forbids(number: int, tmp_path: Path) -> None:
    odd = FORBIDDEN[number]
    steps = [
        SourceStep(
            id=f"{odd}{place}",
            label=odd,
            tools=[odd],
            changes=[SourceChange(entity=odd, attribute=odd, before=before, after=after)],
        )
        for place, (before, after) in enumerate(((odd, f"{odd} b"), (f"{odd} B", f"{odd}C"), (f"{odd}C", f"{odd}c")))
    ]
    plan = plan_of(*steps)
    domain = pddl_domain(plan)
    assert domain.isascii()
    assert all(line.isprintable() for line in domain.splitlines())
    check(plan, (), tmp_path)


def test_all_odd_names_at_once(tmp_path: Path) -> None:
    odd = [SourceChange(entity=one, attribute=other, after=one) for one in FORBIDDEN for other in FORBIDDEN]
    plan = plan_of(SourceStep(id="1", label="", tools=FORBIDDEN, changes=odd), step("x"))
    check(plan, (), tmp_path)


def test_requirements_and_predicates_are_those_of_strips() -> None:
    domain = pddl_domain(HAND_MADE[0].plan())
    assert "(:requirements :strips :typing)" in domain
    code = "\n".join(line.partition(" ;")[0] for line in domain.splitlines() if not line.lstrip().startswith(";"))
    preconditions = [part.partition(":effect")[0] for part in code.split(":precondition")[1:]]
    assert len(preconditions) == 4
    assert not any("(not" in part for part in preconditions)
    assert "(holds thing-water attribute-temperature value-hot)" in code
    assert "(at-hand thing-kettle)" in code


def test_contradictions_and_passages_are_comments_of_the_domain() -> None:
    plan = HAND_MADE[2].plan()
    domain = pddl_domain(plan)
    required, effect = '"availability of tape: at hand"', '"amount of tape: used up"'
    assert f"; requirement left out: {required}, since step-2-tape-the-box leaves {effect}\n" in domain
    assert '  ; passage: "tape the box." of "a.md"' in domain.splitlines()
    assert "(at-hand thing-tape)" not in domain.partition("do-3-")[2]


def test_no_steps(tmp_path: Path) -> None:
    assert solve(plan_of(), tmp_path) == []


def test_a_thousand_steps_are_as_many_actions() -> None:
    steps = [(f"wipe plate {number}", ["cleanliness of plate: clean -> dirty"]) for number in range(1_000)]
    plan = script("washing up", steps, needs="plate").plan()
    assert len(plan.contradictions) == 999
    domain, problem = pddl_domain(plan), pddl_problem(plan)
    assert (domain.count("(:action "), problem.count("(done ")) == (1_000, 1_000)
    assert len(domain) < 1_000_000


def test_actions_have_the_ids_of_their_steps() -> None:
    plan = Plan(title="a", steps=[PlanStep(id="x", label="stir"), PlanStep(id="y", label="stir")])
    assert action_names(plan) == {"do-1-stir": "x", "do-2-stir": "y"}


@given(st.text(max_size=5), st.text(max_size=5))
def test_equal_plans_are_equal_files(title: str, label: str) -> None:
    one, other = (plan_of(SourceStep(id=title, label=label)) for _ in range(2))
    assert (pddl_domain(one), pddl_problem(one)) == (pddl_domain(other), pddl_problem(other))
