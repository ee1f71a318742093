"""Scenarios by several names in the graph."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from kgscripts.assembly.assemble import assemble
from kgscripts.pipeline import build_graph
from kgscripts.records.store import RecordStore
from schemas.graph_directory import locked
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id
from tests.assembly.built import graph_bytes, graph_rows
from tests.assembly.tiny_reader import tiny, tiny_document

NAMES = ["washing the dog", "washing the dog", "bathing a dog", "wash a dog properly", "wash your dog", "wash a cat"]
NAMES += ["planting a tree", "repotting a plant", "repotting the fern"]


def _documents(names: list[str]) -> list[object]:
    words = ("water", "pasta", "spoon")
    return [
        tiny_document(f"boil the {words[number % 3]}. add the {words[number % 2]}{number}.", scenario=name)
        for number, name in enumerate(names)
    ]


def test_names_of_one_activity_are_one_scenario(tmp_path: Path) -> None:
    documents = _documents(NAMES)
    build_graph(output=tmp_path / "graph", texts=documents, extractors=tiny())  # type: ignore[arg-type]
    rows = graph_rows(tmp_path / "graph")
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


def test_neither_order_nor_partitions_change_anything_and_the_iri_lasts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = _documents(NAMES * 2)
    build_graph(output=tmp_path / "graph", texts=documents, extractors=tiny())  # type: ignore[arg-type]
    expected = graph_bytes(tmp_path / "graph")
    shuffled = random.Random(1).sample(documents, len(documents))
    build_graph(output=tmp_path / "other", texts=shuffled, extractors=tiny())  # type: ignore[arg-type]
    assert graph_bytes(tmp_path / "other") == expected
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    with locked(tmp_path / "other"), RecordStore(tmp_path / "other/records") as store:
        versions = [item.digest for item in store.extractors.all().values() if item.role == "extractor"]
        assemble(store, tmp_path / "other", versions, base_iri=DEFAULT_BASE_IRI, partitions=5)
    assert graph_bytes(tmp_path / "other") == expected

    iri = node_id("Scenario", "washing dog", "washing dog")
    for names in (["wash your dog"], ["bathing a dog", "bathing a dog", "washing a dog"]):
        folder = tmp_path / str(len(names))
        build_graph(output=folder, texts=_documents(names), extractors=tiny())  # type: ignore[arg-type]
        (found,) = (row for row in graph_rows(folder)["Scenario"] if "dog" in row["label"])
        assert found["id"] == iri
    assert (found["label"], found["alternative_labels"]) == ("bathing a dog", ["washing a dog"])
