"""The two sides of a pair as words and events, with the words that belong to each event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from kgscripts.extractors.events import JudgedEvent, events_of_parses
from kgscripts.extractors.nouns import is_noun
from kgscripts.extractors.predicates import Frame
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.models.alignment.words import is_content_word
from kgscripts.text.lexicon import is_a, verbs
from kgscripts.text.syntax import lemma
from schemas.records import EventMention, PassageKind, Role

if TYPE_CHECKING:
    from spacy.tokens import Token

_SIDES = (PassageKind.ABSTRACT, PassageKind.CONCRETE)
_THINGS = frozenset({"it", "they", "that", "which", "this", "these", "those"})
_BEFORE_CLAUSES = frozenset({"and", "or", "then", "to", ",", ";"})


@frozen
class Word:
    """The span of a word in the document's text."""

    start: int
    end: int


@frozen
class Event:
    """An event: the index of its predicate among the words of its side, and its mentions."""

    predicate: int
    mentions: tuple[EventMention, ...]


@frozen
class Side:
    """One side of a pair.

    `owners` gives for each word the index of the event that it belongs to, None if there is no event; `own` is true
    where the word is part of that event's clause, and false where it is merely near it. `objects` gives the indices of
    the words of each mention's object. `nouns` are the lemmas of the side's nouns.
    """

    words: Sequence[Word]
    texts: Sequence[str]
    events: Sequence[Event]
    owners: Sequence[int | None]
    own: Sequence[bool]
    objects: dict[EventMention, frozenset[int]] = field(repr=False)
    nouns: frozenset[str]

    def words_of(self, event: Event, mention: EventMention) -> list[int]:
        """Indices of an event's content words in one mention, without the objects of its other mentions."""
        index = self.events.index(event)
        others = set().union(*(self.objects[other] for other in event.mentions)) - self.objects[mention]
        found = [
            word
            for word, (owner, own) in enumerate(zip(self.owners, self.own, strict=True))
            if owner == index and own and word not in others and is_content_word(self.texts[word])
        ]
        return found or [event.predicate]


def read_sides(parsed: ParsedDocument) -> tuple[Side, Side] | None:
    """The abstract and the concrete side; None if the document is not a pair or a side has no words."""
    sides = []
    for kind in _SIDES:
        wholes = [passage for passage in parsed.document.passages if passage.kind is kind]
        # The concrete side may be parsed step by step.
        parses = [
            parse
            for parse in parsed.parses
            if any(whole.start <= parse.passage.start and parse.passage.end <= whole.end for whole in wholes)
        ]
        counted = [event for event in events_of_parses(parsed.parses) if event.reason is None]
        is_event = _is_event if kind is PassageKind.ABSTRACT else _is_step
        counted = [event for event in counted if is_event(event.frame)]
        sides.append(_side((parse, [event for event in counted if event.parse is parse]) for parse in parses))
    return (sides[0], sides[1]) if all(side.words for side in sides) else None


def _is_event(frame: Frame) -> bool:
    """Whether a frame of an abstract side, which has no commas, is an event: "salt" in "add salt butter" is not.

    It is an event if it begins a clause or its verb is an everyday one; a participle also needs an agent.
    """
    verb = frame.verb
    if verb.tag_ in {"VBN", "VBD"} and not frame.agents:
        return False
    everyday = lemma(verb) in verbs("action") and not is_a(lemma(verb), "consumable")
    return everyday or verb.is_sent_start or verb.nbor(-1).lower_ in _BEFORE_CLAUSES


def _is_step(frame: Frame) -> bool:
    """Whether a frame of a concrete side is something to do: not "smoked" in "the smoked salmon", "until it is cooked".

    Nothing is, that a thing does by itself ("the liquid starts to run"). A participle needs an agent, or to be what the
    sentence says.
    """
    if any(agent.lower_ in _THINGS or (is_noun(agent) and not is_a(lemma(agent), "person")) for agent in frame.agents):
        return False
    return frame.verb.tag_ not in {"VBN", "VBD"} or bool(frame.agents) or frame.verb.dep_ == "ROOT"


def _side(parses: Iterable[tuple[Parse, list[JudgedEvent]]]) -> Side:
    words: list[Word] = []
    texts: list[str] = []
    events: list[Event] = []
    owners: list[int | None] = []
    nouns: set[str] = set()
    for parse, found in parses:
        indices: dict[int, int] = {}
        owned = _owned([event.frame for event in found])
        first_event = len(events)
        for token in parse.doc:
            if token.is_space:
                continue
            indices[token.i] = len(words)
            start = parse.offset + token.idx
            words.append(Word(start, start + len(token)))
            texts.append(token.lower_)
            owner = owned.get(token.i)
            owners.append(None if owner is None else first_event + owner)
            if is_noun(token):
                nouns.add(lemma(token))
        events.extend(Event(indices[event.frame.verb.i], event.mentions) for event in found)
    own = [owner is not None for owner in owners]
    return Side(
        words=words,
        texts=texts,
        events=events,
        owners=[_nearest(events, word) if owner is None else owner for word, owner in enumerate(owners)],
        own=own,
        objects={mention: _object(words, mention) for event in events for mention in event.mentions},
        nouns=frozenset(nouns),
    )


def _owned(frames: Sequence[Frame]) -> dict[int, int]:
    """Maps tokens to the frame of their clause, that of the nearest predicate above; instruments are included."""
    verbs = {frame.verb.i: index for index, frame in enumerate(frames)}
    found: dict[int, int] = {}
    if frames:
        for token in frames[0].verb.doc:
            above = next((word for word in _upwards(token) if word.i in verbs), None)
            if above is not None:
                found[token.i] = verbs[above.i]
    for index, frame in enumerate(frames):
        for instrument in frame.instruments:
            found.update((token.i, index) for token in instrument.subtree if token.i not in verbs)
    return found


def _upwards(token: Token) -> Iterable[Token]:
    yield token
    yield from token.ancestors


def _nearest(events: Sequence[Event], word: int) -> int | None:
    """The event with the nearest predicate, for a word outside all events' clauses; of two, the later one."""
    return min(range(len(events)), key=lambda event: (abs(events[event].predicate - word), -event), default=None)


def _object(words: Sequence[Word], mention: EventMention) -> frozenset[int]:
    spans = [(item.start, item.end) for item in mention.participants if item.role is Role.PATIENT]
    return frozenset(
        index for index, word in enumerate(words) if any(start <= word.start < end for start, end in spans)
    )
