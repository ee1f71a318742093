"""The nouns of a text that a pronoun may refer to.

Nouns with the same head are one entity. The features of their last mention are in
`kgscripts.extractors.pronouns.antecedent_features`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import REMAINDERS, content_head, is_noun, noun_lemma
from kgscripts.extractors.events.predicates import Frame
from kgscripts.extractors.pronouns.people import GENDERS, gender_of, is_living
from kgscripts.text.lexicon import is_a
from kgscripts.text.syntax import INDIRECT_OBJECT, OBJECT, PASSIVE_SUBJECT, SUBJECT, conjuncts, is_verb, markers_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

WINDOW = 5
"""The number of sentences, the pronoun's included, in which an antecedent must have been mentioned."""
_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_PART_OF_NAME = frozenset({"compound", "flat", "goeswith", "amod"})
_OF_PEOPLE = SUBJECT | PASSIVE_SUBJECT | {"nmod:poss", "poss"}
_ROLES = dict.fromkeys(OBJECT | PASSIVE_SUBJECT, "object") | dict.fromkeys(SUBJECT | INDIRECT_OBJECT, "subject")
_PHRASES = (
    ("with", frozenset({"with"})),
    ("into", frozenset({"in", "into", "on", "onto", "to", "over", "inside", "around", "round", "under", "through"})),
    ("from", frozenset({"from", "off"})),
    ("reason", frozenset({"because", "despite", "without", "for", "after", "before", "during", "like", "as"})),
)
_ONE = frozenset({"one", "another", "each", "other", "next", "first", "second", "last"})
_MANY = frozenset({"both", "few", "many", "several", "couple", "dozen"})


@dataclass(slots=True)
class Entity:
    """Nouns with one head, or nouns of a coordination; `sentence` and `clause` are the numbers of the last one's.

    `pronoun` is the last pronoun that referred to it, `embedded` says whether the last mention was in a purpose or a
    relative clause.
    """

    nouns: tuple[Token, ...]
    singular: bool
    plural: bool
    role: str
    sentence: int
    clause: int
    embedded: bool = False
    mentions: int = 1
    objects: int = 0
    pronoun: str = ""
    gender: str = ""
    names: tuple[str, ...] = ()

    @property
    def is_person(self) -> bool:
        """Whether it is one person, animal or name."""
        return len(self.nouns) == 1 and self.singular and is_living(self.nouns[0], self.names[0])

    @property
    def key(self) -> str:
        """The heads, which identify the entity."""
        return "+".join(name.rsplit(" ", 1)[-1] for name in self.names)


