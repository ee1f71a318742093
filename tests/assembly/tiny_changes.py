"""State changes that the verbs of the tiny language bring about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import evolve, frozen

from kgscripts.extractors.protocol import Extractor, ParsedDocument
from schemas.changes import Level
from schemas.records import Action, Discard, EventMention, Record, Sentence, Span, StateChange

_CHANGES = {
    "boil": (("temperature", "", "hot"), ("wetness", "dry", "wet")),
    "add": (("location", "on the table", "in the pot"), ("moisture", "wet", "quite dry")),
    "stir": (("location", "in pot", "on the stove"), ("location", "pot", "outside the pot")),
    "drain": (("moisture", "wet", "dry"),),
}


@frozen
class TinyChanges(Extractor):
    """Finds what verbs do to their object, or to water; what tools get by it; and a change of no event.

    A sentence that was left out ("not stir the pot.") changes a pot all the same, without event.
    """

    name = "tiny-changes"
    rules = "1"
    task = "state changes"
    requires = (EventMention, Sentence, Discard)
    gives = (StateChange,)

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [list(_changes(item)) for item in documents]


@frozen
class OtherTinyChanges(TinyChanges):
    """Finds some of these, with less confidence."""

    name = "other-tiny-changes"

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [
            [evolve(change, probability=0.1, level=Level.CERTAIN) for change in _changes(item) if change.start % 2 == 0]
            for item in documents
        ]


def _changes(item: ParsedDocument) -> Iterator[StateChange]:
    for sentence in item.records[Discard]:
        assert isinstance(sentence, Discard)
        if sentence.start is None or sentence.end is None:
            continue
        yield StateChange(
            entity="pot",
            attribute="location",
            before="stove",
            after="in the pot",
            action=None,
            start=sentence.start,
            end=sentence.end,
            mentioned=None,
            probability=0.2,
            level=Level.LIKELY,
        )
    for event in item.records[EventMention]:
        assert isinstance(event, EventMention)
        found = next((thing for thing in event.participants if thing.lemma == event.action.object), None)
        for number, (attribute, before, after) in enumerate(_CHANGES.get(event.action.predicate, ())):
            yield StateChange(
                entity=event.action.object or "water",
                attribute=attribute,
                before=before,
                after=after,
                action=event.action,
                start=event.start,
                end=event.end,
                mentioned=Span(start=found.start, end=found.end) if found else None,
                probability=0.75 - number / 4,
                level=Level.LIKELY if number else Level.CERTAIN,
            )
        for tool in event.tools:
            yield StateChange(
                entity=tool.lemma,
                attribute="cleanness",
                before="clean",
                after="dirty",
                action=event.action,
                start=event.start,
                end=event.end,
                mentioned=Span(start=tool.start, end=tool.end),
                probability=0.9,
                level=Level.LIKELY,
            )
            yield StateChange(
                entity="ghost",
                attribute="shape",
                before="",
                after="round",
                action=Action(predicate="vanish") if event.action.object else None,
                start=event.start,
                end=event.end,
                mentioned=None,
                probability=0.9,
                level=Level.LIKELY,
            )
