"""Doing plans: by a planner that is no part of kgscripts, and step by step."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from unified_planning.io import PDDLReader
from unified_planning.shortcuts import OneshotPlanner, get_environment

from kgscripts.planning.pddl import action_names, pddl_domain, pddl_problem
from kgscripts.planning.plan import Plan, PlanStep


def solve(plan: Plan, folder: Path) -> list[str]:
    """The ids of the steps in the order in which a planner does them, which reads the plan as PDDL."""
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(pddl_domain(plan), encoding="ascii")
    problem.write_text(pddl_problem(plan), encoding="ascii")
    return solve_files(domain, problem, action_names(plan))


def solve_files(domain: Path, problem: Path, names: Mapping[str, str]) -> list[str]:
    get_environment().credits_stream = None
    read = PDDLReader().parse_problem(str(domain), str(problem))
    with OneshotPlanner(name="pyperplan") as planner:
        found = planner.solve(read).plan
    assert found is not None
    return [names[done.action.name] for done in found.actions]


def any_order(plan: Plan, chance: random.Random) -> list[PlanStep]:
    """The steps in one of the orders that `follows` allows."""
    left = {item.id: item for item in plan.steps}
    found = []
    while left:
        possible = [item for item in left.values() if not any(other in left for other in item.follows)]
        found.append(left.pop(chance.choice(possible).id))
    return found


def do(plan: Plan, steps: Sequence[PlanStep]) -> set[tuple[str, ...]]:
    """What holds after the steps, if each requires only what holds before it."""
    holding: set[tuple[str, ...]] = {(item.entity, item.attribute, item.value) for item in plan.initial}
    holding |= {(thing,) for thing in (*plan.tools, *plan.supplies)}
    for item in steps:
        required: set[tuple[str, ...]] = {(each.entity, each.attribute, each.value) for each in item.preconditions}
        required |= {(thing,) for thing in (*item.tools, *item.supplies)}
        assert required <= holding, item
        ended = {(each.entity, each.attribute, each.value) for each in item.ceases}
        holding -= ended | {(thing,) for thing in item.uses_up}
        holding |= {(each.entity, each.attribute, each.value) for each in item.effects}
        states = [each[:2] for each in holding if len(each) == 3]
        assert len(states) == len(set(states)), "an attribute of an entity has one value"
    return holding
