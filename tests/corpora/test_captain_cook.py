"""Task graphs and recordings of cooking are read, and what is wrong with a file is said with its entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.corpora.captain_cook import CookingStep, read_activities
from schemas.errors import InputError
from tests.corpora.cooking import recording, task_graph, write_cooking


def test_steps_are_in_the_order_in_which_they_were_begun(tmp_path: Path) -> None:
    (activity,) = read_activities(write_cooking(tmp_path))
    assert activity.name == "egg soup"
    assert [step.sentence for step in activity.steps] == [
        "Peel the onion",
        "Chop the onion",
        "Boil the water",
        "Add 2 eggs to the pot",
    ]
    assert sorted(activity.graph.edges) == [(0, 1), (2, 3)]
    second = activity.recordings[1]
    assert second.steps == tuple(activity.steps[place] for place in (2, 3, 0, 1))
    document = activity.documents()[1]
    assert document.scenario == "make egg soup"
    told = [document.text[passage.start : passage.end] for passage in document.passages]
    assert told == [step.sentence for step in second.steps]
    assert len({document.digest for document in activity.documents()}) == 5  # also of equal steps


@pytest.mark.parametrize(
    ("description", "verb", "sentence"),
    [
        ("Chop-Chop 1 scallion", "chop", "Chop 1 scallion"),
        ("Add-1 egg to a blender", "add", "Add 1 egg to a blender"),
        ("Coat -Coat a 6-oz. cup", "coat", "Coat a 6-oz. cup"),
        ("add-Measure the salt and add it", "add", "Measure the salt and add it"),
        ("top-the topping", "top", "top the topping"),
        ("check-Once it boils, check: 195-205", "check", "Once it boils, check: 195-205"),
        ("Stir the pot", "stir", "Stir the pot"),
    ],
)
def test_a_sentence_has_its_verb(description: str, verb: str, sentence: str) -> None:
    assert CookingStep.of(description) == CookingStep(verb, sentence)


def test_recordings_of_other_activities_are_left_out(tmp_path: Path) -> None:
    told = {"1": recording("1234"), "2": recording("12", activity="Toast")}
    assert [len(item.recordings) for item in read_activities(write_cooking(tmp_path, recordings=told))] == [1]


_STEP = {"start_time": 1.0, "description": "Eat-Eat it"}


@pytest.mark.parametrize(
    ("graph", "told", "message"),
    [
        ("{\n  x", None, "eggsoup.json: not JSON"),
        ("[]", None, "eggsoup.json: not a JSON object"),
        ("[" * 100_000, None, "eggsoup.json: not a JSON object"),
        ({"steps": {}}, None, "eggsoup.json: required field missing @ $.edges"),
        (task_graph({"x": "Eat-Eat"}), None, "eggsoup.json: step 'x' has no number"),
        (task_graph({"1": " "}), None, "eggsoup.json: step '1' has no number and description"),
        (task_graph(edges=[[1, 9]]), None, "the edge [1, 9] does not join the numbers of two steps"),
        (task_graph(edges=[[1]]), None, "the edge [1] does not join"),
        (task_graph(edges=[[1, True]]), None, "eggsoup.json: not a whole number @ $.edges[0][1]"),
        (task_graph(edges=[[1, 2], [2, 1]]), None, "the steps 1 -> 2 precede each other in a circle"),
        (None, {}, "eggsoup.json: no recording of this activity"),
        (None, {"7": []}, "recordings.json: list indices must be integers"),
        (None, {"7": {"activity_name": "", "steps": []}}, "recordings.json: "),
        (
            None,
            {"7": {"activity_name": "Egg Soup", "steps": [_STEP, {}]}},
            "required field missing @ $['7'].steps[1].start_time",
        ),
        (
            None,
            {"7": {"activity_name": "Egg Soup", "steps": [{**_STEP, "start_time": True}]}},
            "not a number @ $['7'].steps[0].start_time",
        ),
        (None, {"7": {"activity_name": "Egg Soup", "steps": [{**_STEP, "start_time": -1}]}}, "none of its steps"),
    ],
)
def test_bad_files(tmp_path: Path, graph: Any, told: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_activities(write_cooking(tmp_path, graph, told))
    assert message in str(caught.value)
    assert caught.value.remedy


def test_a_folder_without_task_graphs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no task graphs"):
        read_activities(tmp_path)


def test_the_development_half_is_read(shared_corpora: Path) -> None:
    activities = read_activities(shared_corpora / "captaincook")
    assert (len(activities), sum(len(activity.recordings) for activity in activities)) == (12, 199)
    assert sum(len(activity.steps) for activity in activities) == 191
    told = {step for activity in activities for item in activity.recordings for step in item.steps}
    assert all(step in told for activity in activities for step in activity.steps)
