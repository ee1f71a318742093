"""What people add to a graph: it is counted as nothing, marked, and kept.

`test_order_independence` has it in partitions, `test_merging` in merges.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.graph_directory import locked
from schemas.records import Document
from tests.assembly.built import Rows, graph_bytes, graph_rows, labels
from tests.assembly.tiny_changes import TinyChanges
from tests.assembly.tiny_reader import tiny, tiny_document

PASTA, SOUP = "cooking pasta", "making soup"
DOCUMENTS = [
    tiny_document("boil the water. add the pasta. stir the pasta with the spoon. drain the pasta.", name="one.txt"),
    tiny_document("boil the water. add the pasta. drain the pasta with the fork. eat the pasta.", name="two.txt"),
    tiny_document("wash the pot. boil the soup.", name="notes.jsonl#1"),
]
ABOUT_PASTA = [tiny_document(item.text, name=item.name, scenario=PASTA) for item in DOCUMENTS]
READ = ("HAS_SUB_EVENT", "EXPRESSED_AS", "USES", "CHANGES", "PRECEDES", "HAS_PARTICIPANT")


def correction(kind: str, hour: int = 0, **values: Any) -> Correction:
    """One by Ada on the first of March."""
    return Correction(kind=kind, author="Ada", time=f"2026-03-01T{hour:02}:00:00Z", **values)


def add(step: str, relation: str = "", other: str = "", hour: int = 0, **values: Any) -> Correction:
    """A step of cooking pasta, or something about one."""
    return correction("add", hour, scenario=PASTA, step=step, relation=relation, other=other, **values)


def about(source: str, scenario: str, hour: int = 0, passage: str = "") -> Correction:
    """What a source, or a passage of it, is about."""
    return correction("about", hour, thing=source, other=passage, scenario=scenario)


def _build(
    path: Path, corrections: Sequence[Correction], documents: Sequence[Document] = ABOUT_PASTA, **options: Any
) -> Rows:
    with locked(path), RecordStore(path / "records") as store:
        add_corrections(store, corrections)
    build_graph(output=path, texts=documents, extractors=[*tiny(), TinyChanges()], **options)
    return graph_rows(path)


def _related(rows: Rows, relation: str) -> dict[tuple[str, str], dict[str, Any]]:
    names: dict[Any, str] = {
        row["id"]: str(row.get("label") or row.get("name", row["id"]))
        for kind in ("Scenario", "SubEvent", "Action", "Tool", "StateChange", "Source", "Correction", "Statement")
        for row in rows[kind]
    }
    return {(names.get(row["from_id"], ""), names.get(row["to_id"], "")): row for row in rows[relation]}


def _evidence(rows: Rows, relation: dict[str, Any]) -> set[str]:
    """The types of evidence of a relation's statement."""
    types = ("EVIDENCED_BY", "READ_BY", "CORRECTED_BY")
    return {name for name in types if any(row["from_id"] == relation["statement"] for row in rows[name])}


def _discarded(path: Path, reason: str) -> int:
    return ScriptGraph.open(path).manifest.discards.get(reason, 0)


