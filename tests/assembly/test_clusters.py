"""Which actions are the same sub-event, what it is called, and what becomes of its IRI."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kgscripts.assembly.tables.choices import ActionKey
from kgscripts.assembly.tables.clusters import cluster
from kgscripts.pipeline import build_graph, remove_source
from schemas.records import Document
from tests.assembly.built import graph_rows
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


def _steps(directory: Path, documents: list[Document]) -> dict[str, dict[str, Any]]:
    """The steps that put or pour something somewhere, by label."""
    build_graph(output=directory, texts=documents, extractors=tiny())
    rows = graph_rows(directory)["SubEvent"]
    return {row["label"]: row for row in rows if row["label"].startswith(("put", "pour"))}


@pytest.mark.parametrize("scenario", ["cooking pasta", ""])
def test_labels_are_what_the_actions_have_in_common(scenario: str, tmp_path: Path) -> None:
    documents = [_document("pour the pasta in the pot. pour the lid on the pot. pour on the pot.", 0, scenario)]
    assert set(_steps(tmp_path / "one", documents)) == {"pour pasta in pot", "pour lid on pot", "pour on pot"}
    documents.append(_document("pour the pasta.", 1, scenario))
    assert set(_steps(tmp_path / "two", documents)) == {"pour pasta", "pour lid on pot", "pour on pot"}


def test_a_verb_that_says_little_keeps_its_place(tmp_path: Path) -> None:
    documents = [_document("put the pasta.", number) for number in range(3)]
    documents += [
        _document(f"put the pasta in the {place}.", number) for number, place in enumerate(("pot", "bowl"), 3)
    ]
    (label,) = _steps(tmp_path, documents)
    assert label == "put pasta in bowl"


@pytest.mark.parametrize("scenario", ["cooking pasta", ""])
def test_an_iri_outlives_a_merge(scenario: str, tmp_path: Path) -> None:
    documents = [_document("put the pasta in the pot.", 0, scenario)]
    (before,) = _steps(tmp_path, documents).values()
    assert before["replaces"] == []
    (merged,) = _steps(tmp_path, [_document("put the pasta in the bowl.", 1, scenario)]).values()
    assert merged["id"] != before["id"], "bowl comes before pot"
    assert merged["replaces"] == [before["id"]]
    # The part of a split cluster that holds the action has its IRI again.
    remove_source(tmp_path, "d1")
    (split,) = (row for row in graph_rows(tmp_path)["SubEvent"] if row["label"].startswith("put"))
    assert split == before


@pytest.mark.parametrize(("others", "leads"), [(1, "bowl"), (2, "pot"), (3, "pot")])
def test_twice_the_support_takes_the_lead(others: int, leads: str, tmp_path: Path) -> None:
    documents = [_document("pour the pasta in the bowl.", 0)]
    documents += [_document("pour the pasta in the pot.", number) for number in range(1, others + 1)]
    (row,) = _steps(tmp_path, documents).values()
    (alone,) = _steps(tmp_path / "alone", [_document(f"pour the pasta in the {leads}.", 9)]).values()
    assert row["id"] == alone["id"]
    assert row["label"] == "pour pasta"
