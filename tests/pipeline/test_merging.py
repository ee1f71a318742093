"""A merge of graphs is the graph that one build of all their inputs makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.editing.correcting import list_corrections
from kgscripts.editing.merging import merge_graphs
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import KGScriptsError
from schemas.graph_directory import locked
from schemas.records import Document
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import MANY_DOCUMENTS, OtherTinyExtractor, tiny, tiny_document

SCENARIO = "cooking pasta"
EXAMPLES = Path(__file__).resolve().parents[2] / "kgscripts" / "examples" / "texts"


def _correction(step: str, hour: int, **values: Any) -> Correction:
    return Correction(scenario=SCENARIO, step=step, author="Ada", time=f"2026-03-01T{hour:02}:00:00Z", **values)


CORRECTIONS = st.lists(
    st.one_of(
        st.builds(
            _correction,
            st.sampled_from(["boil water", "add pasta", "stir"]),
            st.integers(0, 3),
            kind=st.just("rename"),
            name=st.sampled_from(["one", "two"]),
        ),
        st.builds(
            _correction,
            st.sampled_from(["boil water", "boil pasta"]),
            st.integers(0, 3),
            kind=st.sampled_from(["same step", "different step"]),
            other=st.sampled_from(["stir pasta", "drain pasta"]),
        ),
        st.builds(_correction, st.sampled_from(["stir", "add water"]), st.integers(0, 3), kind=st.just("reject")),
    ),
    max_size=4,
)


def _build(directory: Path, documents: Sequence[Document], corrections: Sequence[Correction] = ()) -> Path:
    with locked(directory), RecordStore(directory / "records") as store:
        add_corrections(store, corrections)
    build_graph(output=directory, texts=documents, extractors=[*tiny(), OtherTinyExtractor()])
    return directory


@settings(max_examples=2)
@given(parts=st.lists(st.tuples(MANY_DOCUMENTS, CORRECTIONS), min_size=2, max_size=2))
def test_a_merge_equals_one_build(parts: list[tuple[list[Document], list[Correction]]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder)
        built = [_build(path / str(number), *part) for number, part in enumerate(parts)]
        whole = _build(
            path / "whole",
            [document for documents, _ in parts for document in documents],
            [correction for _, corrections in parts for correction in corrections],
        )
        merge_graphs(built, path / "merged")
        assert graph_bytes(path / "merged") == graph_bytes(whole)
        assert list_corrections(path / "merged") == list_corrections(whole)


def test_shipped_texts_are_merged_without_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [EXAMPLES / name for name in ("how_to_cook_pasta.md", "cooking_pasta.txt", "making_coffee.txt")]
    for name, files in (("a", texts[:2]), ("b", texts[1:]), ("whole", texts)):
        build_graph(files, tmp_path / name, without=["state-changes", "scenarios", "steps"])
    monkeypatch.setattr("kgscripts.building.reading.parse_documents", None)
    merge_graphs([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == graph_bytes(tmp_path / "whole")
    # It can be built further, as any other graph.
    report = build_graph(texts, tmp_path / "merged", without=["state-changes", "scenarios", "steps"])
    assert report.run.sources_read == 0


def test_what_was_removed_from_one_comes_back_with_the_other(tmp_path: Path) -> None:
    one, other = (tiny_document(f"boil the {noun}.", name=noun) for noun in ("water", "pasta"))
    a = _build(tmp_path / "a", [one, other])
    b = _build(tmp_path / "b", [other])
    remove_source(a, "pasta")
    merge_graphs([a, b], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == graph_bytes(_build(tmp_path / "whole", [one, other]))


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    document = tiny_document("boil the water. stir the pasta.", name="d", scenario=SCENARIO)
    _build(folder / "plain", [document])
    build_graph(output=folder / "older", texts=[document], extractors=[*tiny("0"), OtherTinyExtractor()])
    iri = "https://x.org/"
    build_graph(output=folder / "iri", texts=[document], extractors=[*tiny(), OtherTinyExtractor()], base_iri=iri)
    for name, text in (("before", "boil the egg."), ("after", "boil the pasta.")):
        (folder / "text.txt").write_text(text, encoding="utf-8")
        build_graph(folder / "text.txt", folder / name, extractors=[*tiny(), OtherTinyExtractor()])
    (folder / "foreign").mkdir()
    (folder / "foreign" / "file").touch()
    return folder


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "two or more"),
        (("plain",), "two or more"),
        (("plain", "plain"), "two or more"),
        (("plain", "older"), "other versions of them.*: tiny\n.*build both again"),
        (("plain", "iri"), "--base-iri https://w3id.org/kgscripts/data/ and https://x.org/"),
        (("before", "after"), "text.txt: both graphs have read it.*\n.*again"),
        (("plain", "missing"), "no graph directory"),
        (("plain", "foreign"), "no graph directory"),
    ],
)
def test_what_cannot_be_merged(graphs: Path, tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(KGScriptsError, match=rf"(?s){message}"):
        merge_graphs([graphs / name for name in names], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_a_merge_leaves_what_is_there(graphs: Path, tmp_path: Path) -> None:
    for target in (graphs / "plain", graphs / "foreign"):
        before = graph_bytes(target)
        with pytest.raises(KGScriptsError, match=r"there is a graph already|holds other files"):
            merge_graphs([graphs / "plain", _build(tmp_path / "b", [tiny_document("stir.")])], target)
        assert graph_bytes(target) == before
    assert (graphs / "foreign" / "file").exists()
