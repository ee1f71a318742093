"""An answer -> records: quotes are held against the text, roles and lemmas against our lists; the rest is discarded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define, evolve, field

from kgscripts.changes.attributes import attributes, is_value
from kgscripts.changes.levels import LEAST
from kgscripts.corpora.scenarios.labels import is_listed, resolve
from kgscripts.extractors.changes.words import normalised
from kgscripts.extractors.llm.pieces import Piece
from kgscripts.extractors.llm.quotes import Quotes
from kgscripts.extractors.llm.schema import SCENARIOS
from kgscripts.extractors.llm.words import Noun, Words
from kgscripts.text.lexicon import is_a, may_be_tool, verbs, word_list
from schemas.changes import Change, Level
from schemas.records import (
    Action,
    Argument,
    Discard,
    DiscardReason,
    EventMention,
    Need,
    Record,
    Role,
    Segment,
    Span,
    StateChange,
    Tool,
    ToolRole,
)

Item = Mapping[str, Any]
_PRONOUNS = word_list("pronouns for things")
_LONGEST = 80
"""The most characters of a quote in a discard."""


@define
class AnswerReader:
    """Reads the answer about a piece; `records` are those that hold, then the discards."""

    text: str
    piece: Piece
    words: Words
    confidence: float
    quotes: Quotes = field(init=False)
    _events: list[tuple[Span, EventMention]] = field(factory=list, init=False)
    """Events with the span of their quote."""
    _discards: list[Discard] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self.quotes = Quotes(self.text, self.piece.start, self.piece.end)

    def records(self, answer: Mapping[str, list[Item]]) -> list[Record]:
        """The records of an answer that the schema allows."""
        repeated: Counter[tuple[str, ...]] = Counter()
        for item in answer["events"]:
            key = (item["quote"], *item["action"].values())
            if (event := self._event(item, repeated[key])) is not None:
                self._events.append(event)
            repeated[key] += 1
        events = sorted((event for _, event in self._events), key=lambda event: (event.start, event.end))
        changes = sorted(filter(None, map(self._change, answer["changes"])), key=lambda item: (item.start, item.end))
        needs = [need for item in answer["needs"] for need in self._need(item)]
        segments = [segment for item in answer.get(SCENARIOS, ()) for segment in self._segment(item)] if events else []
        return list(dict.fromkeys([*events, *changes, *needs, *segments, *self._discards]))

    def _event(self, item: Item, number: int) -> tuple[Span, EventMention] | None:
        quote = self._held("event", item["quote"], number=number)
        if quote is None:
            return None
        action = item["action"]
        verb = self._held("verb", action["predicate"], quote)
        if verb is None:
            return None
        predicate = self.words.verb(verb)
        if not predicate:
            self._discard(DiscardReason.NOT_LISTED, f"verb {action['predicate']}", verb)
            return None
        if predicate in verbs("stative"):
            self._discard(DiscardReason.STATIVE, predicate, quote)
            return None
        spans = [verb]
        noun: Noun | None = None
        if action["object"]:
            place = self._held("object", action["object"], quote)
            if place is None:
                return None
            noun = self.words.noun(place)
        particle = self._held("particle", action["particle"], quote) if action["particle"] else None
        preposition, goal = self._phrase(action, quote)
        spans += [named.span for named in (noun, goal) if named] + ([particle] if particle else [])
        tools = list(self._tools(item["tools"], quote))
        spans += [Span(start=tool.start, end=tool.end) for tool in tools if not tool.inferred]
        event = EventMention(
            action=Action(
                predicate=predicate,
                particle=self._said(particle),
                object=noun.lemma if noun else "",
                preposition=preposition,
                prepositional_object=goal.lemma if goal else "",
            ),
            start=min(span.start for span in spans),
            end=max(span.end for span in spans),
            participants=_with_object(list(self._participants(item["participants"], quote)), noun, tools),
            tools=tools,
            score=self.confidence,
        )
        return quote, event

    def _phrase(self, action: Item, quote: Span) -> tuple[str, Noun | None]:
        if not (action["preposition"] and action["prepositional_object"]):
            return "", None
        preposition = self._held("preposition", action["preposition"], quote)
        place = self._held("place", action["prepositional_object"], quote)
        noun = self.words.noun(place) if place else None
        known = preposition is not None and noun is not None and noun.lemma not in _PRONOUNS
        return (self._said(preposition), noun) if known else ("", None)

    def _participants(self, items: list[Item], quote: Span) -> Iterator[Argument]:
        for item in items:
            place = self._held("participant", item["quote"], quote)
            noun = self.words.noun(place) if place else None
            if noun and noun.lemma not in _PRONOUNS and not is_a(noun.lemma, "time", "abstract"):
                yield Argument(lemma=noun.lemma, role=Role(item["role"]), start=noun.span.start, end=noun.span.end)

    def _tools(self, items: list[Item], quote: Span) -> Iterator[Tool]:
        """Tools that the event names, or that the text names before it."""
        for item in items:
            near = Span(start=self.piece.start, end=quote.end)
            inside = self.quotes.last_before(item["quote"], quote.end)
            place = self._held("tool", item["quote"], quote if inside and inside.start >= quote.start else near)
            noun = self.words.noun(place) if place else None
            if place is None or noun is None or noun.lemma in _PRONOUNS:
                continue
            if not may_be_tool(noun.lemma):
                self._discard(DiscardReason.NOT_LISTED, f"tool {noun.lemma}", place)
                continue
            yield Tool(
                lemma=noun.lemma,
                role=ToolRole(item["role"]),
                start=noun.span.start,
                end=noun.span.end,
                inferred=noun.span.start < quote.start,
            )

    def _change(self, item: Item) -> StateChange | None:
        quote = self._held("change", item["quote"])
        entity = self._held("entity", item["entity"])
        if quote is None or entity is None:
            return None
        said = Change(entity=item["entity"], attribute=item["attribute"], before=item["before"], after=item["after"])
        change = normalised(said)
        detail = f"{said.attribute} of {said.entity}: {said.before} -> {said.after}"
        if change is None or change.attribute not in attributes():
            self._discard(DiscardReason.NOT_LISTED, detail, quote)
            return None
        for given, value in ((said.before, change.before), (said.after, change.after)):
            if value and not is_value(value) and self._held("value", given) is None:
                return None
        event = next((event for place, event in self._events if place == quote), None) or next(
            (event for place, event in self._events if place.start <= quote.start and quote.end <= place.end), None
        )
        start, end = (event.start, event.end) if event else (quote.start, quote.end)
        return StateChange(
            entity=change.entity,
            attribute=change.attribute,
            before=change.before,
            after=change.after,
            action=event.action if event else None,
            start=start,
            end=end,
            mentioned=self.quotes.last_before(item["entity"], end),
            probability=self.confidence,
            level=Level.CERTAIN if self.confidence >= LEAST[Level.CERTAIN] else Level.LIKELY,
        )

    def _need(self, item: Item) -> Iterator[Need]:
        quote = self._held("need", item["quote"])
        noun = self.words.noun(quote) if quote else None
        if quote is None or noun is None or noun.lemma in _PRONOUNS:
            return
        amount = self._held("amount", item["amount"], quote) if item["amount"] else None
        role = ToolRole(item["role"]) if item["role"] else None
        if role is not None and not may_be_tool(noun.lemma):
            self._discard(DiscardReason.NOT_LISTED, f"tool {noun.lemma}", quote)
            return
        words = " ".join(self.text[amount.start : amount.end].split()) if amount else ""
        yield Need(lemma=noun.lemma, role=role, amount=words, start=quote.start, end=quote.end)

    def _segment(self, item: Item) -> Iterator[Segment]:
        quote = self._held("scenario", item["quote"])
        if quote is None:
            return
        if not is_listed(item["scenario"]):
            self._discard(DiscardReason.UNKNOWN_SCENARIO, item["scenario"], quote)
            return
        for start, end in self.piece.parts:
            if start < quote.end and quote.start < end:
                label = resolve(item["scenario"])
                yield Segment(scenario=label, start=start, end=end, confidence=self.confidence)

    def _held(self, what: str, quote: str, within: Span | None = None, *, number: int = 0) -> Span | None:
        """The span of a quote; a discard if it does not stand there."""
        span = self.quotes.find(quote, within, number)
        if span is None:
            where = within or Span(start=self.piece.start, end=self.piece.end)
            self._discard(DiscardReason.NOT_IN_TEXT, f"{what} {quote}", where)
        return span

    def _discard(self, reason: DiscardReason, detail: str, where: Span) -> None:
        detail = " ".join(f"llm: {detail}".split())[:_LONGEST]
        self._discards.append(Discard(reason=reason, start=where.start, end=where.end, detail=detail))

    def _said(self, span: Span | None) -> str:
        return " ".join(self.text[span.start : span.end].lower().split()) if span else ""


def _with_object(named: list[Argument], noun: Noun | None, tools: list[Tool]) -> list[Argument]:
    """The participants, each once, with the object of the action, unless it is a tool: a model does not repeat it."""
    arguments = {argument.start: argument for argument in named}
    if noun is not None and noun.lemma not in _PRONOUNS and noun.span.start not in {tool.start for tool in tools}:
        span = noun.span
        arguments.setdefault(span.start, Argument(lemma=noun.lemma, role=Role.PATIENT, start=span.start, end=span.end))
    return [arguments[start] for start in sorted(arguments)]


def joined(segments: list[Segment]) -> list[Segment]:
    """Segments in text order; those of a scenario that only blanks or headings separate are one (`pieces`)."""
    by_scenario: dict[str, list[Segment]] = {}
    for segment in sorted(segments, key=lambda item: (item.start, item.end)):
        own = by_scenario.setdefault(segment.scenario, [])
        if own and segment.start - own[-1].end <= 2:
            own[-1] = evolve(own[-1], end=max(own[-1].end, segment.end))
        else:
            own.append(segment)
    return sorted(
        (item for own in by_scenario.values() for item in own), key=lambda item: (item.start, -item.end, item.scenario)
    )
