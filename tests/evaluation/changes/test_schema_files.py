"""The files of OpenPI 2.0: what is read, and what is refused."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.openpi.schema import (
    GOLD,
    SchemaProcedure,
    published_files,
    read_schema_answers,
    read_schema_gold,
)
from schemas.errors import InputError
from tests.evaluation.changes.kettle import ANSWER, PROCEDURE, write_folder, write_json


def _gold(folder: Path, content: object) -> dict[str, SchemaProcedure]:
    return read_schema_gold(write_json(folder / "gold.json", content))


def test_a_folder_has_a_gold_file_and_published_answers(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "v2.0")
    assert read_schema_gold(folder) == read_schema_gold(folder / GOLD)
    assert read_schema_gold(folder)["1"].entities["kettle"].names == {"kettle", "tea kettle"}
    assert [*published_files(folder)] == ["davinci", "LLaMA 7B"]
    assert published_files(folder / GOLD) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "bad.json: not a JSON object"),
        ('{"1": [{"kettle":\n ["heat"]', "bad.json: not JSON"),
        ("[]", "bad.json: not a JSON object"),
        ('{"1":' + "[" * 100_000, "cannot be read"),
        ("{}", "bad.json: the predictions are not those of the gold answers; missing: 1"),
        ({"1": ANSWER, "0": ANSWER, "x": []}, "extra: 0, x"),
        ('{"1": [{"kettle": ["heat"]}]}', "answers for 1 steps of procedure 1, but it has 2"),
        ({"1": {"kettle": ["heat"]}}, "not a list @ $['1']"),
        ({"1": [{}, ["kettle"]]}, "expected a mapping @ $['1'][1]"),
        ({"1": [{}, None]}, "expected a mapping @ $['1'][1]"),
        ({"1": [{"kettle": "heat"}, {}]}, "not a list @ $['1'][0]['kettle']"),
        ({"1": [{"kettle": ["heat", 1]}, {}]}, "not a string @ $['1'][0]['kettle']"),
        ({"1": [{"kettle": ["\ud800"]}, {}]}, "surrogate"),
        ({"1": [{"\ud800": []}, {}]}, "surrogate"),
    ],
)
def test_bad_answers_are_errors_that_say_where(tmp_path: Path, content: object, message: str) -> None:
    gold = _gold(tmp_path, {"1": PROCEDURE})
    with pytest.raises(InputError) as caught:
        read_schema_answers(write_json(tmp_path / "bad.json", content), gold)
    assert message in str(caught.value)
    assert caught.value.remedy


_EMPTY: dict[str, Any] = {"entity_cluster": [], "attribute_cluster": {}}


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
        ("", "gold.json: not a JSON object"),
        ("[]", "gold.json: not a JSON object"),
        ({}, "no procedures"),
        ({"1": []}, "@ $['1'].goal"),
        ({"1": _without("goal")}, "required field missing @ $['1'].goal"),
        ({"1": _without("goal", value=" ")}, "the goal or a step is missing"),
        ({"1": _without("steps")}, "required field missing @ $['1'].steps"),
        ({"1": _without("steps", value=[])}, "the goal or a step is missing"),
        ({"1": _without("steps", value=["Fill it.", ""])}, "the goal or a step is missing"),
        ({"1": _without("clusters")}, "required field missing @ $['1'].clusters"),
        ({"1": _without("clusters", "water")}, "no cluster for the entity 'water'"),
        ({"1": _without("clusters", "The Kettle", value=_EMPTY)}, "of a cluster is empty or occurs twice"),
        ({"1": _without("clusters", "the ", value=_EMPTY)}, "of a cluster is empty or occurs twice"),
        ({"1": _without("clusters", "water", "entity_cluster")}, "['water'].entity_cluster"),
        ({"1": _without("clusters", "water", "attribute_cluster")}, "['water'].attribute_cluster"),
        ({"1": _without("clusters", "water", "attribute_cluster", "temperature")}, "no cluster for the attribute"),
        ({"1": _without("states")}, "required field missing @ $['1'].states"),
        ({"1": _without("states", 0, "entity")}, "required field missing @ $['1'].states[0].entity"),
        ({"1": _without("states", 0, "answers")}, "required field missing @ $['1'].states[0].answers"),
        ({"1": _without("states", 0, "answers", "step1")}, 'the keys of "answers" are not step1 to step2'),
        ({"1": _without("states", 0, "answers", "step1", 0, value="full")}, "['step1'][0].attribute"),
        ({"1": _without("states", 0, "answers", "step1", 0, "attribute")}, "['step1'][0].attribute"),
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
