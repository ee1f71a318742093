"""What corrections change in a graph, and that they stay; `test_order_independence` has them in partitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from exports.rdf.mapping import GraphChunks
from kgscripts import ScriptGraph
from kgscripts.editing.correcting import correct_graph, list_corrections
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.graph_directory import locked
from schemas.records import Document
from tests.assembly.built import Rows, graph_bytes, graph_rows
from tests.assembly.salience_oracle import expected_marks, found_marks
from tests.assembly.tiny_reader import TinyDecomposer, tiny, tiny_document

PASTA, SOUP = "cooking pasta", "making soup in a tent"
DOCUMENTS = [
    tiny_document(
        "boil the water in the pot with the spoon. add the pasta. stir the pasta with the spoon. watch the film. "
        "drain the pasta with the fork.",
        name="one",
        scenario=PASTA,
    ),
    tiny_document(
        "heat the water. add the pasta. watch the film. strain the pasta with the sieve.", name="two", scenario=PASTA
    ),
    tiny_document(
        "heat the water in the pot. watch the film. strain the soup with the sieve.", name="three", scenario=SOUP
    ),
]


def _correction(kind: str, hour: int = 0, **values: Any) -> Correction:
    return Correction(kind=kind, author="Ada", time=f"2026-03-01T{hour:02}:00:00Z", **values)


def _step(kind: str, step: str, hour: int = 0, **values: Any) -> Correction:
    return _correction(kind, hour, scenario=PASTA, step=step, **values)


def _corrected(
    directory: Path, corrections: Sequence[Correction], documents: Sequence[Document] = DOCUMENTS, **options: Any
) -> Rows:
    with locked(directory), RecordStore(directory / "records") as store:
        add_corrections(store, corrections)
    build_graph(output=directory, texts=documents, extractors=[*tiny(), TinyDecomposer()], **options)
    return graph_rows(directory)


def _labels(rows: Rows, scenario: str = PASTA) -> set[str]:
    (identifier,) = (row["id"] for row in rows["Scenario"] if row["label"] == scenario)
    return {row["label"] for row in rows["SubEvent"] if row["scenario"] == identifier}


def _related(rows: Rows, relation: str) -> set[tuple[str, str]]:
    names = {
        row["id"]: row["label"] for kind in ("Scenario", "SubEvent", "Action", "Tool", "Entity") for row in rows[kind]
    }
    return {(names[row["from_id"]], names[row["to_id"]]) for row in rows[relation]}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return _corrected(tmp_path_factory.mktemp("plain"), [])


CORRECTIONS = [
    _step("reject", "watch film"),
    _step("reject", "stir pasta", relation="USES", other="spoon"),
    _step("reject", "add pasta", relation="PRECEDES", other="stir pasta"),
    _step("reject", "boil water in pot", relation="DECOMPOSES_INTO", other="add pasta"),
    _step("rename", "boil water", name="Boil it!"),
    _step("same step", "strain pasta", other="drain pasta"),
    _correction("same thing", thing="ladle", other="sieve"),
    _correction("tool role", thing="fork", role="container"),
    _correction("tool role", thing="ladle", role="support"),
    _correction("tool role", thing="ladle", role="appliance", scenario=PASTA, step="strain pasta"),
    _step("rename", "fly kite", name="nothing"),
    _step("same step", "add pasta", other="fly kite"),
    _correction("same thing", thing="kite", other="dragon"),
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph with a correction of every kind."""
    path = tmp_path_factory.mktemp("corrected") / "graph"
    _corrected(path, CORRECTIONS)
    return path


@pytest.fixture(scope="module")
def rows(directory: Path) -> Rows:
    return graph_rows(directory)


def test_a_rejected_step_is_gone_there_and_stays_elsewhere(rows: Rows, plain: Rows) -> None:
    assert _labels(plain) - _labels(rows) == {"watch film", "boil water in pot", "strain pasta"}
    assert _labels(rows, SOUP) == _labels(plain, SOUP)
    ids = {row["id"] for row in rows["SubEvent"]}
    for name in ("HAS_SUB_EVENT", "PRECEDES", "EXPRESSED_AS", "REALIZES", "DECOMPOSES_INTO"):
        assert {row["to_id"] for row in rows[name]} - {row["id"] for row in rows["Action"]} <= ids
        assert {row["from_id"] for row in rows[name]} - {
            row["id"] for row in [*rows["Scenario"], *rows["Passage"]]
        } <= ids
    # What comes before and after it is in order without it.
    assert ("stir pasta", "drain pasta") in _related(rows, "PRECEDES")
    assert {(row["subject"]) for row in rows["Statement"]} <= ids | {row["id"] for row in rows["Scenario"]}


def test_a_rejected_relation_is_gone(rows: Rows, plain: Rows) -> None:
    assert ("stir pasta", "spoon") in _related(plain, "USES") - _related(rows, "USES")
    assert ("Boil it!", "spoon") in _related(rows, "USES")
    assert ("add pasta", "stir pasta") in _related(plain, "PRECEDES") - _related(rows, "PRECEDES")
    assert ("boil water in pot", "add pasta") in _related(plain, "DECOMPOSES_INTO")
    assert ("Boil it!", "add pasta") not in _related(rows, "DECOMPOSES_INTO")
    assert ("Boil it!", "stir pasta") in _related(rows, "DECOMPOSES_INTO")


def test_a_step_that_is_the_same_has_both_wordings(rows: Rows) -> None:
    assert {("drain pasta", "drain pasta"), ("drain pasta", "strain pasta")} <= _related(rows, "EXPRESSED_AS")


