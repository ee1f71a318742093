"""The extractor of what a written script says of its steps: tools, participants, changes, needs.

What a step does is read in its name by the extractors of events; this one adds to their event what the file says of the
step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgscripts.corpora.scripts.format import NeedKind, Script, Step
from kgscripts.corpora.scripts.reader import FORMAT, Place, written_script
from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.text.lexicon import role_of
from schemas.changes import Level
from schemas.records import Action, Argument, EventMention, Need, Record, Span, StateChange, Tool


class ScriptExtractor(Extractor):
    """Gives what scripts say that people write."""

    name = "scripts"
    rules = "1"
    task = "what written scripts say"
    requires = (EventMention,)
    gives = (EventMention, StateChange, Need)
    licence = "Apache-2.0"

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        return [list(_records(item)) if item.document.format == FORMAT else [] for item in documents]


def _records(item: ParsedDocument) -> Iterator[Record]:
    script, places = written_script(item.document.text, item.document.name)
    events = item.records_of(EventMention)
    yield from _needs(script, places)
    for number, step in enumerate(script.steps):
        place = places["steps"][number]
        name = place["name"].span
        inside = [event for event in events if name.start <= event.start < name.end]
        yield from _of_step(step, place, min(inside, key=lambda event: event.start, default=_as_named(step, name)))


def _as_named(step: Step, name: Span) -> EventMention:
    """The event of a name in which none is read: its first word, done to the rest."""
    verb, _, rest = step.name.lower().partition(" ")
    return EventMention(action=Action(predicate=verb, object=rest), start=name.start, end=name.end)


def _needs(script: Script, places: Place) -> Iterator[Need]:
    for number, need in enumerate(script.needs):
        span = places["needs"][number]["thing"].span
        role = role_of(need.thing) if need.kind is NeedKind.TOOL else None
        yield Need(lemma=need.thing, role=role, amount=need.amount, start=span.start, end=span.end)


def _of_step(step: Step, place: Place, event: EventMention) -> Iterator[Record]:
    tools = []
    for number, tool in enumerate(step.tools):
        span = place["tools"][number]["thing"].span
        tools.append(Tool(lemma=tool.thing, role=tool.role, start=span.start, end=span.end))
    participants = []
    for number, participant in enumerate(step.participants):
        span = place["participants"][number]["thing"].span
        participants.append(Argument(lemma=participant.thing, role=participant.role, start=span.start, end=span.end))
    yield EventMention(
        action=event.action,
        start=event.start,
        end=event.end,
        words=event.words,
        phrase=event.phrase,
        participants=participants,
        tools=tools,
    )
    for change in step.changes:
        yield StateChange(
            entity=change.entity,
            attribute=change.attribute,
            before=change.before,
            after=change.after,
            action=event.action,
            start=event.start,
            end=event.end,
            mentioned=None,
            probability=1.0,
            level=Level.CERTAIN,
        )
