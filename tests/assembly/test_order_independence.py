"""The graph is a pure function of all records: neither order nor number of calls changes a byte."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgscripts.assembly import engine
from kgscripts.assembly.assemble import assemble
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.store import RecordStore
from schemas.graph_directory import locked
from schemas.records import Document
from schemas.vocabulary import DEFAULT_BASE_IRI
from tests.assembly.built import graph_bytes
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


@settings(max_examples=6)
@example(documents=[], seed=0, calls=2)
@given(documents=MANY_DOCUMENTS, seed=st.integers(0, 1000), calls=st.sampled_from([2, 3, 1]))
def test_order_and_split_change_nothing(documents: list[Document], seed: int, calls: int) -> None:
    shuffled = random.Random(seed).sample(documents, len(documents))
    with tempfile.TemporaryDirectory() as folder:
        at_once, in_parts = Path(folder, "at-once"), Path(folder, "in-parts")
        build_graph(output=at_once, texts=documents, extractors=[*tiny(), TinyLister()])
        for start in range(calls):
            build_graph(output=in_parts, texts=shuffled[start::calls], extractors=[*tiny(), TinyLister()])
        assert graph_bytes(in_parts) == graph_bytes(at_once)


@settings(max_examples=4)
@example(documents=[], more="egg")
@given(documents=MANY_DOCUMENTS, more=st.text("abc .", min_size=1, max_size=9))
def test_adding_and_removing_is_as_if_nothing_had_been(documents: list[Document], more: str) -> None:
    added = tiny_document(f"peel the {more}.", name="added")
    with tempfile.TemporaryDirectory() as folder:
        plain, changed = Path(folder, "plain"), Path(folder, "changed")
        extractors = [*tiny(), TinyLister(), TinyChanges()]
        build_graph(output=plain, texts=documents, extractors=extractors)
        build_graph(output=changed, texts=[added, *documents], extractors=extractors)
        assert graph_bytes(changed) != graph_bytes(plain)
        assert remove_source(changed, added.digest) == ["added"]
        assert graph_bytes(changed) == graph_bytes(plain)


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
    extractors = [*tiny(), TinySegmenter(), OtherTinyExtractor(), TinyDecomposer(), TinyLister(), TinyChanges()]
    report = build_graph(output=tmp_path / "graph", texts=documents, extractors=extractors)
    expected = graph_bytes(tmp_path / "graph")
    assert report.relations["PRECEDES"] > 3
    for name in ("NEEDS", "DECOMPOSES_INTO", "CHANGES", "PERSISTS_TO", "CONTRADICTS"):
        assert name in report.relations
    for partitions, threads, memory, unoptimized in (
        (1, 1, None, 1 << 30),
        (2, 2, 1 << 28, 0),
        (7, 3, 1 << 30, 1 << 30),
    ):
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
    for number in range(12):
        build_graph(output=tmp_path, texts=[tiny_document(f"boil the pot{number}.")], extractors=tiny())
        assert all(len(list(folder.iterdir())) <= 3 for folder in (tmp_path / "records").iterdir() if folder.is_dir())
