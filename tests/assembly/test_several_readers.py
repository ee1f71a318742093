"""What at least two extractors have read is what a graph keeps, if it is asked for."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve, frozen

from kgscripts import ScriptGraph
from kgscripts.assembly import engine
from kgscripts.assembly.again import versions_of
from kgscripts.assembly.assemble import assemble
from kgscripts.distributed.plan import ReadingPlan, split_reading
from kgscripts.extractors.labels import LabelExtractor
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.store import RecordStore
from schemas.changes import Level
from schemas.errors import ConfigurationError
from schemas.graph_directory import locked
from schemas.records import EventMention, Record, Sentence, StateChange
from schemas.vocabulary import DEFAULT_BASE_IRI
from tests.assembly.built import Rows, graph_bytes, graph_rows, labels
from tests.assembly.tiny_reader import read_tiny, tiny_document
from tests.commands import run

TEXTS = [
    tiny_document(
        "boil the water with the kettle. add the pasta with the spoon. drain the pasta with the sieve.",
        scenario="cooking pasta",
    ),
    tiny_document("boil the water. stir the pasta with the spoon. drain the pasta.", scenario="cooking pasta"),
]


@frozen
class _Reader(Extractor):
    """Reads the events of some verbs, some of the tools, and that things become hot, by words of its own."""

    rules = "1"
    task = "events and changes"
    gives = (Sentence, EventMention, StateChange)

    name: str  # type: ignore[misc]
    verbs: str = "boil add stir drain"
    tools: str = "kettle spoon sieve"
    attribute: str = ""
    hot: str = "water pasta"

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [[found for record in read_tiny(item.document) for found in self._records(record)] for item in documents]

    def _records(self, record: Record) -> list[Record]:
        if isinstance(record, Sentence):
            return [record] if self.name != "two" else []
        if not isinstance(record, EventMention) or record.action.predicate not in self.verbs.split():
            return []
        event = evolve(record, tools=[tool for tool in record.tools if tool.lemma in self.tools.split()])
        if not self.attribute or event.action.object not in self.hot.split():
            return [event]
        change = StateChange(
            entity=event.action.object,
            attribute=self.attribute,
            before="",
            after="hot",
            action=event.action,
            start=event.start,
            end=event.end,
            mentioned=None,
            probability=0.9,
            level=Level.LIKELY,
        )
        return [event, change]


def _built(directory: Path, *extractors: Extractor, least: int = 2) -> Rows:
    build_graph(output=directory, texts=TEXTS, extractors=[*extractors, LabelExtractor()], min_readers=least)
    return graph_rows(directory)


def _knowledge(rows: Rows) -> Rows:
    return {name: those for name, those in rows.items() if name not in ("READ_BY", "Model", "SCORED", "BenchmarkScore")}


ONE = _Reader(name="one", verbs="boil add drain", tools="kettle sieve", attribute="temperature")
TWO = _Reader(name="two", verbs="boil stir drain", tools="kettle spoon", attribute="heat", hot="water")
"""Synonyms of an attribute are one attribute."""
BOTH = _Reader(name="both", verbs="boil drain", tools="kettle", attribute="temperature", hot="water")


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of what both have read; nobody writes to it."""
    directory = tmp_path_factory.mktemp("two") / "graph"
    _built(directory, ONE, TWO)
    return directory


def test_the_graph_of_two_is_that_of_what_both_have_read(tmp_path: Path, of_two: Path) -> None:
    """What one of them reads alone leaves no node."""
    found, expected = graph_rows(of_two), _built(tmp_path, BOTH, least=1)
    assert _knowledge(found) == _knowledge(expected)
    assert found["StateChange"]
    assert set(labels(found, "Tool").values()) == {"kettle"}


def test_what_is_left_out_is_listed_once_with_its_reason_and_a_removal_keeps_the_number(
    tmp_path: Path, of_two: Path
) -> None:
    lines = [json.loads(line) for line in (of_two / "discarded.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(line["detail"] for line in lines) == [
        "add pasta",
        "drain pasta with sieve",
        "stir pasta",
        *["temperature of pasta: hot"] * 3,
    ]
    assert {line["reason"] for line in lines} == {"read by too few extractors"}
    manifest = ScriptGraph.open(of_two).manifest
    assert manifest.discards == {"read by too few extractors": 6}
    assert manifest.configuration["min_readers"] == 2
    graph = shutil.copytree(of_two, tmp_path / "graph")
    remove_source(graph, TEXTS[1].digest)
    assert ScriptGraph.open(graph).manifest.configuration["min_readers"] == 2
    assert set(labels(graph_rows(graph), "SubEvent").values()) == {"boil water", "drain pasta"}


def test_changes_and_tools_of_a_single_reader_stay_with_their_mentions(tmp_path: Path) -> None:
    rows = _built(tmp_path, ONE, evolve(TWO, tools="", attribute=""))
    assert set(labels(rows, "Tool").values()) == {"kettle", "sieve"}
    changed = {labels(rows, "SubEvent")[row["from_id"]] for row in rows["CHANGES"]}
    assert changed == {"boil water", "drain pasta"}


def test_the_records_stay_and_partitions_and_the_optimizer_change_nothing(
    tmp_path: Path, of_two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(of_two, tmp_path / "graph")
    expected = graph_bytes(of_two)
    monkeypatch.setattr(engine, "_VERY_FEW_RECORDS", 0)
    with locked(tmp_path / "graph"), RecordStore(tmp_path / "graph/records") as store:
        versions = versions_of(store, ScriptGraph.open(tmp_path / "graph").manifest)
        assemble(store, tmp_path / "graph", versions, base_iri=DEFAULT_BASE_IRI, min_readers=2, partitions=2)
    assert graph_bytes(tmp_path / "graph") == expected
    all_of_it = _built(tmp_path / "graph", ONE, TWO, least=1)
    assert {"stir pasta", "add pasta"} <= set(labels(all_of_it, "SubEvent").values())
    _built(tmp_path / "new", ONE, TWO, least=1)
    assert graph_bytes(tmp_path / "graph") == graph_bytes(tmp_path / "new")


def test_more_readers_than_there_are_is_an_error_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="only one and two read events") as caught:
        _built(tmp_path / "graph", ONE, TWO, least=3)
    assert "--also" in str(caught.value.remedy)
    assert not (tmp_path / "graph").exists()


def test_a_reading_in_pieces_keeps_the_number_in_its_plan(tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("I boiled the water.", encoding="utf-8")
    options = 'min-readers = 2\n[extractors]\nonly = ["events", "llm"]\n'
    of_llm = '[extractors.llm]\nendpoint = "http://127.0.0.1:9/v1"\nmodel = "tiny"\n'
    (tmp_path / "build.toml").write_text(options + of_llm, encoding="utf-8")
    run("split-reading", tmp_path / "story.txt", "-o", tmp_path / "graph", "--config", tmp_path / "build.toml")
    assert ReadingPlan.read(tmp_path / "graph").options["min_readers"] == 2
    with pytest.raises(ConfigurationError, match="no extractor reads events"):
        split_reading([tmp_path / "story.txt"], tmp_path / "new", pieces=1, min_readers=2, extractors=["labels"])
    assert not (tmp_path / "new").exists()
