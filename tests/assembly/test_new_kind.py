"""A new kind of record is one class and the rules that use it: store, readers, evidence and partitions follow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import frozen

import schemas.script_graph
import schemas.tables
from kgscripts.assembly.counting import Relation, confidence_of
from kgscripts.assembly.rules import relations as rules
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from schemas import graph_types
from schemas.graph_types import Layer, RelationType
from schemas.records import Record
from schemas.script_graph import ScriptGraph
from tests.assembly.built import labels
from tests.assembly.tiny_reader import tiny, tiny_document


@frozen(kw_only=True)
class ToolWarning:
    """A text warns of a tool."""

    tool: str
    urgent: bool
    start: int
    end: int


@frozen
class _Warnings(Extractor):
    name = "warnings"
    rules = "1"
    task = "warnings"
    gives = (ToolWarning,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [
                ToolWarning(tool=match[1], urgent=bool(match[2]), start=match.start(), end=match.end())
                for match in re.finditer(r"Mind the (\w+)(!?)", item.document.text)
            ]
            for item in documents
        ]


def _warns_of(readers: Sequence[int]) -> Relation:
    """WARNS_OF: the probability is the share of the scenario's sources that warn urgently."""
    return Relation(
        name="WARNS_OF",
        start="scenario",
        end="tool",
        kinds=(ToolWarning,),
        cases=f"""
            SELECT s.scenario, s.scenario AS start, t.tool AS "end", w.document,
                   (w.document::BIGINT << 24) + w.ordinal AS mention, w.start AS first, w."end" AS last
                   {confidence_of(readers, "w", "CASE WHEN w.urgent THEN 1.0 ELSE 0.5 END")}
            FROM tool_warning_record w JOIN segment s USING (document) JOIN tool t ON t.label = w.tool
            WHERE in_partition(w.document) AND in_partition(s.document)
        """,
        joins="JOIN scenario_total t ON t.key = c.start",
        properties="share(c.support, t.support) AS probability",
    )


@pytest.fixture(autouse=True)
def _relation_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """The type WARNS_OF, and its rule."""
    kind = RelationType("WARNS_OF", "Warned of.", Layer.KNOWLEDGE, (("Scenario", "Tool"),), graph_types._KNOWLEDGE)
    monkeypatch.setitem(graph_types.RELATION_TYPES, "WARNS_OF", kind)
    for module in (schemas.tables, schemas.script_graph):
        monkeypatch.setattr(module, "TABLE_NAMES", (*schemas.tables.TABLE_NAMES, "WARNS_OF"))
    monkeypatch.setattr(rules, "RELATIONS", (*rules.RELATIONS, _warns_of))


def test_records_of_a_new_kind_become_statements(tmp_path: Path) -> None:
    texts = [
        tiny_document("Mind the knife! cut the bread with the knife. Mind the knife.", scenario="making a sandwich"),
        tiny_document("toast the bread with the toaster. Mind the toaster.", scenario="making a sandwich"),
        tiny_document("boil the water. Mind the kettle.", scenario="making tea"),
    ]
    build_graph(output=tmp_path, texts=texts, extractors=[*tiny(), _Warnings()])
    graph = ScriptGraph.open(tmp_path)
    rows = {
        name: list(graph.rows(name))
        for name in ("WARNS_OF", "Tool", "Statement", "EVIDENCED_BY", "READ_BY", "Model", "Passage", "WITHIN")
    }
    tools, passages = labels(rows, "Tool"), {row["id"]: row["text"] for row in rows["Passage"]}
    found = {tools[row["to_id"]]: row for row in rows["WARNS_OF"]}
    assert {tool: (row["support"], row["probability"]) for tool, row in found.items()} == {
        "knife": (1, 0.5),
        "toaster": (1, 0.5),
    }, "no text names a kettle as a tool"
    statement = found["knife"]["statement"]
    assert {passages[row["to_id"]] for row in rows["EVIDENCED_BY"] if row["from_id"] == statement} == {
        "Mind the knife!",
        "Mind the knife",
    }
    models = {row["id"]: row["name"] for row in rows["Model"]}
    assert [(models[row["to_id"]], row["score"]) for row in rows["READ_BY"] if row["from_id"] == statement] == [
        ("warnings", 1.0)
    ]
    assert statement in {row["id"] for row in rows["Statement"]}
