"""Decompositions and state changes hang on the events of whatever extractor gives them, here one that is no other's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import pytest

from kgscripts.building.reading import Batch, DocumentReader
from kgscripts.corpora.formats import documents_from_strings
from kgscripts.extractors.changes.state_changes import StateChangeExtractor
from kgscripts.extractors.decomposition.decomposition import DecompositionExtractor
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.extractors.registry import choose
from kgscripts.text.pipeline import describe_pipeline
from schemas.errors import ConfigurationError
from schemas.records import (
    Action,
    Argument,
    Decomposition,
    Document,
    EventMention,
    Record,
    Role,
    StateChange,
    Tool,
)
from tests.extractors.fixed_generator import FixedGenerator
from tests.extractors.test_decomposition import FixedAligner

PAIR = {
    "abstract": "Drain the pasta.",
    "concrete": "Put a strainer into the sink. The pasta, slowly, with a ladle.",
}


class WordEvents(Extractor):
    """Gives one event where a text has "pasta"; what is done to it is no verb of a text."""

    name = "word-events"
    rules = "1"
    task = "events of words"
    gives = (EventMention,)

    verbs: ClassVar[Sequence[str]] = ("strain", "tip")

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            list(map(self._event, re.finditer(r"pasta[^.]*", item.document.text), self.verbs)) for item in documents
        ]

    @staticmethod
    def _event(found: re.Match[str], verb: str) -> EventMention:
        start, end = found.span()
        pasta = Argument(lemma="pasta", role=Role.PATIENT, start=start, end=start + len("pasta"))
        tools = [Tool(lemma="ladle", start=end - len("ladle"), end=end)] if found[0].endswith("ladle") else []
        action = Action(predicate=verb, object="pasta")
        return EventMention(action=action, start=start, end=end, participants=[pasta], tools=tools)


def _read() -> tuple[list[Record], Document]:
    """The records of the pair: its events, decompositions and state changes."""
    (document,) = (item for item in documents_from_strings([PAIR]) if isinstance(item, Document))
    extractors = [
        WordEvents(),
        DecompositionExtractor(FixedAligner(("drain", "pasta"))),
        StateChangeExtractor(FixedGenerator(default=[("pasta", "wetness", "wet", "dry", 0.9)])),
    ]
    chosen = choose(extractors, (), describe_pipeline)
    readings = (
        DocumentReader(chosen, strict=True).read(Batch([document], frozenset(item.version for item in chosen))).readings
    )
    return [record for reading in readings for record in reading.records], document


def test_decompositions_and_state_changes_hang_on_the_events_of_another_extractor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(WordEvents, "verbs", ("strain", "ladle"))
    records, document = _read()
    abstract, concrete = (record for record in records if isinstance(record, EventMention))
    (whole,) = (record for record in records if isinstance(record, Decomposition))
    assert (whole.action, whole.start, whole.end) == (abstract.action, abstract.start, abstract.end)
    (step,) = whole.steps
    assert (step.action, step.start, step.end) == (concrete.action, concrete.start, concrete.end)
    assert [tool.lemma for tool in step.tools] == ["ladle"]
    (change,) = (record for record in records if isinstance(record, StateChange))
    assert (change.action, change.start, change.end) == (concrete.action, concrete.start, concrete.end)
    assert document.text[change.start : change.end] == "pasta, slowly, with a ladle"
    assert (change.entity, change.attribute, change.after) == ("pasta", "wetness", "dry")


def test_an_event_whose_verb_is_no_word_of_the_text_is_decomposed_and_changes_nothing() -> None:
    records, _ = _read()
    (whole,) = (record for record in records if isinstance(record, Decomposition))
    assert [(step.action.predicate, step.action.object) for step in whole.steps] == [("tip", "pasta")]
    assert not [record for record in records if isinstance(record, StateChange)]


@pytest.mark.parametrize("extractor", [DecompositionExtractor, StateChangeExtractor])
def test_without_an_extractor_of_events_there_is_nothing_to_hang_on(extractor: type[Extractor]) -> None:
    with pytest.raises(ConfigurationError, match="requires EventMention records"):
        choose([extractor()], (), describe_pipeline)


@pytest.mark.parametrize("extractor", [DecompositionExtractor, StateChangeExtractor])
def test_other_events_are_another_version(extractor: type[Extractor], monkeypatch: pytest.MonkeyPatch) -> None:
    def version() -> str:
        chosen = choose([WordEvents(), extractor()], (), describe_pipeline)
        return next(item.version for item in chosen if item.extractor.name == extractor.name)

    before = version()
    assert version() == before
    monkeypatch.setattr(WordEvents, "rules", "2")
    assert version() != before