@dataclass(slots=True)
class Discourse:
    """The entities of a text up to a word. The text may have several parses, which are processed when they are
    needed."""

    entities: dict[str, Entity] = field(default_factory=dict)
    sentence: int = 0
    clause: int = 0
    one: int = -1
    """The last clause in which the text named one of several things: "one bent", "I found another"."""
    _people: dict[Token, Entity] = field(default_factory=dict)
    """Whom the pronouns "he" and "she" refer to."""
    _unread: deque[tuple[Doc, int]] = field(default_factory=lambda: deque(maxlen=WINDOW))

    def enter(self, doc: Doc) -> None:
        """Go on to the next parse of the text."""
        self._unread.append((doc, 0))

    def read(self, end: int) -> None:
        """Add the nouns before token `end` of the last parse."""
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
                self.sentence += 1
            if is_noun(token):
                if token.dep_ not in _PART_OF_NAME and token.lower_ not in REMAINDERS:
                    self._mention(token)
            elif is_verb(token):
                self.clause += 1
            elif names_one(token):
                self.one = self.clause
            elif token.lower_ in GENDERS and token.dep_ in _OF_PEOPLE:
                self._person(token, GENDERS[token.lower_])

    def _mention(self, token: Token) -> None:
        noun = content_head(token)
        if noun != token:
            return
        self._add((noun,), *_number(noun))
        first = _first(token)
        if first != token:
            nouns = tuple(other for other in conjuncts(first) if is_noun(other) and other.i <= token.i)
            self._add(nouns, False, True)

    def _person(self, pronoun: Token, gender: str) -> None:
        """Note that "he", "she", "his" or "her" refers to the last person who may be meant."""
        people = (other for other in reversed(self.entities.values()) if other.is_person)
        person = next((other for other in people if other.gender in ("", gender)), None)
        if person is not None:
            person.gender = gender
            person.role, person.embedded = "subject", False
            self._again(person)
            self._people[pronoun] = person

    def _again(self, entity: Entity) -> None:
        """Note that the last word processed mentions an entity."""
        self.entities.pop(entity.key, None)
        entity.sentence, entity.clause = self.sentence, self.clause
        entity.mentions += 1
        self.entities[entity.key] = entity

    def _add(self, nouns: tuple[Token, ...], singular: bool, plural: bool) -> None:
        role = _role(nouns[0])
        names = tuple(noun_lemma(noun) for noun in nouns)
        entity = Entity(nouns, singular, plural, role, self.sentence, self.clause, _is_embedded(nouns[0]), names=names)
        before = self.entities.pop(entity.key, None)
        entity.objects = int(role == "object")
        entity.gender = gender_of(names[-1])
        if before is not None:
            entity.mentions += before.mentions
            entity.objects += before.objects
            entity.gender = entity.gender or before.gender
        self.entities[entity.key] = entity

    def refer(self, entity: Entity, pronoun: str) -> None:
        """Note that a pronoun, the last word processed, refers to an entity."""
        self._again(entity)
        entity.role, entity.embedded = "object", False
        entity.objects += 1
        entity.pronoun = pronoun
        if entity.is_person and not entity.gender:
            entity.gender = GENDERS.get(pronoun, "")

    def candidates(self, frame: Frame) -> Iterator[Entity]:
        """The candidates for the object of a frame, the last mentioned first, without the other nouns of the frame."""
        others = (*frame.agents, *frame.recipients, *(phrase.head for phrase in frame.phrases))
        own = {_key(noun) for noun in others if is_noun(noun)}
        own |= {self._people[other].key for other in others if other in self._people}
        for key, entity in reversed(list(self.entities.items())):
            if self.sentence - entity.sentence >= WINDOW:
                del self.entities[key]
            elif own.isdisjoint(entity.key.split("+")):
                yield entity


def _key(noun: Token) -> str:
    return noun_lemma(content_head(noun)).rsplit(" ", 1)[-1]


def names_one(token: Token) -> bool:
    """Whether a word refers to one of several things named before: "one bent", "flatten each", "the other"."""
    if token.lower_ not in _ONE or token.dep_ in {"det", "nummod", "amod", "compound", "advmod", "fixed"}:
        return False
    return not any(child.dep_ in {"nmod", "prep"} for child in token.rights)


def _first(noun: Token) -> Token:
    """The first noun of a coordination."""
    while noun.dep_ == "conj" and is_noun(noun.head):
        noun = noun.head
    return noun


def _measure(noun: Token) -> Token:
    """ "Sheets" of "five sheets of paper"; nouns without a measure are returned as they are."""
    head = noun.head
    return head if noun.dep_ in {"nmod", "obl"} and head.i < noun.i and content_head(head) == noun else noun


def _number(noun: Token) -> tuple[bool, bool]:
    """Whether "it", and whether "them", may refer to a noun: both to sheets of paper, "it" to one of the sheets."""
    measure = _measure(noun)
    plural = noun.tag_ in _PLURAL_TAGS
    if measure is noun:
        return not plural, plural
    if measure.lower_ in {"one", "each", "piece", "half"}:
        return True, plural and measure.lower_ == "half"
    many = measure.tag_ in _PLURAL_TAGS or measure.lower_ in _MANY
    return not plural, plural or many


def _role(noun: Token) -> str:
    noun = _first(_measure(_first(noun)))
    known = _ROLES.get(noun.dep_)
    if known == "subject" and not is_a(noun.lemma_.lower(), "person") and noun.pos_ != "PROPN":
        return "subject, thing"
    if known is not None:
        return known
    if noun.dep_ in {"nmod:poss", "poss"}:
        return "owner"
    words = {child.lower_ for child in noun.lefts if child.dep_ == "case"}
    if noun.dep_ == "nmod":
        return "within"
    return "reason" if "because" in words else next((role for role, some in _PHRASES if words & some), "other")


def _is_embedded(noun: Token) -> bool:
    """Whether the noun is in a purpose or a relative clause."""
    verb = next((token for token in noun.ancestors if is_verb(token)), None)
    if verb is None:
        return False
    return verb.dep_.startswith("acl") or any(marker.lower_ == "to" for marker in markers_of(verb))
