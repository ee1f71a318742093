"""The nouns that a pronoun may stand for, and what speaks for each of them.

Nouns with the same head are one entity. What speaks for it: how recent its last mention is and in which role, how often
it was mentioned, whether its number and kind fit the pronoun, and whether the verb takes such objects
(`kgscripts.extractors.verb_objects`): the factors of Lappin and Leass (1994, "An algorithm for pronominal anaphora
resolution") with the preferences of verbs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgscripts.extractors.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.predicates import Frame
from kgscripts.extractors.verb_objects import verb_objects
from kgscripts.text.lexicon import is_a, is_tool, verbs
from kgscripts.text.syntax import INDIRECT_OBJECT, OBJECT, PASSIVE_SUBJECT, SUBJECT, conjuncts, lemma

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WINDOW = 5
"""Sentences, the pronoun's included; what was not mentioned in them is no antecedent."""
_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_PART_OF_NAME = frozenset({"compound", "flat", "goeswith", "amod"})
_DEFINITE = frozenset({"the", "this", "that", "these", "those"})
_ROLES = dict.fromkeys(OBJECT | PASSIVE_SUBJECT, "object") | dict.fromkeys(SUBJECT | INDIRECT_OBJECT, "subject")
NUMBERS = {
    **dict.fromkeys(("it", "this", "that"), "singular"),
    **dict.fromkeys(("them", "they", "these", "those", "both"), "plural"),
    **dict.fromkeys(("him", "her"), "person"),
    **dict.fromkeys(("one", "ones", "another", "some", "most", "each", "all"), ""),
}
"""The pronouns that are resolved, and what number or kind they need; "" needs none."""


@dataclass(slots=True)
class Entity:
    """Nouns with one head, or nouns of a coordination; `sentence` is the number of the last one's."""

    nouns: tuple[Token, ...]
    plural: bool
    role: str
    sentence: int
    mentions: int = 1
    pronoun: str = ""
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Discourse:
    """The entities of a text up to a word. The text may have several parses, which are read when they are needed."""

    entities: dict[str, Entity] = field(default_factory=dict)
    _unread: deque[tuple[Doc, int]] = field(default_factory=lambda: deque(maxlen=_WINDOW))
    _sentence: int = 0

    def enter(self, doc: Doc) -> None:
        """Go on to the next parse of the text."""
        self._unread.append((doc, 0))

    def read(self, end: int) -> None:
        """Take in the nouns before token `end` of the last parse."""
        doc, begin = self._unread.pop()
        while self._unread:
            self._read(self._unread[0][0], self._unread[0][1], len(self._unread[0][0]))
            self._unread.popleft()
        self._read(doc, begin, end)
        self._unread.append((doc, max(begin, end)))

    def _read(self, doc: Doc, begin: int, end: int) -> None:
        for index in range(begin, end):
            token = doc[index]
            if token.is_sent_start:
                self._sentence += 1
            if is_noun(token) and token.dep_ not in _PART_OF_NAME:
                self._mention(token)

    def _mention(self, token: Token) -> None:
        noun = content_head(token)
        if noun != token:
            return
        self._add((noun,), noun.tag_ in _PLURAL_TAGS, _role(noun))
        first = token
        while first.dep_ == "conj" and is_noun(first.head):
            first = first.head
        if first != token:
            nouns = tuple(other for other in conjuncts(first) if is_noun(other) and other.i <= token.i)
            self._add(nouns, True, _role(first))

    def _add(self, nouns: tuple[Token, ...], plural: bool, role: str) -> None:
        names = tuple(noun_lemma(noun) for noun in nouns)
        key = "+".join(name.rsplit(" ", 1)[-1] for name in names)
        before = self.entities.pop(key, None)
        mentions = before.mentions + 1 if before is not None else 1
        self.entities[key] = Entity(nouns, plural, role, self._sentence, mentions, names=names)

    def refer(self, entity: Entity, pronoun: str) -> None:
        """Note that a pronoun, the last word read, stands for an entity."""
        key = "+".join(name.rsplit(" ", 1)[-1] for name in entity.names)
        self.entities.pop(key, None)
        entity.role, entity.sentence = "object", self._sentence
        entity.mentions += 1
        entity.pronoun = pronoun
        self.entities[key] = entity

    def candidates(self, frame: Frame, pronoun: Token) -> Iterator[Entity]:
        """What the object of a frame may stand for, the last mentioned first, apart from the frame's other nouns."""
        own = {noun.i for noun in (*frame.agents, *frame.recipients, *(phrase.head for phrase in frame.phrases))}
        for key, entity in reversed(list(self.entities.items())):
            if self._sentence - entity.sentence >= _WINDOW:
                del self.entities[key]
            elif not any(noun.doc is pronoun.doc and noun.i in own for noun in entity.nouns):
                yield entity

    def features(self, frame: Frame, pronoun: Token, before: Frame | None) -> list[tuple[Entity, dict[str, float]]]:
        """The candidates with what speaks for and against each of them; `before` is the last frame with an object."""
        number = NUMBERS[pronoun.lower_]
        acted_upon = before.nouns() if before is not None else []
        parallel = before is not None and before.verb in (frame.verb.head, *frame.verb.head.children)
        word = lemma(frame.verb)
        of_verb = {"vague": float(word in verbs("vague")), "state": float(word in verbs("stative"))}
        if pronoun.lower_ in {"that", "this"}:
            of_verb["demonstrative"] = 1.0
        found = []
        for rank, entity in enumerate(self.candidates(frame, pronoun)):
            values = _kind(entity, number) | of_verb
            if acted_upon and set(acted_upon) <= set(entity.nouns):
                values["last object"] = 1.0
                values["last object, parallel"] = float(parallel)
            values["preference"] = _preference(frame, entity)
            values[f"sentence {min(3, self._sentence - entity.sentence)}"] = 1.0
            values["rank"] = math.log1p(rank)
            values["mentions"] = math.log(entity.mentions)
            values[entity.role] = 1.0
            values["same pronoun"] = float(entity.pronoun == pronoun.lower_)
            found.append((entity, values))
        return found


