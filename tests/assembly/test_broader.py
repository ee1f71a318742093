"""BROADER: which tool the name of another one makes it a kind of, and which attributes are more general."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.assembly.writing.evidence import broader_name
from kgscripts.changes.attributes import attributes, broader_attribute
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from schemas.changes import Level
from schemas.records import Record, StateChange
from tests.assembly.built import graph_rows, labels
from tests.assembly.tiny_reader import tiny, tiny_document

TOOLS = {"pan", "cake pan", "round cake pan", "knife", "butter knife", "ice cream scoop", "scoop", "pin"}


@pytest.mark.parametrize(
    ("tool", "broader"),
    [
        ("cake pan", "pan"),
        ("round cake pan", "cake pan"),
        ("ice cream scoop", "scoop"),
        ("rolling pin", None),
        ("safety pin", None),
        ("pan", None),
        ("saucepan", None),
        ("pan lid", None),
        ("paper plate", None),
    ],
)
def test_the_longest_name_that_is_a_tool_counts(tool: str, broader: str | None) -> None:
    assert broader_name(tool, TOOLS) == broader


@pytest.mark.parametrize(
    ("attribute", "others", "broader"),
    [
        ("length", {"size", "color"}, "size"),
        ("tightness", {"pressure"}, "pressure"),
        ("fullness", {"contents"}, "contents"),
        ("posture", {"orientation", "location"}, "orientation"),
        ("posture", {"location"}, "location"),
        ("length", {"color"}, None),
        ("size", {"size", "length"}, None),
        ("never heard of", {"size"}, None),
    ],
)
def test_the_nearest_of_the_broader_attributes_counts(attribute: str, others: set[str], broader: str | None) -> None:
    assert broader_attribute(attribute, others) == broader


@pytest.mark.parametrize("name", attributes())
def test_broader_attributes_end_with_one_that_has_none(name: str) -> None:
    seen = {name}
    while name := attributes()[name].broader:
        assert name not in seen
        seen.add(name)


class Attributes(Extractor):
    """Finds that every document changes some attributes of a rope."""

    name = "attributes"
    rules = "1"
    task = "state changes"
    gives = (StateChange,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [
                StateChange(
                    entity="rope",
                    attribute=attribute,
                    before="",
                    after="new",
                    action=None,
                    start=passage.start,
                    end=passage.end,
                    mentioned=None,
                    probability=0.9,
                    level=Level.CERTAIN,
                )
                for passage in item.document.passages
                for attribute in ("posture", "longness", "size", "position", "never heard of")
            ]
            for item in documents
        ]


def test_a_graph_has_what_its_own_attributes_are_kinds_of(tmp_path: Path) -> None:
    document = tiny_document("stir the pot with the spoon.")
    build_graph(output=tmp_path, texts=[document], extractors=[*tiny(), Attributes()])
    rows = graph_rows(tmp_path)
    names = labels(rows, "Attribute")
    assert set(names.values()) == {"posture", "length", "size", "location", "never heard of"}
    assert {(names[row["from_id"]], names[row["to_id"]]) for row in rows["BROADER"]} == {
        ("length", "size"),
        ("posture", "location"),
    }
    assert validate(ScriptGraph.open(tmp_path), None, closed=True).conforms
