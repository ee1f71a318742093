"""The extractor of events with their tools and participants, by the reader and the parse."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from attrs import define, field, frozen, validators

from kgscripts.extractors.events.frames import Frame, ReadText, Thresholds, letting
from kgscripts.extractors.events.measures import measures_of, time_events
from kgscripts.extractors.events.nouns import PARTS, content_head, is_noun, noun_lemma, whole_of
from kgscripts.extractors.events.participants import LIGHT, Participant, participants_of, phrase_of_action
from kgscripts.extractors.events.wordings import clause_of, phrase_words, words_of
from kgscripts.extractors.needs import needs_of, needs_of_sentences
from kgscripts.extractors.protocol import PARSE, Extractor, Parse, ParsedDocument
from kgscripts.models.registry import DEFAULT, describe, load
from kgscripts.score_files import read_scores, scores_of_package
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import is_a, role_of, verbs, word_list_digests
from kgscripts.text.pipeline import SHIPPED
from kgscripts.text.syntax import OBJECT, lemma
from schemas.provenance import BenchmarkScore, Model
from schemas.records import (
    Action,
    Argument,
    Discard,
    DiscardReason,
    EventMention,
    Need,
    Passage,
    PassageKind,
    Record,
    Tool,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from kgscripts.models.reader.reader import Reader
    from kgscripts.models.reader.readings import Reading

_TASK = "reader"
_share = [validators.instance_of(float), validators.gt(0.0), validators.lt(1.0)]


@frozen(kw_only=True)
class EventSettings:
    """The settings of the extractor of events: its reader, and the least probabilities of what it gives."""

    model: str = model_setting(_TASK)
    """The reader: the name of one that ships, or the directory of a checkpoint."""
    least_event: float = field(default=0.5, validator=_share)
    """Of an event, whether it happens or not."""
    least_happens: float = field(default=0.5, validator=_share)
    """That an event is instructed, told or usual; others are discarded."""
    least_role: float = field(default=0.4, validator=_share)
    """Of the part of a thing in an event."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""

    @property
    def thresholds(self) -> Thresholds:
        """The least probabilities."""
        return Thresholds(event=self.least_event, happens=self.least_happens, role=self.least_role)


@define
class EventExtractor(Extractor):
    """Gives events, one mention for each object of a predicate, what is needed, and discards.

    The model of the settings is loaded for the first text.
    """

    name = "events"
    rules = "15"
    task = "event extraction"
    requires = (PARSE,)
    gives = (EventMention, Need, Discard)
    cost = "reader (MiniLM encoder)"
    licence = "CC-BY-NC-SA-3.0"

    settings: EventSettings = field(factory=EventSettings, kw_only=True)
    _reader: Reader | None = field(default=None, init=False, eq=False, repr=False)

    @property
    def data(self) -> Mapping[str, str]:
        """See `Extractor`."""
        return word_list_digests()

    @property
    def networks(self) -> tuple[Model, ...]:
        """The reader."""
        return (describe(self.settings.model, _TASK),)

    def scores(self, parser: Model | None) -> Sequence[BenchmarkScore]:
        """The scores that ship; they were measured on the parses of the shipped pipeline."""
        return read_scores(scores_of_package(self.name)) if parser is not None and parser.name == SHIPPED else ()

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        texts = [(number, text) for number, item in enumerate(documents) for text in _texts(item)]
        by_document: list[list[ReadEvents]] = [[] for _ in documents]
        # Written scripts have no text to be read, and need no network for it.
        if texts and self._reader is None:
            self._reader = load(_TASK, self.settings.model, self.settings.device)
        read = (
            events_of_texts([text for _, text in texts], self._reader, self.settings.thresholds) if self._reader else []
        )
        for (number, _), events in zip(texts, read, strict=True):
            by_document[number].append(events)
        return [_records(item, own) for item, own in zip(documents, by_document, strict=True)]


def _texts(parsed: ParsedDocument) -> Iterator[Text]:
    """What is read as one text: all prose; the sides of a pair tell the same twice, and are read apart."""
    sides: dict[bool, list[Parse]] = defaultdict(list)
    for parse in parsed.parses:
        if parse.passage.kind is not PassageKind.NEEDS:
            sides[parse.passage.kind is PassageKind.ABSTRACT].append(parse)
    yield from (Text(parses, parsed.document.title) for parses in sides.values())


