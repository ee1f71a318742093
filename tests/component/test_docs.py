"""Graphs of Docs: the same bytes as those of their texts, from a stream, with their pipeline as the parser."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from kgscripts import ScriptGraph
from kgscripts.building.docs import given_docs
from kgscripts.building.inputs import text_input
from kgscripts.pipeline import build_graph
from kgscripts.text.pipeline import COMPONENT, describe_language, describe_pipeline, shipped_directory
from schemas.errors import ConfigurationError, InputError, KGScriptsError
from tests.component.pipelines import EXAMPLES, STORY, quick

QUICKLY: dict[str, Any] = {"extractors": ["events", "labels", "sentences"]}
TEXTS = [path.read_text(encoding="utf-8") for path in EXAMPLES[:2]]


@pytest.fixture(scope="module")
def plain() -> Language:
    """The pipeline that ships, without the component."""
    return spacy.load(shipped_directory())


def content(directory: Path) -> dict[str, bytes]:
    """The files of a graph, without those of records."""
    files = [directory / "manifest.json", *(directory / "nodes").iterdir(), *(directory / "relations").iterdir()]
    return {file.name: file.read_bytes() for file in files}


def test_docs_make_the_graph_of_their_texts(plain: Language, tmp_path: Path) -> None:
    build_graph(texts=TEXTS, output=tmp_path / "texts", **QUICKLY)
    build_graph(docs=plain.pipe(TEXTS), output=tmp_path / "docs", **QUICKLY)
    assert content(tmp_path / "docs") == content(tmp_path / "texts")
    parsers = [row for row in ScriptGraph.open(tmp_path / "docs").rows("Model") if row["name"] == "en_kgscripts"]
    assert [row["digest"] for row in parsers] == [describe_pipeline().digest]


def test_several_processes_read_stored_docs_with_the_pipeline_that_the_component_noted(tmp_path: Path) -> None:
    bin_ = DocBin(store_user_data=True, docs=quick().pipe(TEXTS)).to_bytes()
    docs = DocBin().from_bytes(bin_).get_docs(spacy.blank("en").vocab)
    report = build_graph(docs=docs, output=tmp_path / "docs", jobs=2, **QUICKLY)
    build_graph(texts=TEXTS, output=tmp_path / "docs", **QUICKLY)  # nothing is left to read
    assert ScriptGraph.open(tmp_path / "docs").build_id == report.build_id


def test_texts_of_another_parser_are_set_aside_until_they_come_as_docs(tmp_path: Path) -> None:
    build_graph(texts=[STORY], output=tmp_path, **QUICKLY)
    nlp = spacy.load(shipped_directory(), exclude=["lemma_corrector"])
    report = build_graph(docs=nlp.pipe(["Boil the water."]), output=tmp_path, **QUICKLY)
    assert {(item.name, item.reason.value) for item in report.failures} == {
        ("events", "required records missing"),
        ("sentences", "required records missing"),
    }
    assert not build_graph(docs=nlp.pipe([STORY]), output=tmp_path, **QUICKLY).failures


def test_a_pipeline_is_known_by_what_it_parses_with(plain: Language) -> None:
    assert describe_language(plain) == describe_pipeline()
    list(plain.pipe(["We frobnicated the water."]))
    assert describe_language(quick()) == describe_pipeline()
    changed = spacy.load(shipped_directory(), exclude=["lemma_corrector"])
    digest = describe_language(changed).digest
    assert digest != describe_pipeline().digest
    list(changed.pipe(["We brought the xylophone."]))
    assert describe_language(changed).digest == digest


def test_docs_pass_as_a_stream(plain: Language) -> None:
    alive: weakref.WeakSet[Doc] = weakref.WeakSet()
    most = 0

    def docs() -> Iterator[Doc]:
        nonlocal most
        for number in range(20):
            doc = plain(f"Boil {number} eggs.")
            alive.add(doc)
            most = max(most, len(alive))
            yield doc
            del doc

    with given_docs(docs(), "en_kgscripts") as given:
        inputs = given.inputs(lambda text: text_input(text, None))
        first = [next(inputs).key for _ in range(5)]
        assert [item.key for item, _ in zip(given.inputs(lambda text: text_input(text, None)), range(5), strict=False)]
        assert len(first) == 5
        for _ in inputs:
            pass
    assert most <= 3


def test_limit_takes_no_more_docs_than_it_needs(plain: Language, tmp_path: Path) -> None:
    stream = plain.pipe((f"Boil {number} eggs." for number in range(1_000)), batch_size=2)
    assert build_graph(docs=stream, output=tmp_path, limit=2, **QUICKLY).sources == 2
    assert int(next(stream)[1].text) < 20


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        (5, "docs is 5"),
        ("text", "docs is 'text'"),
        ([5], "a Doc is 5"),
        ([spacy.blank("en")(STORY)], "which pipeline parsed these Docs is not known"),
    ],
    ids=["number", "text", "numbers", "unknown"],
)
def test_what_is_no_stream_of_docs_is_an_error(docs: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(KGScriptsError, match=message):
        build_graph(docs=docs, output=tmp_path / "graph", **QUICKLY)
    assert not (tmp_path / "graph" / "manifest.json").exists()


def test_docs_of_two_pipelines_or_without_a_parse_are_an_error(tmp_path: Path) -> None:
    other = quick()(STORY)
    other.user_data[COMPONENT] = {**other.user_data[COMPONENT]}
    other.user_data[COMPONENT]["parser"] = {**other.user_data[COMPONENT]["parser"], "digest": "a" * 64}
    with pytest.raises(InputError, match="was parsed by another pipeline"):
        build_graph(docs=[quick()(STORY), other], output=tmp_path, **QUICKLY)
    with pytest.raises(InputError, match="has no parse"):
        build_graph(docs=[spacy.blank("en")(STORY)], spacy_model="en_kgscripts", output=tmp_path, **QUICKLY)


@pytest.mark.parametrize("options", [{"texts": [STORY]}, {"format": "jsonl"}], ids=str)
def test_docs_come_alone_and_as_text(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="docs come with"):
        build_graph(docs=[quick()(STORY)], output=tmp_path, **options, **QUICKLY)
