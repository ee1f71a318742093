"""The plans of the scripts that ship: a planner finds each, and it can be done in any order that it allows.

Without KGSCRIPTS_EXAMPLES, which `.ci/run` sets, some are drawn: all of them take minutes.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

import kgscripts
from kgscripts.scripts.reading import list_scenarios
from tests.planning.executing import any_order, do, solve

PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
def test_a_planner_solves_them(tmp_path: Path, part: int) -> None:
    graph = kgscripts.everyday()
    chance = random.Random(part)
    scenarios = list_scenarios(graph)
    assert len(scenarios) >= 250
    own = scenarios[part::PARTS]
    for scenario in own if "KGSCRIPTS_EXAMPLES" in os.environ else chance.sample(own, 1):
        plan = graph.script(scenario.iri, limit=0).plan()
        assert len(solve(plan, tmp_path)) == len(plan.steps), scenario.label
        do(plan, any_order(plan, chance))
