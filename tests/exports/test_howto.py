"""Scenarios as HowTo of schema.org: what is written is read back as the same steps, tools and supplies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.scripts.reading import list_scenarios, read_script
from schemas.errors import StoreError
from schemas.records import Document, PassageKind
from tests.corpora.documents import passages
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph, write_graph


@pytest.fixture
def kitchen(tmp_path: Path) -> ScriptGraph:
    return kitchen_graph(tmp_path / "kitchen")


def read_back(folder: Path) -> dict[str, Document]:
    found = [item for file in find_files([folder]) for item in read_file(file)]
    assert all(isinstance(item, Document) for item in found)
    return {item.title: item for item in found if isinstance(item, Document)}


def test_the_same_steps_and_needs_come_back(kitchen: ScriptGraph, tmp_path: Path) -> None:
    report = export(kitchen, f"howto:{tmp_path / 'how-tos'}")
    documents = read_back(tmp_path / "how-tos")
    scenarios = [item for item in list_scenarios(kitchen) if item.sub_events]
    assert report.details == {"files": len(scenarios)}
    assert set(documents) == {item.label for item in scenarios}
    for scenario in scenarios:
        script = read_script(kitchen, scenario.label)
        steps = [step for step in script.steps if step.usual] or script.steps
        document = documents[scenario.label]
        assert passages(document, PassageKind.STEP) == [step.label for step in steps]
        needs = [need for need in script.needs if need.usual]
        tools = {need.label for need in needs if need.is_tool}
        assert tools <= {document.text[span.start : span.end] for span in document.declared.tools}
        supplies = {f"{need.amount} {need.label}" if need.amount else need.label for need in needs if not need.is_tool}
        assert {document.text[span.start : span.end] for span in document.declared.supplies} == supplies
    assert "500 g pasta" in documents["cooking pasta"].text


def test_what_is_written_is_schema_org(kitchen: ScriptGraph, tmp_path: Path) -> None:
    export(kitchen, f"howto:{tmp_path / 'how-tos'}")
    for path in (tmp_path / "how-tos").glob("*.jsonld"):
        content = json.loads(path.read_text("utf-8"))
        assert content["@context"] == "https://schema.org"
        assert content["@type"] == "HowTo"
        assert content["@id"].endswith(f"scenario/{path.stem}")
        assert [step["position"] for step in content["step"]] == list(range(1, len(content["step"]) + 1))
        for step in content["step"]:
            assert step["@type"] == "HowToStep"
            assert "/sub-event/" in step["@id"]
            assert all(tool["@type"] == "HowToTool" for tool in step["itemListElement"].get("tool", ()))
        assert {need["@type"] for need in content["supply"]} <= {"HowToSupply"}


def test_odd_graphs_and_empty_ones(tmp_path: Path) -> None:
    export(odd_graph(tmp_path / "odd"), f"howto:{tmp_path / 'out'}")
    for path in (tmp_path / "out").glob("*.jsonld"):
        assert json.loads(path.read_text("utf-8"))["step"]
    assert export(write_graph(tmp_path / "empty", {}), f"howto:{tmp_path / 'out'}").details == {"files": 0}
    assert not list((tmp_path / "out").glob("*.jsonld"))


def test_a_dry_run_writes_nothing_and_foreign_folders_stay(kitchen: ScriptGraph, tmp_path: Path) -> None:
    export(kitchen, f"howto:{tmp_path / 'out'}", ExportOptions(dry_run=True))
    assert not (tmp_path / "out").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("x")
    with pytest.raises(StoreError, match="was not made by an export"):
        export(kitchen, f"howto:{tmp_path / 'mine'}")
    assert (tmp_path / "mine/letter.txt").read_text() == "x"
