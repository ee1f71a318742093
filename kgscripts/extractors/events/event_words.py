"""The words of a parse that name the events of given records, and the words that belong to each event."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import is_noun
from kgscripts.text.syntax import (
    OBJECT,
    PASSIVE_SUBJECT,
    is_passive,
    is_verb,
    lemma,
    markers_of,
    objects_of,
    passive_subject_of,
)
from schemas.records import EventMention, Role

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


def object_spans(mention: EventMention) -> tuple[tuple[int, int], ...]:
    """The spans of the objects of the event."""
    return tuple((item.start, item.end) for item in mention.participants if item.role is Role.PATIENT)


def by_predicate(doc: Doc, offset: int, mentions: Sequence[EventMention]) -> dict[Token, list[EventMention]]:
    """The mentions that begin in a parse, by the word that names the event, in text order."""
    tokens = [token for token in doc if not token.is_space]
    first = bisect_left(mentions, offset, key=lambda mention: mention.start)
    last = bisect_left(mentions, offset + len(doc.text), key=lambda mention: mention.start)
    by_verb: dict[Token, list[EventMention]] = {}
    for mention in mentions[first:last]:
        own = _covered(tokens, mention.start - offset, mention.end - offset)
        if own:
            objects = [_covered(tokens, start - offset, end - offset) for start, end in object_spans(mention)]
            by_verb.setdefault(_predicate_of(own, mention.action.predicate, objects), []).append(mention)
    return dict(sorted(by_verb.items(), key=lambda item: item[0].i))


def _covered(tokens: Sequence[Token], start: int, end: int) -> Sequence[Token]:
    """The tokens of which characters lie in a span of their parse."""
    first = bisect_right(tokens, start, key=lambda token: token.idx) - 1
    if first < 0 or tokens[first].idx + len(tokens[first]) <= start:
        first += 1
    return tokens[first : bisect_left(tokens, end, key=lambda token: token.idx)]


def _predicate_of(words: Sequence[Token], predicate: str, objects: Iterable[Sequence[Token]]) -> Token:
    """The word of a mention that names the event.

    Verbs with the lemma of the predicate come before other words with it. Of several such verbs, it is the head of an
    object, else the first. If no word has the lemma ("Oven: 220 °C" for "preheat"), it is the head of the words.
    """
    named = [word for word in words if lemma(word) == predicate]
    named = [word for word in named if is_verb(word) and not is_noun(word)] or named
    if len(named) > 1:
        for noun in (word for tokens in objects for word in tokens):
            above = next((word for word in _upwards(noun) if word in named), None)
            if above is not None:
                return above
    return named[0] if named else next(word for word in words if word.head.i == word.i or word.head not in words)


def words_of_events(doc: Doc, offset: int, by_verb: Mapping[Token, Sequence[EventMention]]) -> dict[int, int]:
    """Maps tokens to the event of their clause, that of the nearest predicate above.

    A tool in another clause belongs to the event too, with its dependents: "use your hands to knead", "take a knife and
    cut".
    """
    predicates = {verb.i: index for index, verb in enumerate(by_verb)}
    owned: dict[int, int] = {}
    if not by_verb:
        return owned
    tokens = [token for token in doc if not token.is_space]
    for token in doc:
        above = next((word for word in _upwards(token) if word.i in predicates), None)
        if above is not None:
            owned[token.i] = predicates[above.i]
    used = [
        (noun, predicates[event.i])
        for verb in tokens
        if lemma(verb) == "use" and verb.i not in predicates
        for noun, event in _used_for(verb, predicates)
    ]
    for index, mentions in enumerate(by_verb.values()):
        for tool in (tool for mention in mentions for tool in mention.tools if not tool.inferred):
            words = _covered(tokens, tool.start - offset, tool.end - offset)
            used += [(word, index) for word in words if owned.get(word.i) != index and _is_acted_upon(word)]
    for noun, index in sorted(used, key=lambda item: item[1]):
        owned.update((token.i, index) for token in noun.subtree if token.i not in predicates)
    return owned


def _used_for(verb: Token, predicates: Container[int]) -> Iterator[tuple[Token, Token]]:
    """The objects of "use" with the event that is done with them: "use X to cut", "to cut it, use X"."""
    objects = passive_subject_of(verb) if is_passive(verb) else objects_of(verb)
    behind = (child for parent in (verb, *objects) for child in parent.rights)
    for child in (*behind, *verb.lefts):
        if child.i in predicates and any(marker.lower_ in {"to", "for"} for marker in markers_of(child)):
            yield from ((noun, child) for noun in objects)
            return


def _is_acted_upon(noun: Token) -> bool:
    """Whether a noun is an object, or one that is coordinated with an object."""
    while noun.dep_ == "conj":
        noun = noun.head
    return noun.dep_ in OBJECT | PASSIVE_SUBJECT


def _upwards(token: Token) -> Iterable[Token]:
    yield token
    yield from token.ancestors
