"""The graph is a pure function of all records: neither order nor number of calls changes a byte."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgscripts.assembly import engine
from kgscripts.assembly.assemble import assemble
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.graph_directory import locked
from schemas.records import Document
from schemas.vocabulary import DEFAULT_BASE_IRI
from tests.assembly import test_additions, test_corrections, test_titles
from tests.assembly.built import graph_bytes, graph_rows
from tests.assembly.tiny_changes import TinyChanges
from tests.assembly.tiny_reader import (
    MANY_DOCUMENTS,
    OtherTinyExtractor,
    TinyDecomposer,
    TinyLister,
    TinySegmenter,
    tiny,
    tiny_document,
)
from tests.pipeline.stopping import until_assembly

_WHO: dict[str, Any] = {"author": "Ada", "time": "2026-03-01"}
_OF_NAMES = [
    Correction(kind="rename scenario", scenario="washing the dog", name="a clean dog", **_WHO),
    Correction(kind="same scenario", scenario="repotting a plant", other="wash a cat", **_WHO),
    Correction(kind="different scenario", scenario="planting a tree", other="repotting a plant", **_WHO),
    Correction(kind="different thing", thing="water", other="pasta", **_WHO),
]


@settings(max_examples=2)
@example(documents=[], more="egg", seed=0, last=False)
@given(
    documents=MANY_DOCUMENTS,
    more=st.text("abc .", min_size=1, max_size=9),
    seed=st.integers(0, 1000),
    last=st.booleans(),
)
def test_order_and_split_and_what_was_removed_again_change_nothing(
    documents: list[Document], more: str, seed: int, last: bool
) -> None:
    shuffled = random.Random(seed).sample(documents, len(documents))
    added = tiny_document(f"peel the {more}.", name="added")
    parts = [shuffled[::2], [added, *shuffled[1::2]]]
    if not last:
        parts.reverse()
    extractors = [*tiny(), TinyLister(), TinyChanges()]
    with tempfile.TemporaryDirectory() as folder:
        at_once, changed = Path(folder, "at-once"), Path(folder, "changed")
        build_graph(output=at_once, texts=documents, extractors=extractors)
        for part in parts:
            build_graph(output=changed, texts=part, extractors=extractors)
            if part[:1] == [added]:
                assert graph_bytes(changed) != graph_bytes(at_once)
                assert remove_source(changed, added.digest) == ["added"]
        assert graph_bytes(changed) == graph_bytes(at_once)


def test_partitions_threads_memory_and_optimizer_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["water", "pasta", "spoon", "pot"]
    documents = [
        tiny_document(
            " ".join(
                f"{verb} the {words[(number + place // 2) % 4]} with the {words[number % 3]}."
                for place, verb in enumerate(random.Random(number).sample(["boil", "add", "stir", "drain", "put"], 4))
            ),
            scenario=["cooking pasta", "making soup", ""][number % 3],
        )
        for number in range(40)
    ]
    documents += [*test_titles.documents(test_titles.NAMES), *test_corrections.DOCUMENTS, *test_additions.ABOUT_PASTA]
    extractors = [*tiny(), TinySegmenter(), OtherTinyExtractor(), TinyDecomposer(), TinyLister(), TinyChanges()]
    with locked(tmp_path / "graph"), RecordStore(tmp_path / "graph/records") as store:
        add_corrections(store, [*test_corrections.CORRECTIONS, *test_additions.ADDED, *_OF_NAMES])
    report = build_graph(output=tmp_path / "graph", texts=documents, extractors=extractors)
    expected = graph_bytes(tmp_path / "graph")
    rows = graph_rows(tmp_path / "graph")
    assert {row["kind"] for row in rows["Correction"] if row["applied"]} == {
        *("add", "reject", "rename", "same step", "same thing", "tool role"),
        *("rename scenario", "same scenario", "different scenario", "different thing"),
    }
    assert any(row["alternative_labels"] for row in rows["Scenario"] if not row["listed"])
    assert report.relations["PRECEDES"] > 3
    for name in ("NEEDS", "DECOMPOSES_INTO", "CHANGES", "PERSISTS_TO", "CONTRADICTS"):
        assert name in report.relations
    for partitions, threads, memory, unoptimized in ((2, 1, 1 << 28, 0), (5, 3, 1 << 30, 1 << 30)):
        monkeypatch.setattr(engine, "_VERY_FEW_RECORDS", unoptimized)
        monkeypatch.setattr(os, "cpu_count", lambda threads=threads: threads)
        with locked(tmp_path / "graph"), RecordStore(tmp_path / "graph/records") as store:
            versions = [item.digest for item in store.extractors.all().values() if item.role == "extractor"]
            assemble(
                store,
                tmp_path / "graph",
                versions,
                base_iri=DEFAULT_BASE_IRI,
                memory=memory,
                partitions=partitions,
            )
        assert graph_bytes(tmp_path / "graph") == expected


def test_many_calls_leave_few_files(tmp_path: Path) -> None:
    for number in range(8):
        with until_assembly():
            build_graph(output=tmp_path, texts=[tiny_document(f"boil the pot{number}.")], extractors=tiny())
        assert all(len(list(folder.iterdir())) <= 3 for folder in (tmp_path / "records").iterdir() if folder.is_dir())
