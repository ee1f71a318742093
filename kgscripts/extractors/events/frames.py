"""Frames: the predicates of a text with all that has a part in them, as the reader reads it.

The reader says which words have which part in which event; the parse says how they stand there: particles,
prepositions, subjects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from unicodedata import category, normalize

from attrs import frozen

from kgscripts.extractors.events.agreeing_parse import agreeing
from kgscripts.extractors.events.nouns import content_head, is_noun, mark_contrasts, name_of_one, noun_lemma
from kgscripts.models.reader.labels import HAPPENS, PLACE_BEFORE, REFERENT, EventRole, Reality
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.models.reader.windows import ReaderText
from kgscripts.text.lexicon import is_a, word_list
from kgscripts.text.syntax import (
    OBJECT,
    PASSIVE_SUBJECT,
    UNMARKED_OBLIQUE,
    PrepositionalPhrase,
    conjuncts,
    is_passive,
    lemma,
    markers_of,
    particle_of,
    prepositional_phrases,
    subjects_of,
)
from schemas.records import DiscardReason, ToolRole

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_TOOLS: Mapping[str, ToolRole] = {
    EventRole.INSTRUMENT: ToolRole.INSTRUMENT,
    EventRole.CONTAINER: ToolRole.CONTAINER,
    EventRole.APPLIANCE: ToolRole.APPLIANCE,
    EventRole.SUPPORT: ToolRole.SUPPORT,
}
_REASONS: Mapping[str, DiscardReason] = {
    Reality.NEGATED: DiscardReason.NEGATED,
    Reality.PLANNED: DiscardReason.PLANNED,
    Reality.HYPOTHETICAL: DiscardReason.HYPOTHETICAL,
}
_PARTICLE_ADVERBS = word_list("particles", "particles and prepositions", "adverbs of place")
_ADVERBIAL = UNMARKED_OBLIQUE | {"advmod"}
_MEANS = word_list("means")
_LETTING = word_list("letting")
UNTIL = word_list("until")


@frozen(kw_only=True)
class Thresholds:
    """The least probabilities of what counts: of an event, that it happens, and of a part in it."""

    event: float = 0.5
    happens: float = 0.5
    role: float = 0.4


@dataclass(slots=True)
class Frame:
    """A predicate and what has a part in it.

    Lists contain the heads of noun phrases; `roles` are those that the reader gives. `tools` are in text order,
    `handled` those that are objects too ("use a knife"). `stands_for` has the antecedents if the object is a pronoun or
    left out, `acting` the pronoun of an agent that a sentence before names, `carried` the tools of events before with
    which the work goes on, with the character where their parse begins. `durations` are words such as "20 minutes";
    `reason` is the reason why the event is discarded, if it is.
    """

    verb: Token
    particle: Token | None = None
    objects: list[Token] = field(default_factory=list)
    agents: list[Token] = field(default_factory=list)
    recipients: list[Token] = field(default_factory=list)
    phrases: list[PrepositionalPhrase] = field(default_factory=list)
    roles: dict[Token, EventRole] = field(default_factory=dict)
    tools: dict[Token, ToolRole] = field(default_factory=dict)
    handled: list[Token] = field(default_factory=list)
    stands_for: tuple[Token, ...] = ()
    acting: Token | None = None
    carried: list[tuple[Token, int, ToolRole | None]] = field(default_factory=list)
    durations: list[str] = field(default_factory=list)
    is_instructed: bool = False
    reason: DiscardReason | None = None

    @property
    def mention(self) -> Token:
        """The word in place of the object: its pronoun, or the verb of an instruction that leaves it out."""
        return next((noun for noun in self.objects if not is_noun(noun)), self.verb)

    def mention_of(self, noun: Token) -> Token:
        """The word of the event that means a noun: the noun, or what stands in its place."""
        if self.acting is not None and noun in self.agents:
            return self.acting
        return self.mention if noun in self.stands_for else noun

    def name_of(self, noun: Token) -> str:
        """The lemma of a noun of the event, as the event itself tells it apart from others."""
        return name_of_one(self.mention_of(noun), noun)

    def nouns(self) -> list[Token]:
        """The nouns that the event acts on. Measures are replaced by their noun, a resolved pronoun by its
        antecedent."""
        named = [content_head(noun) for noun in self.objects if is_noun(noun)]
        return [*self.stands_for, *(noun for noun in named if noun not in self.stands_for)]


@frozen
class ReadText:
    """The parses of a text, each with the character where it begins, and their words by the numbers of the reader."""

    docs: Sequence[tuple[Doc, int]]
    words: Sequence[tuple[int, int]]
    """Of each word, the number of its parse and its place there."""
    text: ReaderText

    @classmethod
    def of(cls, docs: Sequence[tuple[Doc, int]], title: str) -> ReadText:
        """The words of parses; what is only space is none."""
        words: list[tuple[int, int]] = []
        sentences: list[list[str]] = []
        for number, (doc, _) in enumerate(docs):
            for sentence in doc.sents:
                own = [token for token in sentence if not token.is_space]
                words += [(number, token.i) for token in own]
                sentences.append([_plain(token.text) for token in own])
        return cls(docs, words, ReaderText(title, [sentence for sentence in sentences if sentence]))

    def span(self, word: int) -> tuple[int, int]:
        """The characters of a word in the text."""
        number, place = self.words[word]
        doc, offset = self.docs[number]
        return offset + doc[place].idx, offset + doc[place].idx + len(doc[place])

    def frames(self, reading: Reading, least: Thresholds) -> Iterator[tuple[int, Frame]]:
        """The frames of the text, each with the number of its parse; parses that contradict the reading are mended."""
        events = [event for event in reading.events if event.probability >= least.event]
        verbs = {event.word for event in events}
        parts = {thing.word for event in events for thing in event.parts(least.role)} | verbs
        docs = [
            agreeing(
                doc,
                {place for word in verbs for own, place in [self.words[word]] if own == number},
                {place for word in parts for own, place in [self.words[word]] if own == number},
            )
            for number, (doc, _) in enumerate(self.docs)
        ]
        mark_contrasts(docs)
        tokens = _Tokens(self, docs)
        roles: dict[int, ToolRole] = {}
        for event in events:
            frame = _frame(event, tokens, least, roles)
            frame.reason = _reason(event, least)
            is_said = event.label == Reality.INSTRUCTED and (_bounds_another(frame.verb) or _is_asked(frame.verb))
            if frame.reason is None and is_said:
                frame.reason = DiscardReason.MENTIONED
            frame.is_instructed = event.label == Reality.INSTRUCTED
            yield self.words[event.word][0], frame


def letting(verb: Token) -> Token | None:
    """The verb before an infinitive that lets it happen: "let" of "let the dough rise"."""
    governor = verb.head
    lets = verb.dep_ == "xcomp" and lemma(governor) in _LETTING and governor.i < verb.i
    return governor if lets else None


def _plain(word: str) -> str:
    """A word without signs that nobody sees, and with letters in their usual form."""
    if word.isascii():
        return word
    return "".join(sign for sign in normalize("NFKC", word) if category(sign) != "Cf") or word


@frozen
class _Tokens:
    text: ReadText
    docs: Sequence[Doc]

    def __getitem__(self, word: int) -> Token:
        number, place = self.text.words[word]
        return self.docs[number][place]

    def offset(self, word: int) -> int:
        return self.text.docs[self.text.words[word][0]][1]


def _reason(event: ReadEvent, least: Thresholds) -> DiscardReason | None:
    if event.happens >= least.happens:
        return None
    others = {label: share for label, share in event.labels.items() if label not in HAPPENS}
    most = max(others, key=lambda label: others[label], default="")
    return _REASONS.get(most, DiscardReason.MENTIONED)


def _bounds_another(verb: Token) -> bool:
    """Whether an event says only how long another one lasts, or what it comes before: "stir until it thickens", "before
    touching the fuse, let it cool". The text tells it elsewhere, if it is a step."""
    while verb.dep_ == "conj" and verb.head.i < verb.i:
        verb = verb.head
    markers = {marker.lower_ for marker in markers_of(verb)}
    return bool(markers & UNTIL) or ("before" in markers and verb.i < verb.head.i)


