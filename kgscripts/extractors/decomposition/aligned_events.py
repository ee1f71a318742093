"""The two sides of a pair as words and events, with the words that belong to each event.

The events are the `EventMention` records of the document, from any extractor. The parse gives the word that names each
of them and the words that belong to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import field, frozen

from kgscripts.extractors.events.event_words import by_predicate, object_spans, words_of_events
from kgscripts.extractors.events.nouns import is_noun
from kgscripts.extractors.protocol import Parse, ParsedDocument
from kgscripts.models.alignment.words import is_content_word
from kgscripts.text.lexicon import is_a, verbs, word_list
from kgscripts.text.syntax import (
    is_passive,
    lemma,
    prepositional_phrases,
    subjects_of,
)
from schemas.records import EventMention, Passage, PassageKind, Span

if TYPE_CHECKING:
    from spacy.tokens import Token

_SIDES = (PassageKind.ABSTRACT, PassageKind.CONCRETE)
_THINGS = word_list("relating pronouns", "near demonstratives", "far demonstratives")
_MEANS = word_list("means")
_BEFORE_CLAUSES = word_list("links before a part of a whole") | {",", ";"}


@frozen
class Event:
    """An event: the index of its predicate among the words of its side, and its mentions."""

    predicate: int
    mentions: tuple[EventMention, ...]


@frozen
class Side:
    """One side of a pair.

    `owners` gives for each word the index of the event to which it belongs, None if there is no event. `own` is true if
    the word is part of the clause of that event, and false if it is only near it. `objects` gives the indices of the
    words of each mention's object. `nouns` are the lemmas of the side's nouns.
    """

    words: Sequence[Span]
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
        words = [
            word
            for word, (owner, own) in enumerate(zip(self.owners, self.own, strict=True))
            if owner == index and own and word not in others and is_content_word(self.texts[word])
        ]
        return words or [event.predicate]


def read_sides(parsed: ParsedDocument) -> tuple[Side, Side] | None:
    """The abstract and the concrete side; None if the document is not a pair or a side has no words."""
    wholes = [[passage for passage in parsed.document.passages if passage.kind is kind] for kind in _SIDES]
    if not all(wholes):
        return None
    # An event that several extractors found counts once.
    unique = {(item.start, item.end, item.action, object_spans(item)): item for item in parsed.records_of(EventMention)}
    mentions = sorted(unique.values(), key=lambda item: (item.start, item.end))
    abstract, concrete = (
        _side(parsed.parses, of_side, mentions, kind) for kind, of_side in zip(_SIDES, wholes, strict=True)
    )
    return (abstract, concrete) if abstract.words and concrete.words else None


def _is_event(verb: Token, predicate: str) -> bool:
    """Whether a predicate of an abstract side, which has no commas, is an event; "salt" in "add salt butter" is none.

    It is an event if it begins a clause or its verb is an everyday one; a participle also needs an agent.
    """
    if verb.tag_ in {"VBN", "VBD"} and not _agents(verb):
        return False
    everyday = predicate in verbs("action") and not is_a(predicate, "consumable")
    return everyday or verb.is_sent_start or verb.nbor(-1).lower_ in _BEFORE_CLAUSES


def _is_step(verb: Token) -> bool:
    """Whether a predicate of a concrete side is an action: "smoked" in "the smoked salmon" is none, nor is "until it is
    cooked". What a thing does by itself ("the liquid starts to run") is no action. A participle needs an agent, or has
    to be the root of its sentence.
    """
    agents = _agents(verb)
    if any(agent.lower_ in _THINGS or (is_noun(agent) and not is_a(lemma(agent), "person")) for agent in agents):
        return False
    return verb.tag_ not in {"VBN", "VBD"} or bool(agents) or verb.dep_ == "ROOT"


def _agents(verb: Token) -> list[Token]:
    """The heads of its agents: nouns and pronouns."""
    if not is_passive(verb):
        return subjects_of(verb)
    phrases = (phrase for phrase in prepositional_phrases(verb) if phrase.preposition == "by")
    return [phrase.head for phrase in phrases if lemma(phrase.head) not in _MEANS]


def _side(
    parses: Iterable[Parse], wholes: Sequence[Passage], mentions: Sequence[EventMention], kind: PassageKind
) -> Side:
    words: list[Span] = []
    texts: list[str] = []
    events: list[Event] = []
    owners: list[int | None] = []
    nouns: set[str] = set()
    for parse in parses:
        # The concrete side may be parsed step by step.
        if not any(whole.start <= parse.passage.start and parse.passage.end <= whole.end for whole in wholes):
            continue
        doc = parse.doc
        by_verb = {
            verb: own
            for verb, own in by_predicate(doc, parse.offset, mentions).items()
            if (_is_event(verb, own[0].action.predicate) if kind is PassageKind.ABSTRACT else _is_step(verb))
        }
        indices: dict[int, int] = {}
        owned = words_of_events(doc, parse.offset, by_verb)
        first_event = len(events)
        for token in parse.doc:
            if token.is_space:
                continue
            indices[token.i] = len(words)
            start = parse.offset + token.idx
            words.append(Span(start=start, end=start + len(token)))
            texts.append(token.lower_)
            owner = owned.get(token.i)
            owners.append(None if owner is None else first_event + owner)
            if is_noun(token):
                nouns.add(lemma(token))
        events.extend(Event(indices[verb.i], tuple(own)) for verb, own in by_verb.items())
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


def _nearest(events: Sequence[Event], word: int) -> int | None:
    """The event with the nearest predicate, for a word outside of the clauses of all events; of two, the later one."""
    return min(range(len(events)), key=lambda event: (abs(events[event].predicate - word), -event), default=None)


def _object(words: Sequence[Span], mention: EventMention) -> frozenset[int]:
    spans = object_spans(mention)
    return frozenset(
        index for index, word in enumerate(words) if any(start <= word.start < end for start, end in spans)
    )
