"""Events found in narrations without sentence ends (`tests/data/unpunctuated.jsonl`), read whole and by clauses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.measure import Row
from kgscripts.building.reading import parse_documents
from kgscripts.corpora.plain_text import document_of_text
from kgscripts.extractors.events import events_of_parses
from kgscripts.extractors.protocol import Parse
from kgscripts.text.pipeline import load_pipeline
from schemas.records import Passage, PassageKind

_NARRATIONS = Path(__file__).resolve().parents[1] / "tests" / "data" / "unpunctuated.jsonl"


@frozen
class Narration:
    """A text and the lemmas of the verbs of its events, in order."""

    text: str
    events: tuple[str, ...]


def narrations() -> list[Narration]:
    """The narrations, which rules were developed on."""
    records = map(json.loads, _NARRATIONS.read_text(encoding="utf-8").splitlines())
    return [Narration(record["text"], tuple(record["events"])) for record in records]


def found_by_clauses(narration: Narration) -> Counter[str]:
    """The verbs of the events that a build finds."""
    (parses,) = parse_documents([document_of_text("", narration.text)], None)
    return _verbs(parses)


def found_whole(narration: Narration) -> Counter[str]:
    """The verbs of the events that are found if the text is parsed as one piece."""
    passage = Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(narration.text))
    return _verbs([Parse(passage, load_pipeline()(narration.text), 0)])


def _verbs(parses: list[Parse]) -> Counter[str]:
    return Counter(event.frame.verb.lemma_ for event in events_of_parses(parses) if event.reason is None)


def rows() -> Iterator[Row]:
    """The events that are found of all that are told, and those that are found and not told."""
    texts = narrations()
    told = sum(len(text.events) for text in texts)
    for how, find in (("whole", found_whole), ("by clauses", found_by_clauses)):
        right = sum((find(text) & Counter(text.events)).total() for text in texts)
        all_found = sum(find(text).total() for text in texts)
        figure = f"{right} of {told} events, {all_found - right} others"
        yield Row(f"{len(texts)} narrations without sentence ends, read {how}", figure)
