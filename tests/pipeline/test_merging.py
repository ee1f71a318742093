"""A merge of graphs is the graph that one build of all their inputs makes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.editing.correcting import correct_graph, list_corrections
from kgscripts.editing.merging import merge_graphs
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections
from kgscripts.records.store import RecordStore
from schemas.corrections import Correction
from schemas.errors import KGScriptsError
from schemas.graph_directory import locked
from schemas.records import Document
from tests.assembly.built import graph_bytes
from tests.assembly.test_additions import ABOUT_PASTA, ADDED, PASTA, about, add, correction
from tests.assembly.tiny_changes import TinyChanges
from tests.assembly.tiny_reader import MANY_DOCUMENTS, OtherTinyExtractor, tiny, tiny_document

EXAMPLES = Path(__file__).resolve().parents[2] / "kgscripts" / "examples" / "texts"

_STEPS = st.sampled_from(["boil pasta", "stir water", "warm plate", "put lid on pot", "drain pot"])
_TIMES = st.integers(0, 5)
CORRECTION = st.one_of(
    st.builds(add, _STEPS, hour=_TIMES),
    st.builds(add, _STEPS, st.just("USES"), st.sampled_from(["spoon", "oven"]), hour=_TIMES),
    st.builds(add, _STEPS, st.just("CHANGES"), st.just("moisture of pot: wet"), hour=_TIMES),
    st.tuples(_STEPS, _STEPS, _TIMES)
    .filter(lambda pair: pair[0] != pair[1])
    .map(lambda pair: add(pair[0], "PRECEDES", pair[1], hour=pair[2])),
    st.builds(lambda step, hour: correction("reject", hour, scenario=PASTA, step=step), _STEPS, _TIMES),
    st.builds(
        lambda step, name, hour: correction("rename", hour, scenario=PASTA, step=step, name=name),
        *(st.sampled_from(["boil water", "add pasta", "stir"]), st.sampled_from(["one", "two"]), _TIMES),
    ),
    st.builds(
        lambda kind, step, other, hour: correction(kind, hour, scenario=PASTA, step=step, other=other),
        st.sampled_from(["same step", "different step"]),
        st.sampled_from(["boil water", "boil pasta"]),
        st.sampled_from(["stir pasta", "drain pasta"]),
        _TIMES,
    ),
    st.builds(
        lambda step, hour: correction("reject", hour, scenario=PASTA, step=step, relation="USES", other="spoon"),
        *(_STEPS, _TIMES),
    ),
    st.builds(about, st.sampled_from(["a", "b"]), st.sampled_from([PASTA, "none"]), _TIMES),
    st.builds(about, st.sampled_from(["a", "b"]), st.just(PASTA), _TIMES, st.just("the pot.")),
)


def _build(directory: Path, documents: Sequence[Document], corrections: Sequence[Correction] = ()) -> Path:
    with locked(directory), RecordStore(directory / "records") as store:
        add_corrections(store, corrections)
    build_graph(output=directory, texts=documents, extractors=[*tiny(), OtherTinyExtractor(), TinyChanges()])
    return directory


@settings(max_examples=1)
@given(
    documents=MANY_DOCUMENTS,
    corrections=st.lists(CORRECTION, min_size=12, max_size=20),
    seed=st.integers(0, 99),
)
def test_builds_corrections_removals_and_merges_give_the_same_bytes(
    documents: list[Document], corrections: list[Correction], seed: int
) -> None:
    documents = [*ABOUT_PASTA, *documents]
    corrections = [*ADDED, about("one.txt", "none", 1, "add ... spoon"), *corrections]
    shuffled = random.Random(seed).sample(documents, len(documents))
    extra = tiny_document("warm the plate. peel the egg.", name="extra", scenario=PASTA)
    with TemporaryDirectory() as folder:
        path = Path(folder)
        whole = _build(path / "whole", documents, corrections)
        report = validate(ScriptGraph.open(whole), None, closed=True)
        assert report.conforms, report.violations[:3]
        one = _build(path / "one", [extra, *shuffled[::2]])
        correct_graph(one, corrections[::2])
        remove_source(one, extra.digest)
        # Both have read some of the texts, and know some of the corrections.
        other = _build(path / "other", [*shuffled[1::2], *shuffled[:4]], corrections[:3])
        correct_graph(other, corrections[1::2])
        merge_graphs([one, other], path / "merged")
        assert graph_bytes(path / "merged") == graph_bytes(whole)
        assert list_corrections(path / "merged") == list_corrections(whole)


def test_shipped_texts_are_merged_without_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was removed from one comes back with the other."""
    texts = [EXAMPLES / name for name in ("how_to_cook_pasta.md", "cooking_pasta.txt", "making_coffee.txt")]
    for name, files in (("whole", texts), ("b", texts[1:])):
        build_graph(files, tmp_path / name, without=["state-changes", "scenarios", "steps"])
    shutil.copytree(tmp_path / "whole", tmp_path / "a")
    remove_source(tmp_path / "a", texts[1])
    monkeypatch.setattr("kgscripts.building.reading.parse_documents", None)
    merge_graphs([tmp_path / "a", tmp_path / "b"], tmp_path / "merged")
    assert graph_bytes(tmp_path / "merged") == graph_bytes(tmp_path / "whole")
    # It can be built further, as any other graph.
    report = build_graph(texts, tmp_path / "merged", without=["state-changes", "scenarios", "steps"])
    assert report.run.sources_read == 0


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graphs")
    document = tiny_document("boil the water. stir the pasta.", name="d", scenario=PASTA)
    build_graph(output=folder / "older", texts=[document], extractors=[*tiny("0"), OtherTinyExtractor()])
    iri = "https://x.org/"
    build_graph(output=folder / "iri", texts=[document], extractors=[*tiny(), OtherTinyExtractor()], base_iri=iri)
    for name, text in (("plain", "boil the egg."), ("after", "boil the pasta.")):
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
        (("plain", "after"), "text.txt: both graphs have read it.*\n.*again"),
        (("plain", "missing"), "no graph directory"),
        (("plain", "foreign"), "no graph directory"),
    ],
)
def test_what_cannot_be_merged(graphs: Path, tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    with pytest.raises(KGScriptsError, match=rf"(?s){message}"):
        merge_graphs([graphs / name for name in names], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


def test_a_merge_leaves_what_is_there(graphs: Path) -> None:
    for target in (graphs / "plain", graphs / "foreign"):
        before = graph_bytes(target)
        with pytest.raises(KGScriptsError, match=r"there is a graph already|holds other files"):
            merge_graphs([graphs / "plain", graphs / "after"], target)
        assert graph_bytes(target) == before
    assert (graphs / "foreign" / "file").exists()