def _records(parsed: ParsedDocument, readings: Sequence[ReadEvents]) -> list[Record]:
    text = parsed.document.text
    events: list[EventMention] = []
    needs: list[Need] = []
    discards: list[Discard] = []
    for passage, parses in groupby(parsed.parses, key=lambda parse: parse.passage):
        if passage.kind is PassageKind.NEEDS:
            needs.extend(needs_of(list(parses), text))
    needs.extend(
        need for read in readings for parse, places in read.needs for need in needs_of_sentences(parse, places, text)
    )
    for event in (event for read in readings for event in read.events):
        events.extend(event.mentions)
        if event.reason is not None:
            discards.append(_discard(event.frame, event.reason, event.parse.offset))
    events.sort(key=lambda event: (event.start, event.end))
    return [*events, *needs, *discards]


@frozen
class Text:
    """What is read as one text: parses in their order, and a title."""

    parses: Sequence[Parse]
    title: str = ""


@frozen
class JudgedEvent:
    """A frame with its mentions, or with the reason why it is discarded."""

    parse: Parse
    frame: Frame
    reason: DiscardReason | None
    mentions: tuple[EventMention, ...]


@frozen
class ReadEvents:
    """The events of a text in their order, and the words of each parse that sentences name as needed."""

    events: Sequence[JudgedEvent]
    needs: Sequence[tuple[Parse, Sequence[int]]]


def events_of_texts(
    texts: Sequence[Text], reader: Reader | None = None, least: Thresholds | None = None
) -> list[ReadEvents]:
    """The events of texts; by default, those of the reader that ships."""
    reader = reader or load(_TASK, DEFAULT)
    read = [ReadText.of([(parse.doc, parse.offset) for parse in text.parses], text.title) for text in texts]
    readings = reader.read([text.text for text in read])
    return [
        _judged(text, words, reading, least or Thresholds())
        for text, words, reading in zip(texts, read, readings, strict=True)
    ]


def _judged(text: Text, words: ReadText, reading: Reading, least: Thresholds) -> ReadEvents:
    of_parse: dict[int, list[Frame]] = defaultdict(list)
    for number, frame in words.frames(reading, least):
        of_parse[number].append(frame)
    events = []
    for number, frames in of_parse.items():
        parse = text.parses[number]
        time_events(frames[0].verb.doc, frames)
        for frame in frames:
            reason = frame.reason or _emptiness(frame)
            mentions = tuple(mentions_of(frame, parse.offset)) if reason is None else ()
            events.append(JudgedEvent(parse, frame, reason, mentions))
    needed: dict[int, list[int]] = defaultdict(list)
    for (number, place), share in zip(words.words, reading.needed, strict=True):
        if share >= least.role:
            needed[number].append(place)
    return ReadEvents(events, [(text.parses[number], places) for number, places in needed.items()])


_DOCS = 64


def events_of_docs(docs: Iterable[Doc]) -> Iterator[Sequence[JudgedEvent]]:
    """The events of parses each of which is a whole text, by the reader that ships."""
    from spacy.util import minibatch  # here, since importing spaCy takes long and a build may have nothing to parse

    for batch in minibatch(docs, size=_DOCS):  # type: ignore[no-untyped-call]
        passages = [Passage(kind=PassageKind.PARAGRAPH, start=0, end=max(1, len(doc.text))) for doc in batch]
        texts = [Text([Parse(passage, doc, 0)]) for passage, doc in zip(passages, batch, strict=True)]
        yield from (read.events for read in events_of_texts(texts))


def _emptiness(frame: Frame) -> DiscardReason | None:
    vague = lemma(frame.verb) in verbs("vague") and not frame.nouns() and frame.particle is None
    return DiscardReason.NO_CONTENT if vague and phrase_of_action(frame, []) is None else None


