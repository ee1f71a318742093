"""The files of OpenPI 2.0: what is read, and what is refused."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.openpi.schema import SchemaGold
from kgscripts.reproductions.openpi.schema_files import (
    GOLD,
    OVERGENERATED,
    published_files,
    read_schema_answers,
    read_schema_gold,
)
from schemas.errors import InputError
from tests.evaluation.changes.kettle import ANSWER, PROCEDURE, overgenerated, write_folder, write_json


def _gold(folder: Path, content: object) -> SchemaGold:
    [gold] = read_schema_gold(write_json(folder / "gold.json", content))
    return gold


def test_a_folder_has_two_gold_files_and_published_answers(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "v2.0")
    gold, more = read_schema_gold(folder)
    assert (gold.overgenerated, more.overgenerated) == (False, True)
    assert more.procedures["1"].clusters[1].names == ("water", "stove")
    assert [*published_files(folder)] == ["davinci", "LLaMA 7B"]
    assert published_files(folder / GOLD) == {}
    assert [each.overgenerated for each in read_schema_gold(folder / OVERGENERATED)] == [True]
    write_json(folder / OVERGENERATED, {"2": overgenerated(PROCEDURE)})
    with pytest.raises(InputError, match="its procedures are not those of"):
        read_schema_gold(folder)


_ONE_STEP = '{"1": [{"kettle": ["heat"]}]}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad.json:1: not JSON"),
        ('{"1": [{"kettle":\n ["heat"]', "bad.json:2: not JSON"),
        ("[]", "bad.json: not a JSON object"),
        ("NaN", "bad.json: not a JSON object"),
        ("[" * 100_000, "cannot be read"),
        ("{}", "1 procedures are missing, such as 1; the gold data has 1"),
        ({"1": ANSWER, "0": ANSWER, "x": []}, "2 procedures are unknown, such as 0, x"),
        ('{"1": [], "1": []}', "the key '1' occurs twice"),
        (_ONE_STEP, "procedure '1': answers for 1 steps, but it has 2"),
        ({"1": {"kettle": ["heat"]}}, "procedure '1': not a list"),
        ({"1": [{}, ["kettle"]]}, "procedure '1', step 2: not a JSON object"),
        ({"1": [{}, None]}, "step 2: not a JSON object"),
        ({"1": [{"kettle": "heat"}, {}]}, "step 1, entity 'kettle': not a list"),
        ({"1": [{"kettle": ["heat", 1]}, {}]}, "step 1, entity 'kettle', item 2: not a string"),
        ({"1": [{"kettle": ["\ud800"]}, {}]}, "surrogate"),
        ({"1": [{"\ud800": []}, {}]}, "surrogate"),
    ],
)
def test_bad_answers_are_errors_that_say_where(tmp_path: Path, content: object, message: str) -> None:
    gold = _gold(tmp_path, {"1": PROCEDURE})
    with pytest.raises(InputError) as caught:
        read_schema_answers(write_json(tmp_path / "bad.json", content), gold.procedures)
    assert message in str(caught.value)
    assert caught.value.remedy


def _without(*path: Any, value: object = None) -> dict[str, Any]:
    """The procedure with another value at a path; None removes it."""
    changed = deepcopy(PROCEDURE)
    *parents, key = path
    inner: Any = changed
    for parent in parents:
        inner = inner[parent]
    if value is None:
        del inner[key]
    else:
        inner[key] = value
    return changed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("[]", "gold.json: not a JSON object"),
        ({}, "no procedures"),
        ({"1": []}, "procedure '1': not a JSON object"),
        ({"1": _without("goal")}, "procedure '1', goal: not a string"),
        ({"1": _without("goal", value=" ")}, "procedure '1', goal: empty"),
        ({"1": _without("steps")}, "procedure '1', steps: not a list"),
        ({"1": _without("steps", value=[])}, "procedure '1': no steps"),
        ({"1": _without("steps", value=["Fill it.", ""])}, "steps, step 2: empty"),
        ({"1": _without("clusters")}, "clusters: not a JSON object"),
        ({"1": _without("clusters", "water")}, "state 2: no cluster for the entity 'water'"),
        ({"1": _without("clusters", "The Kettle", value={})}, "'kettle' of a cluster is empty or occurs twice"),
        ({"1": _without("clusters", "the ", value={})}, "'' of a cluster is empty or occurs twice"),
        ({"1": _without("clusters", "water", "entity_cluster")}, "cluster 'water', entity_cluster: not a list"),
        ({"1": _without("clusters", "water", "attribute_cluster")}, "attribute_cluster: not a JSON object"),
        ({"1": _without("clusters", "water", "attribute_cluster", "temperature")}, "no cluster for the attribute"),
        ({"1": _without("states")}, "states: not a list"),
        ({"1": _without("states", 0, "entity")}, "state 1, entity: not a string"),
        ({"1": _without("states", 0, "answers")}, "state 1, answers: not a JSON object"),
        ({"1": _without("states", 0, "answers", "step1")}, 'the keys of "answers" are not step1 to step2'),
        ({"1": _without("states", 0, "answers", "step1", value={})}, "answers, 'step1': not a list"),
        ({"1": _without("states", 0, "answers", "step1", 0, value="full")}, "change 1: not a JSON object"),
        ({"1": _without("states", 0, "answers", "step1", 0, "attribute")}, "change 1, attribute: not a string"),
        (
            {"1": overgenerated(PROCEDURE), "2": PROCEDURE},
            "cluster 'kettle', attribute_cluster, attribute 'fullness': not a JSON object",
        ),
    ],
)
def test_bad_gold_data_are_errors_that_say_where(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        _gold(tmp_path, content)
    assert message in str(caught.value)
    assert caught.value.remedy


def test_files_that_are_missing_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=GOLD):
        read_schema_gold(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_schema_answers(tmp_path / "none.json", {})
    (tmp_path / "latin.json").write_bytes(b'{"\xe9": []}')
    with pytest.raises(InputError, match="cannot be read"):
        read_schema_answers(tmp_path / "latin.json", {})
