"""Documents with scenarios in JSON lines, and stories in sentences."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.reproductions.scenarios.documents import (
    document_line,
    labelled_stories,
    read_scenario_documents,
    read_stories,
)
from kgscripts.reproductions.scenarios.merging import read_filler
from kgscripts.text.passages import sentence_spans
from schemas.errors import InputError
from schemas.records import Passage, PassageKind
from schemas.scenario_documents import LabelledSegment, ScenarioDocument, concept_scheme

LABELS = st.sampled_from([concept.label for concept in concept_scheme()])


@st.composite
def documents(draw: st.DrawFn) -> ScenarioDocument:
    sentences = draw(st.lists(st.text(min_size=1, max_size=9).filter(str.strip), min_size=1, max_size=6))
    spans = st.integers(0, len(sentences) - 1).flatmap(
        lambda start: st.tuples(st.just(start), st.integers(start + 1, len(sentences)))
    )
    segments = draw(st.lists(st.tuples(spans, st.lists(LABELS, min_size=1, max_size=3, unique=True)), max_size=4))
    return ScenarioDocument(
        id=draw(st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)),
        sentences=sentences,
        segments=[LabelledSegment(start=start, end=end, scenarios=labels) for (start, end), labels in segments],
    )


@given(documents())
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, document: ScenarioDocument) -> None:
    path = tmp_path_factory.getbasetemp() / "written.jsonl"
    try:
        path.write_text(document_line(document), encoding="utf-8")
    except UnicodeEncodeError:
        return  # A lone surrogate cannot be written.
    assert read_scenario_documents(path) == [document]


def _record(**changes: object) -> str:
    segment = {"start": 0, "end": 2, "scenarios": ["bake a cake", "None", "making tea"]}
    return json.dumps({"id": "a", "sentences": ["One.", "Two."], "segments": [segment], **changes})


def test_labels_are_resolved_and_none_is_no_label(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    nothing = [{"start": 0, "end": 1, "scenarios": ["None"]}]
    own = [{"start": 0, "end": 1, "scenarios": ["feeding a dragon"]}]
    lines = (_record(), _record(id="b", segments=nothing), _record(id=3, segments=own))
    path.write_text("\n\n".join(lines), encoding="utf-16")
    first, second, third = read_scenario_documents(path, others={"feeding a dragon"})
    assert first.labels() == (("baking a cake", "making tea"),) * 2
    assert second.segments == ()
    assert (third.id, third.segments[0].scenarios) == ("3", ("feeding a dragon",))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "not a JSON object"),
        ('{"id": "b"', "not JSON"),
        (_record(id=""), '"id"'),
        (_record(id="a"), "occurs twice"),
        (_record(id="b", sentences=[]), "empty"),
        (_record(id="b", sentences="One."), "sentences"),
        (_record(id="b", sentences=["One.", " "]), "sentence 1 is blank"),
        (_record(id="b", sentences=[" ", "One."]), "sentence 0 is blank"),
        (_record(id="b", sentences=["\ud800", "b"]), "surrogate"),
        (_record(id="b", segments=None), "segments"),
        (_record(id="b", segments=[[0, 1]]), "segments"),
        (_record(id="b", segments=[{"start": 0, "end": 3, "scenarios": ["making tea"]}]), "sentence 3 of 2"),
        (_record(id="b", segments=[{"start": 1, "end": 1, "scenarios": ["making tea"]}]), "1:1"),
        (_record(id="b", segments=[{"start": -1, "end": 1, "scenarios": ["making tea"]}]), "-1:1"),
        (_record(id="b", segments=[{"start": True, "end": 1, "scenarios": ["making tea"]}]), "whole number"),
        (_record(id="b", segments=[{"start": 0, "end": 1.0, "scenarios": ["making tea"]}]), "whole number"),
        (_record(id="b", segments=[{"start": 0, "end": 1, "scenarios": []}]), "no scenario"),
        (_record(id="b", segments=[{"start": 0, "end": 1, "scenarios": "making tea"}]), "list of strings"),
        (_record(id="b", segments=[{"start": 0, "end": 1, "scenarios": ["feeding a dragon"]}]), "feeding a dragon"),
        (_record(id="b", segments=[{"start": 0, "end": 1, "scenarios": ["\ud800"]}]), "surrogate"),
        ("\udcff", "not UTF-8"),
    ],
)
def test_bad_documents_are_errors_with_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_bytes(f"{_record()}\n\n{line}\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=message) as raised:
        read_scenario_documents(path)
    assert raised.value.where == "documents.jsonl:3"


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InputError, match="empty"):
        read_scenario_documents(tmp_path)


STORIES = """<data>
<instance id="1" scenario="bake a cake"><text>I mixed the dough. Then I put the tin
in the oven!</text></instance>
<instance id="2"><text>Nobody came.</text></instance>
</data>"""


def test_stories_in_sentences(tmp_path: Path) -> None:
    path = tmp_path / "stories.xml"
    path.write_text(STORIES, encoding="utf-8")
    first, second = read_stories(path)
    assert (first.scenario, second.scenario) == ("baking a cake", "")
    assert first.sentences == ("I mixed the dough.", "Then I put the tin in the oven!")
    assert labelled_stories(path) == [first]


def test_sentences_of_treebanks_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    words = ["Hm", ".", "I", "see", "."]
    rows = [f"{number}\t{word}" + "\t_" * 8 for number, word in enumerate(words, 1)]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert [story.sentences for story in read_stories(path)] == [("Hm . I see .",)]


def test_sentences_are_those_of_the_parser() -> None:
    from kgscripts.text.passages import parse_passages
    from kgscripts.text.pipeline import load_pipeline

    texts = ["We baked a cake. It was good!\n\nMore? Yes", "", "  \n ", "I came home and then I slept. Well, I tried."]
    parsed = [
        [sentence.text.strip() for sentence in piece.doc.sents]
        for text in texts
        for piece in parse_passages(load_pipeline(), [(text, None)])
    ]
    assert [sentence for found in split_sentences(texts) for sentence in found] == [
        sentence for found in parsed for sentence in found
    ]
    assert split_sentences(texts)[1:3] == [[], []]


def split_sentences(texts: list[str]) -> list[list[str]]:
    whole = [(text, [Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(text))] if text else []) for text in texts]
    return [[text[start:end] for start, end in found] for text, found in zip(texts, sentence_spans(whole), strict=True)]


def test_sentences_do_not_depend_on_how_products_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from kgscripts.text import passages
    from kgscripts.text.pipeline import load_pipeline

    stories = Path(__file__).resolve().parents[1] / "data" / "natural_stories.jsonl"
    texts = [" ".join(document.sentences) for document in read_scenario_documents(stories)]
    found = split_sentences(texts)
    assert load_pipeline().get_pipe("tok2vec").model.ops.use_blis  # type: ignore[attr-defined]
    monkeypatch.setattr(passages, "_fast_products", nullcontext)
    assert split_sentences(texts) == found


INSCRIPT = """\
▁I #ScrPart_bather_bath single none none none
▁bathed none none #ScrEv_bathe_bath single 1
▁. none none none none none
▁I #ScrPart_bather_bath single none none none
▁was none none none none none
▁hungry none none #UnrelEv_other_bath single 2
▁. none none none none none
▁The none none none none none
▁water #ScrPart_water_bath single none none none
▁was none none none none none
▁cold none none none none none
▁. none none none none none
<end_of_story>
"""


def test_filler_is_what_is_about_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "bath").write_text(INSCRIPT, encoding="utf-8")
    assert read_filler(tmp_path / "bath") == [("I was hungry.",)]
    path = tmp_path / "documents.jsonl"
    segments = [{"start": 1, "end": 2, "scenarios": ["making tea"]}]
    path.write_text(_record(sentences=["a", "b", "c", "d"], segments=segments), encoding="utf-8")
    assert read_filler(path) == [("a",), ("c", "d")]
    path.write_text(_record(), encoding="utf-8")
    with pytest.raises(InputError, match="no sentence without"):
        read_filler(path)
