"""Validation: a sound graph conforms, and each way of breaking one is found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from attrs import frozen

from exports import validation
from exports.rdf.mapping import qualified_ids
from exports.validation import validate
from kgscripts import ScriptGraph
from schemas.errors import GraphDirectoryError
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


@frozen
class Fault:
    """A change of rows, which returns the id at which it is found (None: anywhere), and what is told there."""

    name: str
    make: Callable[[Rows], str | None]
    tells: tuple[str, ...]


def changed(told: str, name: str, row: int = 1, **values: Any) -> Fault:
    def change(rows: Rows) -> str:
        rows[name][row] |= values
        changed = rows[name][row]
        if "id" in changed or "statement" in changed:
            return str(changed.get("id") or changed["statement"])
        ends = (pa.array([changed[end]], pa.string()) for end in ("from_id", "to_id"))
        return str(qualified_ids(name, *ends)[0])

    return Fault(f"{name} {values}", change, (told,))


def lacking(told: str, name: str, prefix: str, number: int = 0) -> Fault:
    """Without the relations of a type from the node of this number, of those whose id has the prefix."""

    def change(rows: Rows) -> str:
        start = [*dict.fromkeys(row["from_id"] for row in rows[name] if row["from_id"].startswith(prefix))][number]
        rows[name] = [row for row in rows[name] if row["from_id"] != start]
        return str(start)

    return Fault(f"no {name} of one {prefix}", change, (told,))


def gone(name: str, *references: str, number: int = 0) -> Fault:
    """Without a node of a type."""
    tells = tuple(f"{told} names it" for told in references)
    return Fault(f"no {name}", lambda rows: rows[name].pop(number)["id"], tells)


def replaces_a_node(rows: Rows) -> str:
    rows["SubEvent"][0]["replaces"] = [rows["SubEvent"][1]["id"]]
    return str(rows["SubEvent"][1]["id"])


def replaces_a_tool(rows: Rows) -> str:
    rows["SubEvent"][1]["replaces"] = [node_id("Tool", "pot", "old")]
    return node_id("Tool", "pot", "old")


def replaced_twice(rows: Rows) -> str:
    for number in (2, 3):
        rows["SubEvent"][number]["replaces"] = [node_id("SubEvent", "drain", "old")]
    return node_id("SubEvent", "drain", "old")


BROKEN: dict[str, list[Fault]] = {
    "values": [
        changed("kind", "Passage", 0, kind="chapter"),
        changed("start", "Passage", 1, start=-1),
        changed("start", "Passage", 2, start=9),
        changed("step", "ChangeInstance", step=-1),
        changed("digest", "Source", 1, digest="12ab"),
        changed("characters", "Source", 2, characters=-1),
        changed("digest", "Model", 1, digest="F" * 64),
        changed("language", "Model", 2, language="not a language"),
        changed("unit", "BenchmarkScore", 1, unit="furlongs"),
        changed("direction", "BenchmarkScore", 2, direction="sideways"),
        changed("exposure", "BenchmarkScore", 3, exposure="secret"),
        changed("kind", "Correction", 1, kind="delete"),
        changed("time", "Correction", 2, time="yesterday"),
        changed("support", "SubEvent", 1, support=-1),
        changed("mentions", "SubEvent", 2, mentions=-2),
        changed("role", "HAS_PARTICIPANT", role="villain"),
        changed("exactly one shape", "USES", 0, predicted=True),
        changed("role", "USES", 1, role="villain"),
        changed("probability", "USES", 2, probability=1.5),
        changed("probability", "USES", 3, probability=-0.1),
        changed("declared", "NEEDS", declared=-1),
        changed("meanPosition", "HAS_SUB_EVENT", 1, mean_position=2.0),
        changed("rank", "HAS_SUB_EVENT", 2, rank=0),
        changed("position", "DECOMPOSES_INTO", position=-1.0),
        changed("score", "READ_BY", score=1.1),
        changed("score", "REALIZES", score=-0.5),
        changed("confidence", "ABOUT", confidence=1.01),
        changed("probability", "SHOWS", 1, probability=1.5),
        changed("level", "SHOWS", 2, level="perhaps"),
    ],
    "relations that are required": [
        lacking("evidencedBy", "EVIDENCED_BY", "statement/", 0),
        lacking("readBy", "READ_BY", "statement/", 1),
        lacking("ofEntity", "OF_ENTITY", "state-change/"),
        lacking("ofAttribute", "OF_ATTRIBUTE", "state-change/"),
    ],
    "nodes that are gone": [
        gone("Tool", "USES.to_id"),
        Fault("a use of no Tool", lambda _: None, (f"{KGS}uses",)),
        gone("SubEvent", "HAS_SUB_EVENT.to_id", "PRECEDES.from_id"),
        gone("Statement", "HAS_SUB_EVENT.statement"),
        gone("Scenario", "ABOUT.to_id"),
        gone("Source", "Passage.source", number=1),
        gone("Passage", "NEXT.from_id"),
        gone("Model", "READ_BY.to_id"),
    ],
    "replaced nodes": [
        Fault("replaces a node", replaces_a_node, ("is replaced, but it is there", "must not conform")),
        Fault("replaces a tool", replaces_a_tool, ("sub-event/",)),
        Fault("replaced twice", replaced_twice, ("isReplacedBy",)),
    ],
}


@pytest.mark.parametrize("group", BROKEN)
def test_a_broken_graph_does_not_conform(tmp_path: Path, group: str) -> None:
    """Each fault is found at its place."""
    rows = sound_rows()
    places = [fault.make(rows) for fault in BROKEN[group]]
    graph = write_graph(tmp_path, rows)
    report = validate(graph)
    assert not report.conforms
    told: dict[str | None, str] = defaultdict(str)
    for violation in report.violations:
        for place in (None, violation.node.removesuffix(".selector")):
            told[place] += f"{violation.path} {violation.message}\n"
    missed = [
        (fault.name, what)
        for fault, place in zip(BROKEN[group], places, strict=True)
        for what in fault.tells
        if what not in told[place if place is None else graph.iri(place)]
    ]
    assert not missed, report.violations


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
