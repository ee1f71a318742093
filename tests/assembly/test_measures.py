"""The measures of mentions in a graph: properties of their passages, in RDF, and what a step takes in `show`."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from tests.assembly.built import graph_rows
from tests.commands import run

TEXT = "1. Put 200 g of flour and two eggs into a 23 cm tin.\n2. Bake the cake for 20 to 25 minutes.\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("measures") / "graph"
    given = [{"text": text, "scenario": "baking a cake"} for text in (TEXT, TEXT.replace("eggs", "ripe eggs"))]
    build_graph(output=path, texts=given, extractors=["labels", "sentences", "events"])
    return path


def test_a_passage_has_the_measures_of_its_mention(directory: Path) -> None:
    found = {
        row["text"]: (row["quantities"], row["sizes"], row["durations"])
        for row in graph_rows(directory)["Passage"]
        if row["kind"] == "mention"
    }
    assert found["Put 200 g of flour and two eggs into a 23 cm tin"] == (
        ["200 g flour", "two egg"],
        ["23 cm tin"],
        None,
    )
    assert found["Bake the cake"] == (None, None, ["20 to 25 minutes"])


def test_other_passages_have_none(directory: Path) -> None:
    rows = [row for row in graph_rows(directory)["Passage"] if row["kind"] != "mention"]
    assert rows
    assert all(row[name] is None for row in rows for name in ("quantities", "sizes", "durations"))


def test_the_graph_conforms(directory: Path) -> None:
    assert validate(ScriptGraph.open(directory)).conforms


def test_queries_find_durations(directory: Path) -> None:
    query = (Path(__file__).parents[2] / "docs/queries/durations.rq").read_text(encoding="utf-8")
    rows = [tuple(map(str, row)) for row in ScriptGraph.open(directory).query(query).rows]
    assert rows == [("bake cake", "20 to 25 minutes", "2")]


def test_show_tells_how_long_a_step_takes(directory: Path) -> None:
    assert "20 to 25 minutes" in run("show", directory, "baking a cake")