def _is_asked(verb: Token) -> bool:
    """Whether an event stands in a question: "should I wash it?"."""
    return verb.sent.text.rstrip().endswith("?")


def _frame(event: ReadEvent, tokens: _Tokens, least: Thresholds, roles: dict[int, ToolRole]) -> Frame:
    verb = tokens[event.word]
    things = event.parts(least.role)
    before = [thing for thing in things if thing.label in (REFERENT, PLACE_BEFORE)]
    own = [thing for thing in things if thing not in before and tokens[thing.word].sent == verb.sent]
    frame = Frame(verb, particle=particle_or_adverb(verb))
    has_object = any(thing.label == EventRole.OBJECT for thing in own)
    for thing in own:
        token = tokens[thing.word]
        role = _role(token, EventRole(thing.label))
        frame.roles[token] = role
        if role in _TOOLS:
            frame.tools[token] = roles[thing.word] = _TOOLS[role]
        if role is EventRole.RECIPIENT:
            frame.recipients.append(token)
        elif role is EventRole.OBJECT or (not has_object and _is_direct(token, verb)):
            frame.objects.append(token)
            if role in _TOOLS:
                frame.handled.append(token)
    if is_passive(verb):
        frame.agents = [
            phrase.head
            for phrase in prepositional_phrases(verb)
            if phrase.preposition == "by" and phrase.head not in frame.roles and lemma(phrase.head) not in _MEANS
        ]
    else:
        subjects = subjects_of(verb)
        acting = [noun for noun in frame.objects if noun in subjects]  # "the dough rises"
        frame.objects = [noun for noun in frame.objects if noun not in acting]
        frame.agents = [noun for noun in subjects if frame.roles.get(noun) in (None, EventRole.OBJECT)]
    if frame.particle is None:
        frame.particle = _before_object(frame)
    frame.phrases = list(_phrases(frame))
    if all(not is_noun(noun) for noun in frame.objects):
        meant = tuple(noun for noun in _referents(before, tokens) if is_noun(noun))
        spoken = [noun for noun in frame.agents if not is_noun(noun) and frame.roles.get(noun) is EventRole.OBJECT]
        if spoken and not frame.objects and letting(verb) is None:
            # "It goes to the left": what acts is named before.
            frame.acting, frame.agents = spoken[0], [*meant, *(noun for noun in frame.agents if noun not in spoken)]
        else:
            frame.stands_for = meant
    names = {token.lower_ for token in frame.tools}
    for thing in before:
        token = tokens[thing.word]
        if thing.label == PLACE_BEFORE and is_noun(token) and token.lower_ not in names:
            frame.carried.append((token, tokens.offset(thing.word), roles.get(thing.word)))
    return frame