def test_a_renamed_step_keeps_its_id(rows: Rows, plain: Rows) -> None:
    (before,) = (row for row in plain["SubEvent"] if row["label"] == "boil water in pot")
    (after,) = (row for row in rows["SubEvent"] if row["label"] == "Boil it!")
    assert after["label_text"] == "Boil it!"
    assert after | {name: before[name] for name in ("label", "label_text")} == before


def test_steps_are_chosen_by_what_is_left_after_corrections(rows: Rows, plain: Rows) -> None:
    assert found_marks(rows) == expected_marks(rows)
    assert found_marks(rows) != found_marks(plain)


def test_things_that_are_the_same_are_one(rows: Rows, plain: Rows) -> None:
    assert {row["label"] for row in plain["Tool"]} ^ {row["label"] for row in rows["Tool"]} == {"sieve", "ladle"}
    (tool,) = (row for row in rows["Tool"] if row["label"] == "ladle")
    assert tool["support"] == 2


def test_tools_have_the_role_of_the_step_or_of_the_tool(rows: Rows) -> None:
    names = {row["id"]: row["label"] for kind in ("SubEvent", "Tool") for row in rows[kind]}
    roles = {(names[row["from_id"]], names[row["to_id"]]): row["role"] for row in rows["USES"]}
    assert roles["drain pasta", "fork"] == "container"
    assert roles["drain pasta", "ladle"] == "appliance"
    assert roles["strain soup", "ladle"] == "support"


def test_every_correction_is_in_the_graph_with_what_it_corrects(rows: Rows, directory: Path) -> None:
    labels = {row["id"]: row["label"] for kind in ("Scenario", "SubEvent", "Tool", "Entity") for row in rows[kind]}
    corrected: dict[str, set[str]] = {row["id"]: set() for row in rows["Correction"]}
    for row in rows["CORRECTED_BY"]:
        corrected[row["to_id"]].add(labels[row["from_id"]])
    found = {row["label"]: corrected[row["id"]] for row in rows["Correction"]}
    assert {row["applied"]: bool(corrected[row["id"]]) for row in rows["Correction"]} == {True: True, False: False}
    assert found['"watch film" is no step'] == {PASTA}
    assert found['"boil water" is called "Boil it!"'] == {"Boil it!"}
    assert found['"strain pasta" and "drain pasta" are the same step'] == {"drain pasta"}
    assert found['"sieve" is called "ladle"'] == {"ladle"}
    assert found['"ladle" of "strain pasta" has the role appliance'] == {"drain pasta"}
    assert not found['"fly kite" is called "nothing"']
    assert not found['"add pasta" and "fly kite" are the same step']
    assert not found['"dragon" is called "kite"']
    discards = ScriptGraph.open(directory).manifest.discards
    assert discards["correction that matches nothing"] == 3
    assert discards["rejected by a person"] == 4
    written = {
        term for chunk in GraphChunks(ScriptGraph.open(directory)) for item in chunk.descriptions for term in item.types
    }
    assert "kgs:Correction" in written


def test_the_latest_wins(tmp_path: Path) -> None:
    corrections = [
        _step("rename", "add pasta", 2, name="second"),
        _step("rename", "add pasta", 1, name="first"),
        _step("reject", "watch film", 1),
        _step("reject", "watch film", 2, withdrawn=True),
        # Together they contradict each other, although no two of them do.
        _step("different step", "boil water in pot", 3, other="add pasta"),
        _step("same step", "boil water in pot", 1, other="heat water"),
        _step("same step", "heat water", 2, other="add pasta"),
    ]
    for item in corrections:  # some of them before earlier ones, some after
        with locked(tmp_path), RecordStore(tmp_path / "records") as store:
            add_corrections(store, [item])
    rows = _corrected(tmp_path, [])
    assert _labels(rows) >= {"second", "watch film", "boil water in pot"}
    assert {("second", "heat water"), ("second", "add pasta")} <= _related(rows, "EXPRESSED_AS")
    assert ("boil water in pot", "heat water") not in _related(rows, "EXPRESSED_AS")
    assert ScriptGraph.open(tmp_path).manifest.discards["correction that a later one contradicts"] == 1


def test_corrections_outlive_builds_removals_and_damage(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    documents = [*DOCUMENTS, tiny_document("watch the film. salt the water.", name="four", scenario=PASTA)]
    corrections = [_step("reject", "watch film"), _step("rename", "salt water", name="Salt it!")]
    _corrected(path, corrections, DOCUMENTS[::2])
    remove_source(path, "one")
    assert list_corrections(path) == corrections
    # No text is about the scenario now; new ones are.
    for file in (path / "records" / "event_mention").glob("*.parquet"):
        file.write_bytes(b"damaged")
    rows = _corrected(path, [], documents)
    assert "Salt it!" in _labels(rows)
    assert "watch film" not in _labels(rows)
    _corrected(tmp_path / "whole", corrections, documents)
    assert graph_bytes(path) == graph_bytes(tmp_path / "whole")


def test_the_same_again_is_nothing_new(directory: Path) -> None:
    expected = graph_bytes(directory)
    done = correct_graph(directory, list_corrections(directory))
    assert not done.recorded
    assert len(done.unmatched) == 3
    assert graph_bytes(directory) == expected


def test_what_has_too_little_support_is_corrected_by_nobody(tmp_path: Path) -> None:
    corrections = [_step("reject", "watch film"), _step("rename", "add pasta", name="Add it!")]
    rows = _corrected(tmp_path, [*corrections, _step("rename", "boil water", name="x")], min_support=2)
    assert _labels(rows) == {"Add it!"}
    assert {row["kind"]: row["applied"] for row in rows["Correction"] if "boil" not in row["label"]} == {
        "reject": True,
        "rename": True,
    }
    assert len(rows["CORRECTED_BY"]) == 2
