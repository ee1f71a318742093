"""The order of steps on held-out descriptions: by hand, by brute force, and with a real build."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.steps.order import (
    ScenarioOrder,
    hold_out,
    order_scores,
    read_descriptions,
    score_order,
    similar_steps,
)
from schemas.errors import InputError
from schemas.records import Action, Document, EventMention, Passage, PassageKind
from tests.evaluation.figures import values


def _description(name: str, *steps: str, scenario: str = "cooking pasta") -> Document:
    passages = []
    text = ""
    for step in steps:
        passages.append(Passage(kind=PassageKind.STEP, start=len(text), end=len(text) + len(step)))
        text += step + "\n"
    return Document(name=name, format="descript", text=text, scenario=scenario, passages=passages)


def _events(document: Document) -> list[EventMention]:
    """One event for each step: its first word is the predicate, its second one the object."""
    events = []
    for passage in document.passages:
        words = document.text[passage.start : passage.end].split()
        action = Action(predicate=words[0], object=words[1])
        events.append(EventMention(action=action, start=passage.start, end=passage.end))
    return events


def _order(*edges: tuple[str, str], positions: dict[str, float] | None = None) -> ScenarioOrder:
    steps = sorted({step for edge in edges for step in edge} | set(positions or {}))
    graph = nx.DiGraph(edges)
    return ScenarioOrder({(step, "", "pasta"): step for step in steps}, graph, positions or dict.fromkeys(steps, 0.0))


def test_by_hand() -> None:
    held = _description("a", "boil pasta", "eat pasta", "drain pasta", "serve pasta")
    order = _order(("boil", "drain"), ("drain", "eat"), positions={"boil": 0.1, "drain": 0.5, "eat": 0.9})
    # Six pairs; boil-eat (by a path) and boil-drain are right, eat-drain is wrong, "serve" is unknown.
    found = values(score_order({"cooking pasta": order}, [(held, _events(held))]))
    assert found["order by PRECEDES coverage"] == 0.5
    assert found["order by PRECEDES accuracy"] == pytest.approx(2 / 3)
    assert found["order by mean position coverage"] == 0.5
    assert found["order by mean position accuracy"] == pytest.approx(2 / 3)


def test_unknown_scenarios_and_the_same_step_twice_are_not_covered() -> None:
    held = _description("a", "boil pasta", "boil pasta")
    other = _description("b", "boil pasta", "drain pasta", scenario="flying a kite")
    order = _order(("boil", "drain"))
    readings = [(document, _events(document)) for document in (held, other)]
    found = values(score_order({"cooking pasta": order}, readings))
    assert set(found.values()) == {0}


def test_steps_without_events_are_not_covered() -> None:
    held = _description("a", "boil pasta", "drain pasta")
    found = values(score_order({"cooking pasta": _order(("boil", "drain"))}, [(held, [])]))
    assert set(found.values()) == {0}


def test_ranks_decide_what_precedes_leaves_open() -> None:
    steps = [f"step{number:02d}" for number in range(20)]
    ranks = {step: number + 1 for number, step in enumerate(steps)}
    order = ScenarioOrder({}, nx.DiGraph([(steps[9], steps[0])]), {}, ranks)
    assert order.comes_first(steps[9], steps[0]) is True
    assert order.comes_first(steps[1], steps[5]) is True
    assert order.comes_first(steps[5], steps[1]) is False
    assert order.comes_first(steps[5], steps[6]) is None
    assert order.comes_first(steps[5], "unknown") is None


def test_unseen_actions_count_as_the_most_similar_ones() -> None:
    held = _description("a", "cook pasta", "drain pasta", "sing song")
    order = evolve(_order(("boil", "drain")), step_of_label={"boil pasta": "boil", "drain pasta": "drain"})
    directions = {"boil pasta": (100, 0), "cook pasta": (80, 20), "drain pasta": (0, 100), "sing song": (-50, 0)}
    readings = [(held, _events(held))]
    orders = {"cooking pasta": order}
    similar = similar_steps(orders, readings, lambda texts: np.array([directions[text] for text in texts], np.int8))
    assert similar == {("cooking pasta", "cook pasta"): "boil", ("cooking pasta", "drain pasta"): "drain"}
    found = values(score_order(orders, readings, similar))
    assert found["order by PRECEDES coverage"] == 0
    assert found["order by PRECEDES, similar steps coverage"] == pytest.approx(1 / 3)
    assert found["order by PRECEDES, similar steps accuracy"] == 1


pairs = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] < pair[1])


@given(st.sets(pairs, min_size=1))
def test_precedes_is_the_transitive_closure(edges: set[tuple[int, int]]) -> None:
    order = _order(*((str(first), str(second)) for first, second in edges))
    reached = set(edges)
    for middle in range(6):
        reached |= {(a, d) for a, b in reached for c, d in reached if b == middle == c}
    for first in range(6):
        for second in range(6):
            if first != second:
                expected = True if (first, second) in reached else False if (second, first) in reached else None
                assert order.precedes(str(first), str(second)) is expected


def test_a_fifth_of_each_scenario_is_held_out_and_the_seed_decides_which() -> None:
    documents = [_description(f"{n}", f"boil pasta{n}", scenario=f"scenario {n % 2}") for n in range(20)]
    kept, held = hold_out(documents, seed=1)
    assert (len(kept), len(held)) == (16, 4)
    assert {document.scenario for document in held} == {"scenario 0", "scenario 1"}
    assert {document.name for document in kept}.isdisjoint(document.name for document in held)
    assert hold_out(reversed(documents), seed=1) == (kept, held)
    assert any(hold_out(documents, seed=seed)[1] != held for seed in range(2, 6))


def test_through_a_real_build() -> None:
    steps = ("Boil the water.", "Add the pasta.", "Drain the pasta.", "Serve the pasta.")
    documents = [_description(f"{n}", *steps, f"Wash the pot {n} times.") for n in range(10)]
    found = values(order_scores(documents))
    assert found["order by PRECEDES accuracy"] == 1
    assert found["order by PRECEDES coverage"] == 1
    assert found["order by mean position accuracy"] == 1


def test_a_folder_without_descriptions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("I boiled the pasta.", encoding="utf-8")
    with pytest.raises(InputError, match="DeScript"):
        read_descriptions(tmp_path)
