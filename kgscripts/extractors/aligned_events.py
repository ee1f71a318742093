"""The two sides of a pair as words and events, each event with the words that it owns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import field, frozen
from spacy.tokens import Token

from kgscripts.extractors.events import JudgedEvent, events_of_parses
from kgscripts.extractors.lexicon import is_a, verbs
from kgscripts.extractors.nouns import is_noun
from kgscripts.extractors.predicates import Frame
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.models.aligner_words import is_content_word
from kgscripts.text.syntax import lemma
from schemas.records import EventMention, PassageKind, Role

_SIDES = (PassageKind.ABSTRACT, PassageKind.CONCRETE)
_BEFORE_CLAUSES = frozenset({"and", "or", "then", "to", ",", ";"})


@frozen
class Word:
    """A word by its span in the document's text."""

    start: int
    end: int


@frozen
class Event:
    """A frame that counts: the place of its predicate among the words of its side, and its mentions."""

    predicate: int
    mentions: tuple[EventMention, ...]


@frozen
class Side:
    """One side of a pair.

    `owners` holds for each word the place of the event that it belongs to, None where there is no event at all; `own`
    says whether it is a part of that event's clause, not merely near it. `objects` are the places of the words that
    name the object of a mention. `nouns` are the lemmas of the nouns of the side.
    """

    words: Sequence[Word]
    texts: Sequence[str]
    events: Sequence[Event]
    owners: Sequence[int | None]
    own: Sequence[bool]
    objects: dict[EventMention, frozenset[int]] = field(repr=False)
    nouns: frozenset[str]

    def words_of(self, event: Event, mention: EventMention) -> list[int]:
        """The content words of an event as one mention tells it; objects of its other mentions are left out."""
        place = self.events.index(event)
        others = set().union(*(self.objects[other] for other in event.mentions)) - self.objects[mention]
        found = [
            word
            for word, (owner, own) in enumerate(zip(self.owners, self.own, strict=True))
            if owner == place and own and word not in others and is_content_word(self.texts[word])
        ]
        return found or [event.predicate]


def read_sides(parsed: ParsedDocument) -> tuple[Side, Side] | None:
    """The abstract and the concrete side; None where the document is no pair or a side has no word."""
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
        if kind is PassageKind.ABSTRACT:
            counted = [event for event in counted if _is_told(event.frame)]
        sides.append(_side((parse, [event for event in counted if event.parse is parse]) for parse in parses))
    return (sides[0], sides[1]) if all(side.words for side in sides) else None


def _is_told(frame: Frame) -> bool:
    """Whether an abstract side, which has no commas, tells an event here: "salt" in "add salt butter" is none.

    It is one where it begins a clause, or the verb is an everyday one; a participle needs somebody who does it.
    """
    verb = frame.verb
    if verb.tag_ in {"VBN", "VBD"} and not frame.agents:
        return False
    everyday = lemma(verb) in verbs("action") and not is_a(lemma(verb), "consumable")
    return everyday or verb.is_sent_start or verb.nbor(-1).lower_ in _BEFORE_CLAUSES


def _side(parses: Iterable[tuple[Parse, list[JudgedEvent]]]) -> Side:
    words: list[Word] = []
    texts: list[str] = []
    events: list[Event] = []
    owners: list[int | None] = []
    nouns: set[str] = set()
    for parse, found in parses:
        places: dict[int, int] = {}
        owned = _owned([event.frame for event in found])
        first_event = len(events)
        for token in parse.doc:
            if token.is_space:
                continue
            places[token.i] = len(words)
            start = parse.offset + token.idx
            words.append(Word(start, start + len(token)))
            texts.append(token.lower_)
            place = owned.get(token.i)
            owners.append(None if place is None else first_event + place)
            if is_noun(token):
                nouns.add(lemma(token))
        events.extend(Event(places[event.frame.verb.i], event.mentions) for event in found)
    own = [owner is not None for owner in owners]
    return Side(
        words=words,
        texts=texts,
        events=events,
        owners=[_nearest(events, place) if owner is None else owner for place, owner in enumerate(owners)],
        own=own,
        objects={mention: _object(words, mention) for event in events for mention in event.mentions},
        nouns=frozenset(nouns),
    )


def _owned(frames: Sequence[Frame]) -> dict[int, int]:
    """Token -> the frame whose clause it stands in: that of the nearest predicate above it; instruments go along."""
    verbs = {frame.verb.i: place for place, frame in enumerate(frames)}
    found: dict[int, int] = {}
    if frames:
        for token in frames[0].verb.doc:
            above = next((word for word in _upwards(token) if word.i in verbs), None)
            if above is not None:
                found[token.i] = verbs[above.i]
    for place, frame in enumerate(frames):
        for instrument in frame.instruments:
            found.update((token.i, place) for token in instrument.subtree if token.i not in verbs)
    return found


def _upwards(token: Token) -> Iterable[Token]:
    yield token
    yield from token.ancestors


def _nearest(events: Sequence[Event], word: int) -> int | None:
    """The event whose predicate stands nearest to a word that is in no clause of one; the later one of two."""
    return min(range(len(events)), key=lambda place: (abs(events[place].predicate - word), -place), default=None)


def _object(words: Sequence[Word], mention: EventMention) -> frozenset[int]:
    spans = [(item.start, item.end) for item in mention.participants if item.role is Role.PATIENT]
    return frozenset(
        place for place, word in enumerate(words) if any(start <= word.start < end for start, end in spans)
    )
