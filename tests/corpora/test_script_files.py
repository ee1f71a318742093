"""Written scripts as input: what files say is what the graph has, and what is wrong is named with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from kgscripts import ScriptGraph
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scripts.format import Step, StepParticipant, StepTool, written_script_schema
from kgscripts.corpora.scripts.reader import written_script
from kgscripts.extractors.scripts import action_of
from kgscripts.pipeline import build_graph
from schemas.errors import InputError
from schemas.records import Discard, Document, Role, ToolRole

SCRIPT: dict[str, Any] = {
    "scenario": "boiling an egg",
    "also": ["cooking an egg in its shell"],
    "licence": "CC0-1.0",
    "needs": [
        {"thing": "egg", "kind": "supply", "amount": "1"},
        {"thing": "pot", "kind": "tool", "instead": ["saucepan"]},
        {"thing": "timer", "kind": "tool", "optional": True},
    ],
    "steps": [
        {
            "id": "fill-pot",
            "name": "fill the pot with water",
            "importance": "essential",
            "tools": [{"thing": "pot", "role": "container"}],
            "changes": [{"entity": "pot", "attribute": "fullness", "before": "empty", "after": "full"}],
        },
        {
            "id": "set-timer",
            "name": "set the timer",
            "importance": "optional",
            "tools": [{"thing": "timer"}],
            "participants": [{"thing": "timer"}],
        },
        {
            "id": "put-egg",
            "name": "put the egg into the water",
            "importance": "essential",
            "participants": [{"thing": "egg"}, {"thing": "water", "role": "place"}],
            "changes": [{"entity": "egg", "attribute": "location", "before": "in the fridge", "after": "in the water"}],
        },
        {"id": "take-egg", "name": "take out the egg", "participants": [{"thing": "egg"}]},
    ],
    "order": ["fill-pot < put-egg < take-egg"],
}


def _written(folder: Path, content: Any, suffix: str = "yaml") -> Path:
    path = folder / f"egg.{suffix}"
    path.write_text(yaml.safe_dump(content, sort_keys=False) if suffix == "yaml" else json.dumps(content, indent=1))
    return path


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_graph_says_what_the_script_says(tmp_path: Path, suffix: str) -> None:
    path = _written(tmp_path, SCRIPT, suffix)
    build_graph([path], output=tmp_path / "graph")
    graph = ScriptGraph.open(tmp_path / "graph")
    script = graph.script("boiling an egg", all_steps=True)
    assert [step.label for step in script.steps] == [step["name"] for step in SCRIPT["steps"]]
    fill, timer, put, take = script.steps
    assert [step.essential for step in script.steps] == [True, False, True, False]
    assert [step.optional for step in script.steps] == [False, True, False, False]
    assert [(tool.label, tool.role) for tool in fill.tools] == [("pot", "container")]
    assert [(c.attribute, c.entity, c.before, c.after) for c in put.changes] == [
        ("location", "egg", "in the fridge", "in the water")
    ]
    assert set(script.order) == {(fill.iri, put.iri), (put.iri, take.iri)}
    assert all(pair.required for pair in script.precedes)
    assert timer.usual
    assert take.usual


def test_steps_that_differ_in_a_word_are_different_steps(tmp_path: Path) -> None:
    """Also such as the merging of steps takes for one, and such as have the same verb, thing and place."""
    names = ["start the engine of the working car", "start the engine of the dead car", "start the dead car"]
    names += ["clamp red to the dead battery", "clamp red to the good battery", "open the hood", "close the hood"]
    steps = [
        {"id": f"s{number}", "name": name, "participants": [{"thing": "engine"}] if "engine" in name else []}
        for number, name in enumerate(names)
    ]
    path = _written(tmp_path, {"scenario": "jump-starting a car", "steps": steps})
    build_graph([path], output=tmp_path / "graph")
    script = ScriptGraph.open(tmp_path / "graph").script("jump-starting a car", all_steps=True)
    assert [step.label for step in script.steps] == names


def test_a_step_that_names_the_whole_stays(tmp_path: Path) -> None:
    steps = [{"id": "go", "name": "go to the party", "participants": [{"thing": "party", "role": "place"}]}]
    build_graph([_written(tmp_path, {"scenario": "going to a party", "steps": steps})], tmp_path / "graph")
    assert [step.label for step in ScriptGraph.open(tmp_path / "graph").script("going to a party").steps] == [
        "go to the party"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"steps": []}, "steps"),
        ({"order": ["fill-pot < cook"]}, "cook"),
        ({"order": ["fill-pot < put-egg", "put-egg < fill-pot"]}, "circle"),
        ({"colour": "red"}, "colour"),
        ({"needs": [{"thing": "egg", "kind": "food"}]}, "kind"),
        ({"steps": [{"id": "a", "name": "boil the egg"}, {"id": "a", "name": "eat the egg"}], "order": []}, "ids"),
        (
            {
                "steps": [
                    {
                        "id": "a",
                        "name": "boil the egg",
                        "changes": [{"entity": "egg", "attribute": "softness", "before": "raw", "after": "hard"}],
                    }
                ],
                "order": [],
            },
            "softness",
        ),
        ({"scenario": " "}, "scenario"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = _written(tmp_path, SCRIPT | change)
    (found,) = read_file(InputFile(path, path.name))
    assert isinstance(found, Discard)
    assert message in found.detail
    assert found.where == "egg.yaml:1"


@pytest.mark.parametrize(
    ("text", "line"),
    [("scenario: tea\nsteps: [\n", 3), ("- a\n- b\n", 1), ("scenario: &a [*a]\nsteps: 1\n", 1), ("a: b: c", 1)],
)
def test_what_is_no_script_is_a_discard_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "tea.yaml"
    path.write_text(text)
    (found,) = read_file(InputFile(path, path.name))
    assert isinstance(found, Discard)
    assert found.where == f"tea.yaml:{line}"


def test_values_are_words_as_they_are_written() -> None:
    text = (
        "scenario: tea\nneeds: [{thing: 7, kind: tool, amount: 1:30, optional: true}]\nsteps:\n- {id: a, name: off}\n"
    )
    script, _ = written_script(text, "tea.yaml")
    (need,) = script.needs
    assert (need.thing, need.amount, need.optional, script.steps[0].name) == ("7", "1:30", True, "off")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scenario: tea\nabout: &a [x]\nalso: *a\nsteps: []\n", "alias"),
        ("scenario: tea\nscenario: coffee\nsteps: []\n", "twice"),
        ("scenario: tea\ngenerated: maybe\nsteps: [{id: a, name: boil}]\n", "neither true nor false"),
        ("", "no keys"),
    ],
)
def test_what_could_be_misread_is_an_error(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        written_script(text, "tea.yaml")


def test_files_are_valid_by_the_schema() -> None:
    validator = jsonschema.Draft202012Validator(written_script_schema())
    assert list(validator.iter_errors(SCRIPT)) == []
    wrong = SCRIPT | {
        "steps": [{"id": "a", "name": "b", "changes": [{"entity": "c", "attribute": "none", "after": "d"}]}]
    }
    assert [error.json_path for error in validator.iter_errors(wrong)] == ["$.steps[0].changes[0].attribute"]
    assert list(validator.iter_errors({"scenario": "no steps"}))


def test_values_have_their_place_in_the_file(tmp_path: Path) -> None:
    text = _written(tmp_path, SCRIPT).read_text()
    script, places = written_script(text, "egg.yaml")
    for number, step in enumerate(script.steps):
        span = places["steps"][number]["name"].span
        assert text[span.start : span.end].strip("'\"") == step.name


def test_a_file_is_a_document_without_parsed_passages(tmp_path: Path) -> None:
    path = _written(tmp_path, SCRIPT)
    (document,) = read_file(InputFile(path, path.name))
    assert isinstance(document, Document)
    assert (document.format, document.scenario, document.licence) == ("script", "boiling an egg", "CC0-1.0")
    assert {passage.kind for passage in document.passages} == {"script"}
    texts = [document.text[passage.start : passage.end] for passage in document.passages]
    assert texts[0] == "boiling an egg"
    assert [text.splitlines()[0] for text in texts[4:]] == [f"id: {step['id']}" for step in SCRIPT["steps"]]
    assert not any(text[-1].isspace() for text in texts)


def _step(name: str, *things: str, tools: tuple[str, ...] = (), place: str = "") -> Step:
    participants = [StepParticipant(thing=thing) for thing in things]
    participants += [StepParticipant(thing=place, role=Role.PLACE)] if place else []
    own = tuple(StepTool(thing=tool, role=ToolRole.INSTRUMENT) for tool in tools)
    return Step(id="a", name=name, participants=tuple(participants), tools=own)


@pytest.mark.parametrize(
    ("step", "key"),
    [
        (_step("fill the pot with water", tools=("pot",)), ("fill", "", "pot", "", "")),
        (_step("turn on the hazard lights", "hazard light"), ("turn", "on", "hazard light", "", "")),
        (_step("put the egg into the water", "egg", place="water"), ("put", "", "egg", "into", "water")),
        (_step("sit on the bench", place="bench"), ("sit", "", "", "on", "bench")),
        (
            _step("take the spare tire out of the trunk", "spare tire", place="trunk"),
            ("take", "", "spare tire", "of", "trunk"),
        ),
        (_step("dry the car with a towel", "car", tools=("towel",)), ("dry", "", "car", "with", "towel")),
        (_step("wait"), ("wait", "", "", "", "")),
    ],
)
def test_the_action_of_a_name(step: Step, key: tuple[str, ...]) -> None:
    assert action_of(step).key == key