def _role(noun: Token, role: EventRole) -> EventRole:
    """The role of a noun; supplies and parts of the body are no tools: they are used up, or something is put there."""
    if role not in _TOOLS or not is_a(noun_lemma(noun), "consumable", "body"):
        return role
    return EventRole.MATERIAL if role is EventRole.INSTRUMENT else EventRole.DESTINATION


def _referents(before: Sequence[Thing], tokens: _Tokens) -> Iterator[Token]:
    """The most probable thing that a pronoun, or nothing, stands for, with those that are coordinated with it."""
    referents = [thing for thing in before if thing.label == REFERENT]
    if not referents:
        return
    one = tokens[max(referents, key=lambda thing: thing.probability).word]
    for thing in referents:
        other = tokens[thing.word]
        if one == other or (one.sent == other.sent and (one in conjuncts(other) or other in conjuncts(one))):
            yield other


def _before_object(frame: Frame) -> Token | None:
    """The particle between a verb and its object that the parse takes for a preposition: "peeled off the tape"."""
    following = frame.verb.doc[frame.verb.i + 1 : frame.verb.i + 2]
    particles = (word for word in following if word.dep_ == "case" and word.lower_ in _PARTICLE_ADVERBS)
    return next((word for word in particles if word.head in frame.objects), None)


def _is_direct(noun: Token, verb: Token) -> bool:
    """Whether the parse has a noun as the object or the passive subject of a verb."""
    while noun.dep_ == "conj" and noun.head.i < noun.i:
        noun = noun.head
    return noun.head == verb and noun.dep_ in OBJECT | PASSIVE_SUBJECT


def _phrases(frame: Frame) -> Iterator[PrepositionalPhrase]:
    """The phrases of a frame: those of the verb, and those of other words that the reader gives a part in it."""
    phrases = {phrase.head: phrase for phrase in prepositional_phrases(frame.verb)}
    for noun in frame.roles:
        if noun not in phrases and noun not in frame.objects and (preposition := preposition_of(noun)):
            phrases[noun] = PrepositionalPhrase(preposition, noun)
    taken = {*frame.agents, *frame.objects}
    yield from (phrases[noun] for noun in sorted(phrases, key=lambda noun: noun.i) if noun not in taken)


def preposition_of(noun: Token) -> str:
    """The preposition of the phrase of a noun; a measured noun has that of its measure: "with two cups of flour"."""
    for _ in range(_MOST_STEPS):
        cases = [child for child in noun.lefts if child.dep_ in {"case", "prep"}]
        words = [word.lower_ for case in cases for word in (case, *(c for c in case.children if c.dep_ == "fixed"))]
        if noun.dep_ == "pobj":
            words = [noun.head.lower_]
        if words and words != ["of"]:
            return " ".join(words)
        if not (words or noun.dep_ == "conj") or noun.head.i >= noun.i:
            return ""
        noun = noun.head
    return ""


_MOST_STEPS = 8
"""Between a noun and the preposition of its phrase."""


def particle_or_adverb(verb: Token) -> Token | None:
    """The particle, or an adverb of direction that works like one: "on" of "turn the water on", "home" of "go home"."""
    particle = particle_of(verb)
    if particle is not None:
        return particle
    adverbs = (child for child in verb.rights if child.dep_ in _ADVERBIAL and child.lower_ in _PARTICLE_ADVERBS)
    return next(adverbs, None)
