"""The graph is a pure function of all records: neither order nor number of calls changes a byte."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.pipeline import build_graph, remove_source
from schemas.records import Document
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import DOCUMENTS, TinyReader, tiny_document


@settings(max_examples=20, deadline=None)
@given(documents=DOCUMENTS, seed=st.integers(0, 1000), calls=st.integers(1, 4))
def test_order_and_split_change_nothing(documents: list[Document], seed: int, calls: int) -> None:
    shuffled = random.Random(seed).sample(documents, len(documents))
    with tempfile.TemporaryDirectory() as folder:
        at_once, in_parts = Path(folder, "at-once"), Path(folder, "in-parts")
        build_graph(output=at_once, texts=documents, reader=TinyReader())
        for start in range(calls):
            build_graph(output=in_parts, texts=shuffled[start::calls], reader=TinyReader())
        assert graph_bytes(in_parts) == graph_bytes(at_once)


@settings(max_examples=10, deadline=None)
@given(documents=DOCUMENTS, more=st.text("abc .", min_size=1, max_size=9))
def test_adding_and_removing_is_as_if_nothing_had_been(documents: list[Document], more: str) -> None:
    added = tiny_document(f"peel the {more}.", name="added")
    with tempfile.TemporaryDirectory() as folder:
        plain, changed = Path(folder, "plain"), Path(folder, "changed")
        build_graph(output=plain, texts=documents, reader=TinyReader())
        build_graph(output=changed, texts=[added, *documents], reader=TinyReader())
        assert graph_bytes(changed) != graph_bytes(plain)
        assert remove_source(changed, added.digest) == ["added"]
        assert graph_bytes(changed) == graph_bytes(plain)


def test_many_calls_leave_few_files(tmp_path: Path) -> None:
    for number in range(40):
        build_graph(output=tmp_path, texts=[tiny_document(f"boil the pot{number}.")], reader=TinyReader())
    assert len(list(tmp_path.glob("records/*.parquet"))) <= 5
