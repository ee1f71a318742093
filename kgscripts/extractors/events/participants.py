"""The participants of an event and their roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgscripts.extractors.events.frames import Frame
from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma, whole_of
from kgscripts.models.reader.labels import EventRole
from kgscripts.text.amounts import is_size
from kgscripts.text.lexicon import is_a, verbs, word_list
from kgscripts.text.syntax import PrepositionalPhrase, lemma, prepositional_phrases
from schemas.records import Role

if TYPE_CHECKING:
    from spacy.tokens import Token

_DIRECTIONAL = word_list("prepositions of origin or goal", "prepositions of direction")
_NO_ARGUMENT = word_list("prepositions of no participant")
"""Prepositions that place an event in time or give a reason."""
_STATES = word_list("states of liquids")
"""Nouns that are no things: "bring to the boil"."""
LIGHT = word_list("light objects")
_ORIGIN_OR_GOAL = word_list("prepositions of origin or goal")


@dataclass(frozen=True, slots=True)
class Participant:
    """A noun in a role."""

    noun: Token
    role: Role


def participants_of(frame: Frame, acted_upon: Token | None, tools: Iterable[Token]) -> list[Participant]:
    """Participants of the event on one of the frame's objects, in text order, without pronouns.

    A tool is one where it is what the event acts on, or where something is put.
    """
    excluded = set(tools)
    roles: dict[Token, Role] = {}
    for noun, role in _roles(frame, acted_upon):
        head = content_head(noun)
        excused = head in excluded and (role not in (Role.PATIENT, Role.PLACE) or head in frame.handled)
        name = noun_lemma(head)
        if (
            is_noun(head)
            and not excused
            and not is_size(head)
            and name not in _STATES
            and not is_a(name, "time", "abstract")
        ):
            roles.setdefault(head, role)
    return [Participant(noun, role) for noun, role in sorted(roles.items(), key=lambda item: item[0].i)]


def _roles(frame: Frame, acted_upon: Token | None) -> Iterator[tuple[Token, Role]]:
    named: list[tuple[Token, Role]] = [(acted_upon, Role.PATIENT)] if acted_upon is not None else []
    named += [(noun, Role.AGENT) for noun in frame.agents]
    named += [(noun, Role.RECIPIENT) for noun in frame.recipients]
    named += [(phrase.head, _role(frame, phrase)) for phrase in frame.phrases if phrase.preposition not in _NO_ARGUMENT]
    yield from named
    # The antecedent of a resolved pronoun has its modifiers elsewhere in the text.
    for noun in (noun for noun, _ in named if noun not in frame.stands_for):
        if is_a(noun_lemma(noun), "time"):
            continue
        yield from ((inner, Role.OTHER) for inner in _inside(noun))


def _inside(noun: Token) -> Iterator[Token]:
    """Nouns within the phrase of a noun: "bus" of "the front of the bus", "sister" of "my sister's cake"."""
    open_ = [noun]
    while open_:  # without recursion: "the front of the back of …" can go on
        outer = open_.pop()
        yield from (child for child in outer.children if child.dep_ in {"nmod:poss", "poss"})
        heads = [phrase.head for phrase in prepositional_phrases(outer) if phrase.preposition not in _NO_ARGUMENT]
        yield from heads
        open_.extend(heads)


_PLACES = frozenset(
    {EventRole.DESTINATION, EventRole.PLACE, EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT}
)


def _role(frame: Frame, phrase: PrepositionalPhrase) -> Role:
    if is_a(noun_lemma(content_head(phrase.head)), "person", "animal"):
        if phrase.preposition in {"with", "together with", "along with"}:
            return Role.COMPANION
        if phrase.preposition in {"to", "for"}:
            return Role.RECIPIENT
    return Role.PLACE if frame.roles.get(phrase.head) in _PLACES else Role.OTHER


def phrase_of_action(frame: Frame, tools: Iterable[Token]) -> PrepositionalPhrase | None:
    """The prepositional phrase that is part of the action: "pour water into the sink", "look for a book".

    With an object, this is its destination or origin; without one, the first phrase that is neither a time nor a tool.
    """
    for noun in frame.verb.rights:
        if lemma(noun) in LIGHT and (whole := whole_of(noun)) is not None:  # "take care of the dog"
            return PrepositionalPhrase("of", whole)
    placing = lemma(frame.verb) in verbs("placing")
    transitive = bool(frame.stands_for) or any(is_noun(noun) or noun.pos_ == "PRON" for noun in frame.objects)
    excluded = set() if placing or not transitive else set(tools)
    for phrase in frame.phrases:
        noun = content_head(phrase.head)
        if (
            not is_noun(noun)
            or is_size(noun)
            or is_a(noun_lemma(noun), "time", "abstract")
            or phrase.preposition in _NO_ARGUMENT
        ):
            continue
        if phrase.preposition == "with" or (phrase.head in excluded and phrase.preposition not in _ORIGIN_OR_GOAL):
            continue
        if (
            not transitive
            or phrase.preposition in _DIRECTIONAL
            or (placing and frame.roles.get(phrase.head) in _PLACES)
        ):
            return phrase
    return None