ADDED = [
    add("warm plate"),
    add("warm plate", "USES", "oven", role="appliance"),
    add("warm plate", "PRECEDES", "drain pasta"),
    add("stir pasta", "PRECEDES", "add pasta"),
    add("warm plate", "CHANGES", "temperature of plate: cold -> warm"),
    add("drain pasta", "USES", "Sieve"),
    add("drain pasta", "USES", "fork"),
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return _build(tmp_path_factory.mktemp("plain") / "graph", [])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("added") / "graph"
    _build(path, ADDED)
    return path


@pytest.fixture(scope="module")
def rows(directory: Path) -> Rows:
    return graph_rows(directory)


def test_what_is_added_is_there_and_counted_as_nothing(rows: Rows) -> None:
    for relation, pair in (
        ("HAS_SUB_EVENT", (PASTA, "warm plate")),
        ("EXPRESSED_AS", ("warm plate", "warm plate")),
        ("USES", ("warm plate", "oven")),
        ("USES", ("drain pasta", "sieve")),
        ("PRECEDES", ("warm plate", "drain pasta")),
        ("PRECEDES", ("stir pasta", "add pasta")),
        ("CHANGES", ("warm plate", "temperature of plate: cold -> warm")),
    ):
        row = _related(rows, relation)[pair]
        assert (row["support"], row["probability"]) == (0, 0.0), pair
        assert not any(
            each["from_id"] == row["statement"] for name in ("EVIDENCED_BY", "READ_BY") for each in rows[name]
        )
        assert any(each["from_id"] == row["statement"] for each in rows["CORRECTED_BY"])
    roles = {pair: row["role"] for pair, row in _related(rows, "USES").items()}
    assert (roles["warm plate", "oven"], roles["drain pasta", "sieve"]) == ("appliance", "instrument")
    # Texts tell it as well: it keeps its numbers and its passages.
    fork = _related(rows, "USES")["drain pasta", "fork"]
    assert fork["support"] == 1
    assert _evidence(rows, fork) == {"EVIDENCED_BY", "READ_BY", "CORRECTED_BY"}
    assert all(row["applied"] for row in rows["Correction"])


def test_nothing_that_was_read_changes_its_numbers(rows: Rows, plain: Rows) -> None:
    for name in READ:
        before, after = _related(plain, name), _related(rows, name)
        if name == "PRECEDES":
            continue  # another order implies others
        for pair, row in before.items():
            ranks = {key: after[pair][key] for key in ("rank", "salience_rank") if key in row}
            assert row | ranks == after[pair], (name, pair)
        assert all(after[pair]["support"] == 0 for pair in after.keys() - before.keys())
    for name in ("SubEvent", "Action", "Tool", "Entity", "StateChange", "Attribute"):
        assert [row for row in rows[name] if row["support"]] == plain[name]


def test_the_order_of_a_person_holds_against_the_texts(rows: Rows, plain: Rows) -> None:
    def place(of: Rows, step: str) -> int:
        rank: int = _related(of, "HAS_SUB_EVENT")[PASTA, step]["rank"]
        return rank

    assert place(plain, "add pasta") < place(plain, "stir pasta")
    assert place(rows, "stir pasta") < place(rows, "add pasta")
    assert place(rows, "warm plate") < place(rows, "drain pasta")
    ranks = {row["to_id"]: row["rank"] for row in rows["HAS_SUB_EVENT"]}
    assert all(ranks[row["from_id"]] < ranks[row["to_id"]] for row in rows["PRECEDES"])


def test_a_graph_with_additions_conforms_to_the_closed_shapes(directory: Path) -> None:
    report = validate(ScriptGraph.open(directory), None, closed=True)
    assert report.conforms, report.violations[:5]


def test_what_is_read_later_is_counted_and_stays_marked(tmp_path: Path, rows: Rows, directory: Path) -> None:
    later = tiny_document("warm the plate with the oven. drain the pasta with the sieve.", name="l", scenario=PASTA)
    found = _build(tmp_path, ADDED, [*ABOUT_PASTA, later])
    for relation, pair in (
        ("HAS_SUB_EVENT", (PASTA, "warm plate")),
        ("EXPRESSED_AS", ("warm plate", "warm plate")),
        ("USES", ("warm plate", "oven")),
        ("USES", ("drain pasta", "sieve")),
        ("PRECEDES", ("warm plate", "drain pasta")),
    ):
        before, after = _related(rows, relation)[pair], _related(found, relation)[pair]
        assert after["statement"] == before["statement"]
        assert after["support"] == 1
        assert after["probability"] > 0
        assert _evidence(found, after) == {"EVIDENCED_BY", "READ_BY", "CORRECTED_BY"}
    remove_source(tmp_path, "l")
    assert graph_bytes(tmp_path) == graph_bytes(directory)


def test_what_has_too_little_support_stays_if_a_person_added_it(tmp_path: Path) -> None:
    found = _build(tmp_path, [*ADDED, add("eat pasta"), add("wash pot", "USES", "brush")], min_support=2)
    steps = labels(found, "SubEvent").values()
    assert set(steps) == {"boil water", "add pasta", "drain pasta", "eat pasta", "warm plate"}
    assert _related(found, "HAS_SUB_EVENT")[PASTA, "eat pasta"]["support"] == 1
    assert _related(found, "USES").keys() == {("warm plate", "oven"), ("drain pasta", "sieve"), ("drain pasta", "fork")}
    applied = {row["label"]: row["applied"] for row in found["Correction"]}
    assert not applied['"wash pot" USES "brush" is right']
    assert not applied['"stir pasta" PRECEDES "add pasta" is right']
    report = validate(ScriptGraph.open(tmp_path), None, closed=True)
    assert report.conforms, report.violations[:5]


def test_of_contradictions_the_latest_wins(tmp_path: Path) -> None:
    found = _build(
        tmp_path,
        [
            add("warm plate", hour=1),
            correction("reject", 2, scenario=PASTA, step="warm plate"),
            correction("reject", 1, scenario=PASTA, step="eat pasta"),
            add("eat pasta", hour=2),
            # Other words for the same step.
            correction("reject", 1, scenario=PASTA, step="stir pasta", relation="USES", other="spoon"),
            correction("rename", 1, scenario=PASTA, step="stir pasta", name="Stir!"),
            correction("same step", 1, scenario=PASTA, step="stir pasta", other="rub pasta"),
            add("rub pasta", hour=1),
            add("rub pasta", "USES", "spoon", hour=2),
            add("boil water", "PRECEDES", "add pasta", hour=1),
            add("add pasta", "PRECEDES", "drain pasta", hour=2),
            add("drain pasta", "PRECEDES", "boil water", hour=3),
        ],
    )
    steps = set(labels(found, "SubEvent").values())
    assert "warm plate" not in steps
    assert {"eat pasta", "Stir!"} <= steps
    assert ("Stir!", "spoon") in _related(found, "USES")
    assert {"stir pasta", "rub pasta"} <= {end for start, end in _related(found, "EXPRESSED_AS") if start == "Stir!"}
    order = _related(found, "PRECEDES")
    assert ("drain pasta", "boil water") in order
    assert ("add pasta", "drain pasta") in order
    assert ("boil water", "add pasta") not in order
    applied = {row["label"]: row["applied"] for row in found["Correction"]}
    assert not applied['"boil water" PRECEDES "add pasta" is right']
    assert not applied['"stir pasta" USES "spoon" is wrong']
    assert _discarded(tmp_path, "correction that a later one contradicts") == 2


def test_a_person_says_what_texts_are_about(tmp_path: Path) -> None:
    corrections = [
        about("one.txt", PASTA),
        about("TWO.txt", SOUP, 1),
        about(DOCUMENTS[1].digest[:10], PASTA, 2),
        about("notes.jsonl", SOUP),
        about("one.txt", "none", 1, "Add the pasta ... spoon."),
        about("notes.jsonl#1", "washing dishes", 1, "wash the pot."),
        about("four.txt", PASTA),
        about("one.txt", PASTA, 1, "no such words"),
    ]
    found = _build(tmp_path, corrections, DOCUMENTS)
    steps = _related(found, "HAS_SUB_EVENT")
    assert set(steps) == {
        *((PASTA, step) for step in ("boil water", "add pasta", "drain pasta", "eat pasta")),
        ("washing dishes", "wash pot"),
        (SOUP, "boil soup"),
    }
    assert steps[PASTA, "add pasta"]["support"] == 1
    assert {row["id"] for row in found["SubEvent"] if row["scenario"] is None} != set()
    assert set(_related(found, "ABOUT")) >= {("one.txt", PASTA), ("two.txt", PASTA), ("notes.jsonl#1", SOUP)}
    applied = {row["label"]: row["applied"] for row in found["Correction"]}
    assert {label for label, value in applied.items() if not value} == {
        '"two.txt" is about making soup',
        '"four.txt" is about cooking pasta',
        '"no such words" of "one.txt" is about cooking pasta',
    }
    assert ("one.txt", '"one.txt" is about cooking pasta') in _related(found, "CORRECTED_BY")
    assert validate(ScriptGraph.open(tmp_path), None, closed=True).conforms


def test_a_lost_index_loses_no_addition(tmp_path: Path, directory: Path) -> None:
    damaged = shutil.copytree(directory, tmp_path / "graph")
    (damaged / "records" / "index.sqlite").write_bytes(b"damaged")
    for shard in (damaged / "records" / "event_mention").glob("*.parquet"):
        shard.write_bytes(b"damaged")
    build_graph(output=damaged, texts=ABOUT_PASTA, extractors=[*tiny(), TinyChanges()])
    assert graph_bytes(damaged) == graph_bytes(directory)
