"""The readers on the real corpora: published figures, no discards, valid spans."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kgscripts.corpora.files import InputFile, find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.inscript import GoldStory, gold_stories
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import open_source
from schemas.records import Document, PassageKind
from tests.corpora.documents import check_spans


def _documents(path: Path) -> list[Document]:
    documents = [item for file in find_files([path]) for item in read_file(file)]
    for document in documents:
        assert isinstance(document, Document), document
        check_spans(document)
    return [document for document in documents if isinstance(document, Document)]


@pytest.mark.parametrize(
    ("file", "stories", "scenarios"), [("train", 1470, 1), ("dev", 219, 1), ("trial", 68, 1), ("labelled", 245, 103)]
)
def test_mcscript(shared_corpora: Path, file: str, stories: int, scenarios: int) -> None:
    documents = _documents(shared_corpora / "mcscript" / f"{file}-data.xml")
    assert len(documents) == stories
    assert len({document.scenario for document in documents}) == scenarios
    assert len({document.name for document in documents}) == stories


@pytest.mark.parametrize(("split", "rows"), [("train", 8038), ("valid", 1007)])
def test_kidscook_templates(shared_corpora: Path, split: str, rows: int) -> None:
    documents = _documents(shared_corpora / "kidscook" / f"{split}.template.tsv")
    assert len(documents) == rows
    kinds = [PassageKind.ABSTRACT, PassageKind.CONCRETE]
    assert all([passage.kind for passage in document.passages] == kinds for document in documents)


def test_descript(shared_corpora: Path) -> None:
    folder = shared_corpora / "descript" / "esds"
    documents = _documents(folder)
    assert len(documents) == 3845 == sum(path.read_bytes().count(b"<script ") for path in folder.iterdir())
    items = sum(path.read_bytes().count(b"<item ") for path in folder.iterdir())
    assert sum(len(document.passages) for document in documents) == items
    scenarios = Counter(resolve(document.scenario) for document in documents)
    assert len(scenarios) == 40
    assert scenarios["flying in a plane"] == 79 + 12


@pytest.mark.parametrize(("split", "stories"), [("train", 738), ("val", 86)])
def test_inscript(shared_corpora: Path, split: str, stories: int) -> None:
    documents = _documents(shared_corpora / "inscript" / split)
    assert len(documents) == stories
    assert {resolve(file.name) for file in find_files([shared_corpora / "inscript" / split])} == {
        document.scenario for document in documents
    }


def test_inscript_labels(shared_corpora: Path) -> None:
    path = shared_corpora / "inscript" / "val" / "bath"
    with open_source(InputFile(path, "bath")) as source:
        stories = [story for story in gold_stories(source) if isinstance(story, GoldStory)]
    assert len(stories) == 9
    first = stories[0]
    text = first.document.text
    assert text.startswith("This morning I decided to take a nice, long bath rather than rushing through the shower.")
    heads = [(text[word.start : word.end], word.event) for word in first.words if word.is_event_head]
    assert heads[:4] == [
        ("decided", "UnrelEv"),
        ("take", "Evoking"),
        ("rushing", "UnrelEv"),
        ("walked", "ScrEv_enter_bathroom"),
    ]
    participants = [(text[w.start : w.end], w.participant, w.chain) for w in first.words if w.is_participant_head]
    assert participants[:3] == [("morning", "NPart", None), ("I", "ScrPart_bather", 0), ("bath", "ScrPart_bath", None)]
    assert ("stopper", "ScrPart_plug", 6) in participants
    assert ("drain", "ScrPart_drain", None) in participants
    assert ("bathtub", "ScrPart_drain", None) not in participants