def mentions_of(frame: Frame, offset: int) -> Iterator[EventMention]:
    """The mentions of a frame whose parse begins at character `offset`: one for each object, or one without.

    The object of an action is "it" or "them" if the text has a pronoun that is not resolved.
    """
    used = [tool for tool in frame.tools if tool not in frame.handled]
    inferred = list(_inferred(frame))
    phrase = phrase_of_action(frame, used)
    said = phrase_words(phrase)
    for noun in _acted_upon(frame) or (None,):
        tools = [*used, noun] if noun in frame.handled and noun is not None else used
        action = Action(
            predicate=lemma(frame.verb),
            particle=frame.particle.lower_ if frame.particle is not None else "",
            object=frame.name_of(noun) if noun is not None else _unresolved(frame),
            preposition=phrase.preposition if phrase else "",
            prepositional_object=noun_lemma(content_head(phrase.head)) if phrase else "",
        )
        mentioned = frame.mention if frame.stands_for else noun
        participants = participants_of(frame, noun, tools)
        start, end = _span_of(frame, [frame.particle, mentioned, phrase.head if phrase else None, *tools])
        yield EventMention(
            action=action,
            words=words_of(frame, noun, action.object),
            phrase=said,
            clause=clause_of(frame, noun, phrase),
            start=offset + start,
            end=offset + end,
            participants=[_argument(frame, participant, offset) for participant in participants],
            tools=[
                Tool(
                    lemma=noun_lemma(tool),
                    role=frame.tools[tool],
                    start=offset + tool.idx,
                    end=offset + tool.idx + len(tool),
                )
                for tool in tools
            ]
            + inferred,
            measures=measures_of(frame, (participant.noun for participant in participants), tools),
            instructed=frame.is_instructed,
        )


def _inferred(frame: Frame) -> Iterator[Tool]:
    """The tools of events before with which the work goes on, those that the event names left out."""
    known = {noun_lemma(noun) for noun in (*frame.tools, *frame.nouns())}
    for noun, offset, role in frame.carried:
        name, start = noun_lemma(noun), offset + noun.idx
        if name not in known:
            known.add(name)
            yield Tool(lemma=name, role=role or role_of(name, "in"), start=start, end=start + len(noun), inferred=True)


def _argument(frame: Frame, participant: Participant, offset: int) -> Argument:
    """The record of a participant; its span is that of the mention, which may be a pronoun."""
    mentioned, name = frame.mention_of(participant.noun), frame.name_of(participant.noun)
    start = offset + mentioned.idx
    return Argument(lemma=name, role=participant.role, start=start, end=start + len(mentioned))


_PRONOUNS = {
    **dict.fromkeys(("it", "this", "that", "one", "another"), "it"),
    **dict.fromkeys(("them", "these", "those", "both", "ones"), "them"),
}


def _unresolved(frame: Frame) -> str:
    """ "It" or "them" if the object is a pronoun for things that is not resolved, else ""."""
    if frame.stands_for or len(frame.objects) != 1:
        return ""
    return _PRONOUNS.get(frame.objects[0].lower_, "")


def _acted_upon(frame: Frame) -> list[Token]:
    """The nouns that are objects of the event, without durations ("wait ten minutes"), and without what another one is
    of: "take hold of the handle", "pour out the rest of the water"."""
    light = [child for child in frame.verb.children if child.dep_ in OBJECT and lemma(child) in LIGHT]
    nouns = [*(child for child in light if child not in frame.objects), *frame.nouns()]
    wholes = {whole_of(noun) for noun in nouns if lemma(noun) in LIGHT | PARTS}
    return [
        noun
        for noun in nouns
        if noun not in wholes and (lemma(frame.verb) == "spend" or not is_a(noun_lemma(noun), "time"))
    ]


def _span_of(frame: Frame, others: Iterable[Token | None]) -> tuple[int, int]:
    """The span of an event and of what it names. What is instructed begins with its verb, also where other words stand
    before it ("in a bowl, mix the eggs"); "let the dough rise" begins with "let"."""
    verb = letting(frame.verb) or frame.verb
    start, end = _span([verb, *others])
    return (verb.idx if frame.is_instructed else start), max(end, frame.verb.idx + len(frame.verb))


def _span(tokens: Iterable[Token | None]) -> tuple[int, int]:
    present = [token for token in tokens if token is not None]
    return min(token.idx for token in present), max(token.idx + len(token) for token in present)


def _discard(frame: Frame, reason: DiscardReason, offset: int) -> Discard:
    start, end = _span([frame.verb, *(noun for noun in frame.objects if is_noun(noun))])
    detail = " ".join([lemma(frame.verb), *(noun_lemma(noun) for noun in frame.nouns()[:1])])
    return Discard(reason=reason, start=offset + start, end=offset + end, detail=detail)
