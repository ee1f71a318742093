"""Validation: a sound graph conforms, and each way of breaking one is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from exports import validation
from exports.validation import validate
from schemas.errors import GraphDirectoryError
from schemas.script_graph import ScriptGraph
from schemas.tables import table_path
from schemas.vocabulary import node_id
from tests.graphs import Rows, generated_graph, odd_rows, write_graph

KGS = "https://w3id.org/kgscripts/ontology#"
_SOUND: dict[str, dict[str, Any]] = {
    "Passage": {"kind": "mention", "start": 3, "end": 7},
    "ChangeInstance": {"step": 2},
    "Source": {"digest": "0" * 64, "characters": 12},
    "Model": {"digest": "f" * 64, "language": "en"},
    "BenchmarkScore": {"unit": "share", "direction": "higher", "exposure": "unseen"},
    "HAS_PARTICIPANT": {"role": "patient"},
    "USES": {"role": "instrument"},
    "NEEDS": {"role": "container", "declared": 1, "used": 0},
    "Correction": {"kind": "rename", "time": "2026-03-01T00:00:00Z"},
}
_EVERYWHERE = {
    "support": 2,
    "mentions": 3,
    "probability": 0.5,
    "mean_position": 0.25,
    "rank": 1,
    "salience_rank": 1,
    "position": 1.0,
    "score": 0.75,
    "confidence": 0.5,
    "log_probability": -0.5,
    "predicted": False,
    "inferred": False,
}


def sound_rows(a_type: int = 4) -> Rows:
    """The odd graph with values that keep the rules: its texts stay as odd as they are."""
    rows = odd_rows(a_type)
    for name, table in rows.items():
        for row in table:
            row |= {key: value for key, value in _EVERYWHERE.items() if key in row} | _SOUND.get(name, {})
    statements = [row["id"] for row in rows["Statement"]]
    passage, model = rows["Passage"][0]["id"], rows["Model"][0]["id"]
    rows["EVIDENCED_BY"] = [{"from_id": statement, "to_id": passage} for statement in statements]
    rows["READ_BY"] = [{"from_id": statement, "to_id": model, "score": 0.5} for statement in statements]
    rows["CORRECTED_BY"] = [row for row in rows["CORRECTED_BY"] if not row["from_id"].startswith("statement/")]
    return rows


def test_a_sound_graph_conforms(tmp_path: Path) -> None:
    graph = write_graph(tmp_path, sound_rows(10))
    report = validate(graph)
    assert report.conforms, report.violations[:5]
    assert report.shapes is not None
    assert {item.type: (item.checked, item.rows) for item in report.shapes}["Statement"] == (110, 110)
    nodes = sum(graph.manifest.rows(item.type) for item in report.shapes)
    assert report.references > nodes


def test_a_generated_graph_conforms_in_a_sample_that_is_spread(tmp_path: Path) -> None:
    graph = generated_graph(tmp_path, 2_000)
    report = validate(graph, sample=7)
    assert report.conforms, report.violations[:5]
    assert {item.checked for item in report.shapes or ()} == {0, 1, 7}


def test_references_are_followed_in_one_pass_over_each_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = write_graph(tmp_path, sound_rows())
    passes: Counter[str] = Counter()
    batches = ScriptGraph.batches

    def counted(self: ScriptGraph, name: str, *rows: int) -> Iterator[pa.RecordBatch]:
        passes[name] += 1
        return batches(self, name, *rows)

    monkeypatch.setattr(ScriptGraph, "batches", counted)
    monkeypatch.setattr(validation, "find_spec", lambda _: None)  # Shapes are checked in passes of their own.
    assert validate(graph).references
    assert passes.pop("SubEvent") == 2, "one more for the ids that steps replace"
    assert set(passes.values()) == {1}


def changed(name: str, **values: Any) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        rows[name][1] |= values

    change.__name__ = f"{name} {values}"
    return change


def _replaces(rows: Rows, number: int, *identifiers: str) -> None:
    rows["SubEvent"][number]["replaces"] = sorted(identifiers)


def replaces_a_node(rows: Rows) -> None:
    _replaces(rows, 0, rows["SubEvent"][1]["id"])


def replaced_twice(rows: Rows) -> None:
    for number in (0, 1):
        _replaces(rows, number, node_id("SubEvent", "drain", "old"))


def replaces_a_tool(rows: Rows) -> None:
    _replaces(rows, 0, node_id("Tool", "pot", "old"))


def without(name: str, column: str, prefix: str) -> Callable[[Rows], None]:
    def change(rows: Rows) -> None:
        gone = next(row for row in rows[name] if row[column].startswith(prefix))
        rows[name] = [row for row in rows[name] if row[column] != gone[column]]

    change.__name__ = f"no {name} of one {prefix}"
    return change


BROKEN: list[tuple[Callable[[Rows], None], str]] = [
    (changed("Passage", kind="chapter"), "kind"),
    (changed("Passage", start=-1), "start"),
    (changed("Passage", start=9), "start"),
    (changed("ChangeInstance", step=-1), "step"),
    (changed("Source", digest="12ab"), "digest"),
    (changed("Source", characters=-1), "characters"),
    (changed("Model", digest="F" * 64), "digest"),
    (changed("BenchmarkScore", unit="furlongs"), "unit"),
    (changed("BenchmarkScore", direction="sideways"), "direction"),
    (changed("BenchmarkScore", exposure="secret"), "exposure"),
    (changed("Model", language="not a language"), "language"),
    (changed("Correction", kind="delete"), "kind"),
    (changed("Correction", time="yesterday"), "time"),
    (changed("SubEvent", support=-1), "support"),
    (changed("SubEvent", mentions=-2), "mentions"),
    (changed("HAS_PARTICIPANT", role="villain"), "role"),
    (changed("USES", role="villain"), "role"),
    (changed("NEEDS", declared=-1), "declared"),
    (changed("USES", probability=1.5), "probability"),
    (changed("USES", probability=-0.1), "probability"),
    (changed("HAS_SUB_EVENT", mean_position=2.0), "meanPosition"),
    (changed("HAS_SUB_EVENT", rank=0), "rank"),
    (changed("DECOMPOSES_INTO", position=-1.0), "position"),
    (changed("READ_BY", score=1.1), "score"),
    (changed("REALIZES", score=-0.5), "score"),
    (changed("ABOUT", confidence=1.01), "confidence"),
    (changed("SHOWS", probability=1.5), "probability"),
    (changed("SHOWS", level="perhaps"), "level"),
    (replaces_a_node, "is replaced, but it is there"),
    (replaces_a_node, "must not conform"),
    (replaced_twice, "isReplacedBy"),
    (replaces_a_tool, "sub-event/"),
    (changed("USES", predicted=True), "exactly one shape"),
    (without("EVIDENCED_BY", "from_id", "statement/"), "evidencedBy"),
    (without("READ_BY", "from_id", "statement/"), "readBy"),
    (without("OF_ENTITY", "from_id", "state-change/"), "ofEntity"),
    (without("OF_ATTRIBUTE", "from_id", "state-change/"), "ofAttribute"),
    (without("Tool", "id", "tool/"), "USES.to_id names it"),
    (without("Tool", "id", "tool/"), "uses"),
    (without("SubEvent", "id", "sub-event/"), "HAS_SUB_EVENT.to_id names it"),
    (without("SubEvent", "id", "sub-event/"), "PRECEDES.from_id names it"),
    (without("Statement", "id", "statement/"), "HAS_SUB_EVENT.statement names it"),
    (without("Scenario", "id", "scenario/"), "ABOUT.to_id names it"),
    (without("Source", "id", "source/"), "Passage.source names it"),
    (without("Passage", "id", "passage/"), "NEXT.from_id names it"),
    (without("Model", "id", "model/"), "READ_BY.to_id names it"),
]


@pytest.mark.parametrize(("change", "told"), BROKEN, ids=lambda value: getattr(value, "__name__", value))
def test_a_broken_graph_does_not_conform(tmp_path: Path, change: Callable[[Rows], None], told: str) -> None:
    rows = sound_rows()
    change(rows)
    report = validate(write_graph(tmp_path, rows))
    assert not report.conforms
    assert any(told in f"{violation.path} {violation.message}" for violation in report.violations), report.violations[
        :5
    ]


def added_by_a_person(rows: Rows) -> None:
    """Make the first statement one that only a correction gives."""
    statement = rows["Statement"][0]["id"]
    for name in ("EVIDENCED_BY", "READ_BY"):
        rows[name] = [row for row in rows[name] if row["from_id"] != statement]
    rows["CORRECTED_BY"].append({"from_id": statement, "to_id": rows["Correction"][0]["id"]})


def test_the_only_evidence_of_a_statement_can_be_a_correction(tmp_path: Path) -> None:
    rows = sound_rows()
    added_by_a_person(rows)
    for closed in (False, True):
        report = validate(write_graph(tmp_path / str(closed), rows), closed=closed)
        assert report.conforms, report.violations[:5]


def test_what_a_sample_misses_all_finds(tmp_path: Path) -> None:
    rows = sound_rows()
    rows["Tool"].sort(key=lambda row: str(row["id"]))
    rows["Tool"][1]["support"] = -5
    graph = write_graph(tmp_path, rows)
    assert validate(graph, sample=1).conforms
    report = validate(graph, sample=None)
    assert [(v.node, v.path) for v in report.violations] == [(graph.iri(rows["Tool"][1]["id"]), KGS + "support")]


def test_a_changed_file_is_found(tmp_path: Path) -> None:
    graph = write_graph(tmp_path, sound_rows())
    table = tmp_path / table_path("Tool")
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    with pytest.raises(GraphDirectoryError, match="not the one that was built"):
        validate(ScriptGraph.open(graph.directory))


def test_an_empty_graph_conforms(tmp_path: Path) -> None:
    assert validate(write_graph(tmp_path, {})).conforms
