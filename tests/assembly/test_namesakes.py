"""Actions that name the whole scenario: they are none of its steps, and their passages are about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.pipeline import build_graph
from tests.assembly.built import Rows, graph_rows

TEXTS = [
    {"id": "1", "scenario": "making tea", "text": "I made some tea. I boiled the water. I poured it into a cup."},
    {"id": "2", "scenario": "making tea", "text": "I boiled the water. I made a sandwich. I made tea with milk."},
    {"id": "3", "scenario": "sewing a button", "text": "I took a needle. I sewed the button. I cut the thread."},
    {"id": "4", "scenario": "drinking", "text": "I made tea. I drank it."},
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    path: Path = tmp_path_factory.mktemp("namesakes") / "graph"
    build_graph(output=path, texts=TEXTS, extractors=["labels", "sentences", "events"])
    return graph_rows(path)


def test_they_are_no_steps_of_it(rows: Rows) -> None:
    scenarios = {row["id"]: row["label"] for row in rows["Scenario"]}
    steps: dict[object, set[object]] = {label: set() for label in scenarios.values()}
    for row in rows["SubEvent"]:
        steps[scenarios[row["scenario"]]].add(row["label"])
    assert "make tea" not in steps["making tea"]
    assert {"boil water", "make sandwich"} <= steps["making tea"]
    assert "make tea" in steps["drinking"]
    # The verb says what is done: it is the step, and not the name of several.
    assert "sew button" in steps["sewing a button"]


def test_their_passages_are_about_it(rows: Rows) -> None:
    scenarios = {row["id"]: row["label"] for row in rows["Scenario"]}
    passages = {row["id"]: row for row in rows["Passage"]}
    about = {
        (passages[row["from_id"]]["text"], scenarios[row["to_id"]]): row["confidence"]
        for row in rows["ABOUT"]
        if row["from_id"] in passages and passages[row["from_id"]]["kind"] == "mention"
    }
    assert about == {("made some tea", "making tea"): 1.0, ("made tea", "making tea"): 1.0}
    realized = {row["from_id"] for row in rows["REALIZES"]}
    assert not any(passages[row["from_id"]]["text"].startswith("made some") for row in rows["REALIZES"])
    assert realized <= passages.keys()
