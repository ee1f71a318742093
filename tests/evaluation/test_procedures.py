"""Scores on procedures that others annotated: in their form, with gold that is written here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.events.procedures import evaluate_procedures, read_annotated
from schemas.errors import ConfigurationError, InputError
from tests.commands import run

STEPS = ["Cut the rope with a knife.", "Pour the water onto the lawn."]


def _record(name: str, id: str, **further: Any) -> Mapping[str, Any]:
    """A text of two actions: cut rope (with a knife), pour water."""
    text = "\n".join(STEPS)

    def span(label: str, word: str) -> list[Any]:
        start = text.index(word)
        return [label, start, start + len(word)]

    labels = {"wikihow-fg": ("Ae", "I", "T", "Targ"), "wet-lab": ("Action", "Reagent", "Device", "Acts-on")}
    action, thing, tool, link = labels[name]
    spans = [span(action, "Cut"), span(thing, "rope"), span(tool, "knife"), span(action, "Pour"), span(thing, "water")]
    return {
        "id": id,
        "set": name,
        "domain": "home",
        "title": "How to cut",
        "steps": STEPS,
        "text": text,
        "spans": spans,
        "links": [[link, 1, 0], [link, 4, 3]],
        **further,
    }


def _write(folder: Path, name: str, records: Sequence[Mapping[str, Any]]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_the_last_fifth_is_scored_by_events_tools_and_objects(tmp_path: Path) -> None:
    _write(tmp_path, "wikihow-fg", [_record("wikihow-fg", str(number)) for number in range(5)])
    (found,) = evaluate_procedures(tmp_path, None)
    assert found.items == {"texts": 1, "actions": 2}
    events = found.system("events")
    metrics = ("action recall", "action precision", "tool recall", "tool precision", "object_right")
    assert [events[metric] for metric in metrics] == [1.0] * 5
    assert found.system("reader, own layer of the set")["action recall"] == 1.0
    (whole,) = evaluate_procedures(tmp_path, None, "all")
    assert whole.items == {"texts": 5, "actions": 10}


def test_what_is_annotated_and_not_in_the_text_of_the_steps_is_missed(tmp_path: Path) -> None:
    other = _record("wet-lab", "1")
    text = other["text"] + "\nThe tube is blue."
    wrong = {**other, "text": text, "spans": [*other["spans"], ["Action", text.index("blue"), text.index("blue") + 4]]}
    _write(tmp_path, "wet-lab", [wrong])
    (found,) = evaluate_procedures(tmp_path, None, "all")
    assert found.system("events")["action recall"] == pytest.approx(2 / 3)


def test_tools_of_a_toolbox_count_where_the_text_names_them(tmp_path: Path) -> None:
    record = {
        "id": "1",
        "set": "myfixit",
        "domain": "Phones",
        "title": "",
        "steps": STEPS,
        "tools": ["Knife", "Spudger"],
    }
    (text,) = read_annotated(_write(tmp_path, "myfixit", [record]))
    assert text.tools == {"knife"}


def test_processes_are_scored_beside_the_answers_of_language_models(tmp_path: Path) -> None:
    text = "The clerk checks the order . The order is archived ."
    mentions = [["Activity", "checks", 0], ["Activity Data", "the order", 0], ["Activity", "archived", 1]]
    _write(
        tmp_path, "pet", [{"id": "a", "set": "pet", "domain": "b", "title": None, "text": text, "mentions": mentions}]
    )
    answers = [{"id": "a", "model": "gpt", "mentions": [["activity", "checks"], ["activity", "sends"]]}]
    _write(tmp_path, "pet-predictions", answers)
    (found,) = evaluate_procedures(tmp_path, None)
    gpt = found.system("gpt")
    assert (gpt["activity recall"], gpt["activity precision"]) == (0.5, 0.5)
    assert found.system("events")["activity precision"] == 1.0


def test_bad_input_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no annotated procedures"):
        evaluate_procedures(tmp_path, None)
    good = json.dumps(_record("wet-lab", "1"))
    for bad in ("{", "[]", '{"id": "1"}', json.dumps({**_record("wet-lab", "1"), "links": [["Acts-on", 9, 0]]})):
        path = tmp_path / "wet-lab.jsonl"
        path.write_text(f"{good}\n{bad}\n", encoding="utf-8")
        with pytest.raises(InputError) as error:
            read_annotated(path)
        assert error.value.where == f"{path}:2"


def test_the_command_prints_the_sets_and_refuses_another_split(tmp_path: Path) -> None:
    _write(tmp_path, "wikihow-fg", [_record("wikihow-fg", str(number)) for number in range(5)])
    assert "action recall" in run("evaluate", "procedures", tmp_path)
    with pytest.raises(ConfigurationError, match="no split 'dev'"):
        run("evaluate", "procedures", tmp_path, "--split", "dev")
