"""Every answer of the JSON addresses fits the schema that the server gives of it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import attrs
import jsonschema
import pytest

from exports import answers
from exports.serve.api import ADDRESSES, Address, description
from kgscripts import ScriptGraph
from kgscripts.scripts.types import script_schema
from tests.exports.serve.conftest import Server
from tests.graphs import odd_graph

GIVEN = {
    "scenario": "cooking pasta",
    "step": "drain pasta",
    "name": "colander",
    "question": "pasta",
    "action": "dry the noodles",
}


def required(address: Address) -> dict[str, str]:
    return {item.name: GIVEN[item.name] for item in address.parameters if item.default is None}


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda address: address.name)
def test_an_answer_is_that_of_python_and_fits_its_schema(
    server: Server, kitchen: ScriptGraph, address: Address
) -> None:
    document = json.loads(server.ask("GET", "/api/openapi.json").body)
    described = document["paths"][f"/api/{address.name}"]["get"]
    answered = described["responses"]["200"]["content"]["application/json"]["schema"]
    given = required(address)
    assert sorted(given) == sorted(item["name"] for item in described["parameters"] if item["required"])
    found = server.ask("GET", f"/api/{address.name}?{urlencode(given)}")
    assert (found.status, found.headers["content-type"]) == (200, "application/json")
    content = json.loads(found.body)
    jsonschema.validate(content, answered | {"components": document["components"]})
    values = address.values({name: [value] for name, value in given.items()})
    assert content == json.loads(json.dumps(attrs.asdict(address.answer(kitchen, **values))))
    assert any(content.values())
    for name in given:
        left = {other: value for other, value in given.items() if other != name}
        refused = server.ask("GET", f"/api/{address.name}?{urlencode(left)}")
        assert refused.status == 400
        assert name in refused.text


def test_a_script_fits_the_schema_of_scripts(server: Server) -> None:
    jsonschema.validate(json.loads(server.ask("GET", "/api/script?scenario=cooking+pasta").body), script_schema())


def test_schemas_of_one_name_are_one_schema() -> None:
    known: dict[str, Any] = {}
    for address in ADDRESSES:
        for name, schema in address.schema()["$defs"].items():
            assert known.setdefault(name, schema) == schema
    assert sorted(known) == list(description("1")["components"]["schemas"])


def test_answers_about_odd_texts_fit_their_schemas(tmp_path: Any) -> None:
    graph = odd_graph(tmp_path / "odd")
    for scenario in answers.scenarios(graph).scenarios:
        for address in ADDRESSES:
            if [item.name for item in address.parameters if item.default is None] == ["scenario"]:
                values = address.values({"scenario": [scenario.iri]})
                content = json.loads(json.dumps(attrs.asdict(address.answer(graph, **values))))
                jsonschema.validate(content, address.schema())


def test_a_passage_is_in_its_text(kitchen: ScriptGraph) -> None:
    found = answers.passage(kitchen, "cooking pasta", "drain pasta", 3)
    assert found.step == "drain pasta"
    assert found.passages
    assert all(each.words in each.text for each in found.passages)


def test_changes_of_a_step_are_those_of_the_scenario(kitchen: ScriptGraph) -> None:
    every = answers.changes(kitchen, "cooking pasta", "", 20)
    one = next(each for each in every.steps if each.changes)
    assert answers.changes(kitchen, "cooking pasta", one.iri, 20).steps == [one]
