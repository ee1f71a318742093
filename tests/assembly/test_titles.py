"""Scenarios by several names in the graph; `test_order_independence` has them in partitions."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from kgscripts.pipeline import build_graph
from schemas.records import Document
from schemas.vocabulary import node_id
from tests.assembly.built import graph_bytes, graph_rows
from tests.assembly.tiny_reader import tiny, tiny_document

NAMES = ["washing the dog", "washing the dog", "bathing a dog", "wash a dog properly", "wash your dog", "wash a cat"]
NAMES += ["planting a tree", "repotting a plant", "repotting the fern"]


def documents(names: list[str]) -> list[Document]:
    """A text for each name."""
    words = ("water", "pasta", "spoon")
    return [
        tiny_document(f"boil the {words[number % 3]}. add the {words[number % 2]}{number}.", scenario=name)
        for number, name in enumerate(names)
    ]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("titles") / "graph"
    build_graph(output=directory, texts=documents(NAMES), extractors=tiny())
    return directory


def test_names_of_one_activity_are_one_scenario(graph: Path) -> None:
    rows = graph_rows(graph)
    dog = ["bathing a dog", "wash a dog properly", "wash your dog"]
    found = {row["label"]: (row["support"], row["alternative_labels"], row["listed"]) for row in rows["Scenario"]}
    assert found.pop("planting a tree")[::2] == (1, True)
    assert found == {
        "washing the dog": (5, dog, False),
        "wash a cat": (1, [], False),
        "repotting a plant": (1, [], False),
        "repotting the fern": (1, [], False),
    }
    assert len({row["scenario"] for row in rows["SubEvent"]}) == 5
    (wash,) = (row["id"] for row in rows["Scenario"] if row["label"] == "washing the dog")
    boil = {row["id"]: row for row in rows["SubEvent"] if row["scenario"] == wash and row["label"].startswith("boil")}
    assert Counter(row["support"] for row in boil.values()) == {2: 2, 1: 1}  # water, pasta; spoon


def test_order_changes_nothing(graph: Path, tmp_path: Path) -> None:
    build_graph(output=tmp_path, texts=random.Random(1).sample(documents(NAMES), len(NAMES)), extractors=tiny())
    assert graph_bytes(tmp_path) == graph_bytes(graph)


def test_the_iri_lasts_whatever_texts_call_the_scenario(graph: Path, tmp_path: Path) -> None:
    names = ["bathing a dog", "bathing a dog", "washing a dog", "wash your cat"]
    build_graph(output=tmp_path, texts=documents(names), extractors=tiny())
    before, after = (
        {row["id"]: (row["label"], row["alternative_labels"]) for row in graph_rows(directory)["Scenario"]}
        for directory in (graph, tmp_path)
    )
    dog, cat = (node_id("Scenario", f"washing {animal}", f"washing {animal}") for animal in ("dog", "cat"))
    assert (before[dog][0], before[cat]) == ("washing the dog", ("wash a cat", []))
    assert after == {dog: ("bathing a dog", ["washing a dog"]), cat: ("wash your cat", [])}
