"""Frames: the predicates of a parse with their arguments, from which events are built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgscripts.extractors.events.nouns import content_head, is_noun, noun_lemma
from kgscripts.extractors.events.objects import acted_upon, object_behind_particle
from kgscripts.extractors.realis.clauses import is_let
from kgscripts.extractors.realis.factuality import Factuality
from kgscripts.extractors.realis.narration import Narration
from kgscripts.text.lexicon import is_tool_after, verbs
from kgscripts.text.syntax import (
    UNMARKED_OBLIQUE,
    PrepositionalPhrase,
    conjuncts,
    indirect_objects_of,
    is_fronted,
    is_passive,
    is_verb,
    lemma,
    markers_of,
    objects_of,
    particle_of,
    passive_subject_of,
    prepositional_phrases,
    subjects_of,
)
from schemas.records import DiscardReason

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Verbs with these relations modify a noun or introduce a phrase; they are not predicates.
_NO_PREDICATE = frozenset(
    {"amod", "compound", "case", "mark", "fixed", "cc", "advmod", "flat", "goeswith", "discourse"}
)
_PARTICLE_ADVERBS = frozenset(
    {"on", "off", "up", "down", "out", "in", "away", "back", "over", "around", "apart", "along", "through", "together"}
    | {"home", "inside", "outside", "upstairs", "downstairs", "indoors", "outdoors", "aside", "forward"}
)
_ADVERBIAL = UNMARKED_OBLIQUE | {"advmod"}
# Prepositions that modify the verb even where the parser attaches them to the object.
_OF_VERB = frozenset({"into", "onto", "out of", "off", "off of", "through"})
_WHEN_PLACING = frozenset({"in", "on", "to", "from", "over", "inside"})
_MEANS = frozenset({"mean", "means"})


@dataclass(slots=True)
class Frame:
    """A predicate and its dependents.

    Lists contain the heads of noun phrases. `instruments` are tools from another clause ("use a knife to cut"),
    `handled` those objects that are tools ("use a knife"); `stands_for` has the antecedent if the only object is a
    pronoun, `guess` also one that is not sure; `durations` are words such as "20 minutes"; `reason` is the reason why
    the event is discarded, if it is.
    """

    verb: Token
    particle: Token | None = None
    objects: list[Token] = field(default_factory=list)
    agents: list[Token] = field(default_factory=list)
    recipients: list[Token] = field(default_factory=list)
    phrases: list[PrepositionalPhrase] = field(default_factory=list)
    instruments: list[Token] = field(default_factory=list)
    handled: list[Token] = field(default_factory=list)
    stands_for: tuple[Token, ...] = ()
    guess: tuple[Token, ...] = ()
    durations: list[str] = field(default_factory=list)
    reason: DiscardReason | None = None

    @property
    def mention(self) -> Token:
        """The word in place of the object: its pronoun, or the verb of an instruction that leaves it out."""
        return self.objects[0] if self.objects else self.verb

    def nouns(self) -> list[Token]:
        """The nouns that the event acts on. Measures are replaced by their noun, a resolved pronoun by its
        antecedent."""
        if self.stands_for:
            return list(self.stands_for)
        return [content_head(noun) for noun in self.objects if is_noun(noun)]


def frames_of(doc: Doc, narration: Narration) -> Iterator[Frame]:
    """Yield the frames of a parse in text order; "use", "using" and causative "let" pass on their arguments.

    `narration` says how the text tells.
    """
    factuality = Factuality(doc, narration)
    frames = {token.i: _frame(token, factuality) for token in doc if is_predicate(token)}
    dropped: set[int] = set()
    for frame in frames.values():
        if _pass_on(frame, frames):
            dropped.add(frame.verb.i)
    for token in doc:
        if token.i in frames and token.i not in dropped:
            yield frames[token.i]
        elif token.dep_ == "cop":
            reason = factuality.reason(token.head)
            yield Frame(token, reason=reason or DiscardReason.STATIVE)


def is_predicate(token: Token) -> bool:
    """Whether a token is a verb that has a frame."""
    return token.dep_ not in _NO_PREDICATE and is_verb(token) and token.lower_[0].isalpha() and not is_noun(token)


def _frame(verb: Token, factuality: Factuality) -> Frame:
    frame = Frame(
        verb, particle=particle_or_adverb(verb), phrases=prepositional_phrases(verb), reason=factuality.reason(verb)
    )
    frame.recipients = indirect_objects_of(verb)
    if is_passive(verb):
        frame.objects = passive_subject_of(verb) or objects_of(verb, shared=False)
        doers = [phrase for phrase in frame.phrases if phrase.preposition == "by" and lemma(phrase.head) not in _MEANS]
        frame.agents = [phrase.head for phrase in doers]
        frame.phrases = [phrase for phrase in frame.phrases if phrase not in doers]
    else:
        frame.objects, addressed = acted_upon(verb)
        frame.recipients += addressed
        frame.agents = subjects_of(verb)
        if not frame.objects and _is_object(frame.recipients, verb):  # "carried her home"
            frame.objects, frame.recipients = frame.recipients, []
        if not frame.objects and frame.recipients:
            # "Gave the waiter a tip": parsers attach the second of two objects as an adverbial.
            frame.objects = [child for child in verb.rights if child.dep_ in UNMARKED_OBLIQUE and is_noun(child)]
        if not frame.objects and is_fronted(verb) and frame.agents:
            frame.objects = [verb.head]
        if not frame.objects and frame.particle is None:
            _move_object_behind_particle(frame)
    if not frame.objects and verb.dep_ == "xcomp" and lemma(verb.head) in verbs("causative"):
        frame.objects = objects_of(verb.head, shared=False)
    frame.phrases += [
        phrase
        for noun in frame.objects
        for phrase in prepositional_phrases(noun)
        if _belongs_to_verb(phrase, lemma(verb))
    ]
    return frame


def _is_object(recipients: list[Token], verb: Token) -> bool:
    """Whether a pronoun that the parser took for a recipient is an object: "it" always, "her" unless one gives or
    says something."""
    if len(recipients) != 1 or recipients[0].lower_ not in {"it", "them", "him", "her"}:
        return False
    return recipients[0].lower_ == "it" or lemma(verb) not in verbs("giving") | verbs("reporting")


def _move_object_behind_particle(frame: Frame) -> None:
    found = object_behind_particle(frame.verb)
    if found is not None:
        frame.particle, noun = found
        frame.objects = [other for other in conjuncts(noun) if is_noun(other)]
        frame.phrases = [phrase for phrase in frame.phrases if phrase.head not in frame.objects]


def _belongs_to_verb(phrase: PrepositionalPhrase, verb: str) -> bool:
    """Whether a phrase that the parser attached to the object modifies the verb, as a location or a vessel."""
    if phrase.preposition in _OF_VERB or (verb in verbs("placing") and phrase.preposition in _WHEN_PLACING):
        return True
    if verb in verbs("moving") or verb in verbs("stative"):
        return False
    return phrase.preposition in {"in", "on"} and is_tool_after(phrase.preposition, noun_lemma(phrase.head))


def particle_or_adverb(verb: Token) -> Token | None:
    """The particle, or an adverb of direction that works like one: "on" of "turn the water on", "home" of "go home"."""
    found = particle_of(verb)
    if found is not None:
        return found
    adverbs = (child for child in verb.rights if child.dep_ in _ADVERBIAL and child.lower_ in _PARTICLE_ADVERBS)
    return next(adverbs, None)


def _pass_on(frame: Frame, frames: dict[int, Frame]) -> bool:
    """Pass the arguments of an auxiliary predicate on to its main event; whether the predicate is dropped."""
    word = lemma(frame.verb)
    if word == "use":
        return _pass_on_instrument(frame, frames)
    if word == "make" and any(child.lower_ == "sure" for child in frame.verb.rights):
        return True
    relations = {"xcomp"} if frame.objects else {"xcomp", "advcl"}
    complement = next((child for child in frame.verb.rights if child.dep_ in relations and child.i in frames), None)
    if complement is None:
        return False
    infinitive = any(marker.lower_ == "to" for marker in markers_of(complement))
    if complement.dep_ == "advcl":  # "continues to blink", where the parser analysed the infinitive as an adverbial
        return infinitive and word in verbs("auxiliary")
    if word in verbs("auxiliary"):
        return True
    if word in {"have", "get", "need"}:
        return infinitive or (complement.tag_ == "VBN" and bool(frame.objects))
    if word in {"allow", "leave"}:
        return infinitive and is_let(complement)
    if word == "go" and infinitive:
        return frame.verb.tag_ == "VBG"  # "is going to bake"
    return word in {"go", "come", "end"} and complement.tag_ == "VBG"


def _pass_on_instrument(frame: Frame, frames: dict[int, Frame]) -> bool:
    verb = frame.verb
    used = frame.objects
    target = _used_for(verb, used, frames)
    if target is None:
        return False
    target.instruments.extend(used)
    if target.reason is None and frame.reason is not None:
        target.reason = frame.reason
    return True


def _used_for(verb: Token, used: list[Token], frames: dict[int, Frame]) -> Frame | None:
    """The event that something is used for: "use X to open", "used for opening", else the event that "using X"
    modifies."""
    for parent in (verb, *used):
        for child in parent.rights:
            if child.i in frames and child.dep_ in {"xcomp", "advcl", "acl", "ccomp"}:
                markers = {marker.lower_ for marker in markers_of(child)}
                if "to" in markers or ("for" in markers and child.tag_ == "VBG"):
                    return frames[child.i]
    purposes = (child for child in verb.lefts if child.i in frames and child.dep_ in {"advcl", "xcomp"})
    for purpose in purposes if used else ():  # "to beat the carpets, she used a beater"
        if "to" in {marker.lower_ for marker in markers_of(purpose)}:
            return frames[purpose.i]
    if verb.tag_ != "VBG" or not used:
        return None
    above = verb
    while above.dep_ in {"advcl", "acl", "conj", "nmod", "obl", "xcomp", "obj"} and above.head.i != above.i:
        above = above.head
        if above.i in frames:
            return frames[above.i]
    return None
