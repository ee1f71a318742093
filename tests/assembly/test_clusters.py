"""Which actions are the same sub-event, what it is called, and what becomes of its IRI."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscripts.assembly.tables.alternatives import ActionKey
from kgscripts.assembly.tables.clusters import cluster
from kgscripts.pipeline import build_graph, remove_source
from schemas.records import Document
from schemas.vocabulary import node_id
from tests.assembly.built import graph_rows, labels
from tests.assembly.tiny_reader import tiny, tiny_document

_POT = ("put", "", "pasta", "in", "pot")
_WATER = ("put", "", "pasta", "in", "boiling water")
_PUT = ("put", "", "pasta", "", "")
_OUT = ("put", "out", "pasta", "", "")
_STORE = ("go", "", "", "to", "store")
_KITCHEN = ("go", "", "", "to", "kitchen")


@pytest.mark.parametrize(
    ("actions", "clusters"),
    [
        ([_POT, _WATER], [0, 0]),
        ([_POT, _OUT, _WATER, _PUT], [0, 1, 0, 0]),
        ([_PUT, _OUT], [0, 1]),
        ([_STORE, _KITCHEN], [0, 1]),
        ([], []),
    ],
)
def test_same_object_same_sub_event(actions: list[ActionKey], clusters: list[int]) -> None:
    assert cluster(actions) == clusters


def _document(text: str, number: int, scenario: str = "cooking pasta") -> Document:
    return tiny_document(f"{text} add the salt{number}.", name=f"d{number}", scenario=scenario)


def _steps(directory: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """By scenario, "" for none, the steps that put or pour something somewhere, by label."""
    rows = graph_rows(directory)
    scenarios = labels(rows, "Scenario")
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows["SubEvent"]:
        if row["label"].startswith(("put", "pour")):
            found.setdefault(scenarios.get(row["scenario"], ""), {})[row["label"]] = row
    return found


def _built(directory: Path, documents: Sequence[Document]) -> dict[str, dict[str, dict[str, Any]]]:
    build_graph(output=directory, texts=documents, extractors=tiny())
    return _steps(directory)


def test_labels_are_what_the_actions_have_in_common(tmp_path: Path) -> None:
    scenarios = ["cooking pasta", ""]
    text = "pour the pasta in the pot. pour the lid on the pot. pour on the pot."
    found = _built(tmp_path, [_document(text, 0, scenario) for scenario in scenarios])
    for scenario in scenarios:
        assert set(found[scenario]) == {"pour pasta in pot", "pour lid on pot", "pour on pot"}
    found = _built(tmp_path, [_document("pour the pasta.", 1, scenario) for scenario in scenarios])
    for scenario in scenarios:
        assert set(found[scenario]) == {"pour pasta", "pour lid on pot", "pour on pot"}


def test_a_verb_that_says_little_keeps_its_place(tmp_path: Path) -> None:
    documents = [_document("put the pasta.", number) for number in range(3)]
    documents += [
        _document(f"put the pasta in the {place}.", number) for number, place in enumerate(("pot", "bowl"), 3)
    ]
    (label,) = _built(tmp_path, documents)["cooking pasta"]
    assert label == "put pasta in bowl"


def test_an_iri_outlives_a_merge(tmp_path: Path) -> None:
    scenarios = ["cooking pasta", ""]

    def added(place: str, file: Path) -> dict[str, dict[str, Any]]:
        text = f"put the pasta in the {place}."
        lines = [{"id": str(number), "text": text, "scenario": item} for number, item in enumerate(scenarios)]
        file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        build_graph(file, tmp_path / "graph", extractors=tiny())
        found = _steps(tmp_path / "graph")
        return {scenario: row for scenario in scenarios for row in found[scenario].values()}

    before = added("pot", tmp_path / "before.jsonl")
    merged = added("bowl", tmp_path / "later.jsonl")
    for scenario in scenarios:
        assert before[scenario]["replaces"] == []
        assert merged[scenario]["id"] != before[scenario]["id"], "bowl comes before pot"
        assert merged[scenario]["replaces"] == [before[scenario]["id"]]
    # The part of a split cluster that holds the action has its IRI again.
    assert len(remove_source(tmp_path / "graph", tmp_path / "later.jsonl")) == 2
    split = _steps(tmp_path / "graph")
    for scenario in scenarios:
        assert [*split[scenario].values()] == [before[scenario]]


def test_twice_the_support_takes_the_lead(tmp_path: Path) -> None:
    cases = [(1, "cooking pasta", "bowl"), (2, "making soup", "pot"), (3, "taking a bath", "pot")]
    documents = [
        _document(f"pour the pasta in the {place}.", number, scenario)
        for others, scenario, _ in cases
        for number, place in enumerate(["bowl", *others * ["pot"]])
    ]
    found = _built(tmp_path, documents)
    for _, scenario, leads in cases:
        (row,) = found[scenario].values()
        of_scenario = node_id("Scenario", scenario, scenario)
        assert row["id"] == node_id(
            "SubEvent", f"pour pasta in {leads}", of_scenario, *("pour", "", "pasta", "in", leads)
        )
        assert row["label"] == "pour pasta"