def _role(noun: Token) -> str:
    while noun.dep_ == "conj" and is_noun(noun.head):
        noun = noun.head
    known = _ROLES.get(noun.dep_)
    if known is not None:
        return known
    if noun.dep_ in {"nmod:poss", "poss"}:
        return "owner"
    words = {child.lower_ for child in noun.lefts if child.dep_ == "case"}
    return "with" if "with" in words else "other"


def _kind(entity: Entity, number: str) -> dict[str, float]:
    name = entity.names[-1]
    person = is_a(name, "person")
    living = person or is_a(name, "animal") or entity.nouns[-1].pos_ == "PROPN"
    values = {
        "time": float(is_a(name, "time")),
        "abstract": float(is_a(name, "abstract")),
        "place": float(is_a(name, "place")),
        "tool": float(is_tool(name)),
        "several": float(len(entity.nouns) > 1),
        "definite": float(any(child.lower_ in _DEFINITE for child in entity.nouns[0].lefts)),
    }
    if number in ("singular", "plural"):
        values["other number"] = float((number == "plural") != entity.plural)
        values["person as thing"] = float(person and number == "singular")
        values["person as several"] = float(person and number == "plural")
    elif number == "person":
        values["person"] = float(living and not entity.plural)
        values["thing as person"] = float(not living)
        values["plural as person"] = float(entity.plural)
    return values


def _preference(frame: Frame, entity: Entity) -> float:
    particle = frame.particle.lower_ if frame.particle is not None else ""
    heads = [name.rsplit(" ", 1)[-1] for name in entity.names]
    values = [verb_objects().preference(lemma(frame.verb), particle, head) for head in heads]
    return max(-3.0, min(4.0, sum(values) / len(values)))
