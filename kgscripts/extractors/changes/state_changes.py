"""State changes of events: which attribute of which thing is different afterwards, by the generator.

A change belongs to the mention of its event that names its thing, or else to the first mention of that predicate.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from attrs import define, field, frozen, validators

from kgscripts.changes.attributes import agree, attributes_digest, in_vocabulary
from kgscripts.changes.levels import LEAST, level_of
from kgscripts.extractors.events.frames import ReadText, preposition_of
from kgscripts.extractors.events.nouns import is_noun, noun_lemma
from kgscripts.extractors.protocol import PARSE, Extractor, ParsedDocument
from kgscripts.models.registry import DEFAULT, describe, load
from kgscripts.settings import device_setting, model_setting
from kgscripts.text.lexicon import word_list_digests
from kgscripts.text.syntax import lemma
from schemas.changes import Level
from schemas.provenance import Model
from schemas.records import EventMention, PassageKind, Record, Span, StateChange

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kgscripts.models.changes.generator import ChangeGenerator, ChangeQuery, GeneratedChange

_TASK = "changes"
_NOT_READ = frozenset({PassageKind.ABSTRACT, PassageKind.NEEDS})
_probability = [validators.ge(0.0), validators.le(1.0)]


@frozen(kw_only=True)
class StateChangeSettings:
    """The settings of the extractor of state changes."""

    model: str = model_setting(_TASK)
    """The generator: the name of one that ships, or the directory of a checkpoint."""
    least_certain: float = field(default=LEAST[Level.CERTAIN], validator=_probability)
    """The least probability of changes of the level `certain`."""
    least_likely: float = field(default=LEAST[Level.LIKELY], validator=_probability)
    """The least probability of changes of the level `likely`; less probable ones are not read."""
    device: str = device_setting()
    """Where its network runs: cpu, cuda, cuda:N or mps."""


@define
class StateChangeExtractor(Extractor):
    """Gives the state changes of the events of a text; of pairs, of their concrete side.

    The generator of the settings is loaded for the first event, unless one is given.
    """

    name = "state-changes"
    rules = "4"
    task = "state changes of events"
    requires = (PARSE, EventMention)
    gives = (StateChange,)
    cost = "reader (MiniLM encoder) and a network over it"
    licence = "CC-BY-NC-SA-3.0"

    generator: ChangeGenerator | None = None
    settings: StateChangeSettings = field(factory=StateChangeSettings, kw_only=True)

    @property
    def data(self) -> Mapping[str, str]:
        """The word lists, and the vocabulary of attributes."""
        return {**word_list_digests(), "attributes": attributes_digest()}

    @property
    def networks(self) -> tuple[Model, ...]:
        """The generator, and the reader whose states it reads."""
        generator = describe(self.settings.model, _TASK) if self.generator is None else self.generator.model
        return generator, describe(DEFAULT, "reader")

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        """See `Extractor`."""
        texts = [_Events.of(document) for document in documents]
        if not any(text.mentions for text in texts):
            return [[] for _ in documents]
        if self.generator is None:
            self.generator = load(_TASK, self.settings.model, self.settings.device)
        generated = self.generator.generate([(text.words.text, text.queries) for text in texts])
        least = {Level.CERTAIN: self.settings.least_certain, Level.LIKELY: self.settings.least_likely}
        return [list(text.records(own, least)) for text, own in zip(texts, generated, strict=True)]


@frozen
class _Events:
    """The events of a text: its words, the names of those that stand for things, and the mentions of each predicate."""

    words: ReadText
    names: Mapping[int, str]
    phrases: Mapping[int, Mapping[int, str]]
    """Of each predicate, the prepositions of the things that have a part in it."""
    mentions: Sequence[tuple[int, Sequence[EventMention]]]

    @classmethod
    def of(cls, document: ParsedDocument) -> _Events:
        parses = [parse for parse in document.parses if parse.passage.kind not in _NOT_READ]
        words = ReadText.of([(parse.doc, parse.offset) for parse in parses], document.document.title)
        starts = [words.span(number)[0] for number in range(len(words.words))]
        tokens = [words.docs[parse][0][place] for parse, place in words.words]
        names = {number: noun_lemma(token) for number, token in enumerate(tokens) if is_noun(token)}
        of_predicate: dict[int, list[EventMention]] = defaultdict(list)
        phrases: dict[int, dict[int, str]] = defaultdict(dict)
        for mention in document.records_of(EventMention):
            inside = range(bisect_left(starts, mention.start), bisect_left(starts, mention.end))
            predicate = _predicate(mention.action.predicate, [(number, tokens[number]) for number in inside])
            if predicate is not None:
                of_predicate[predicate].append(mention)
            for start, name in _things(mention).items():
                number = bisect_left(starts, start)
                if predicate is not None and number in names and (preposition := preposition_of(tokens[number])):
                    phrases[predicate][number] = preposition
                # The event itself tells things of one name apart: "old bulb", "new bulb".
                if number in names and name.endswith(names[number]):
                    names[number] = name
        return cls(words, names, phrases, sorted(of_predicate.items()))

    @property
    def queries(self) -> list[ChangeQuery]:
        """The events, with the nouns of their sentences and those of the text."""
        from kgscripts.models.changes.generator import ChangeQuery

        sentence = [number for number, words in enumerate(self.words.text.sentences) for _ in words]
        of_sentence: dict[int, list[int]] = defaultdict(list)
        for number in self.names:
            of_sentence[sentence[number]].append(number)
        things = list(self.names)
        return [
            ChangeQuery(predicate, of_sentence[sentence[predicate]], things, self.phrases.get(predicate, {}))
            for predicate, _ in self.mentions
        ]

    def records(
        self, generated: Sequence[Sequence[GeneratedChange]], least: Mapping[Level, float]
    ) -> Iterator[StateChange]:
        """The changes that are probable enough, in text order.

        A change is left out if an event before has brought its value about, and none in between has ended it.
        """
        holding: dict[tuple[str, str], str] = {}
        for (_, mentions), changes in zip(self.mentions, generated, strict=True):
            of_event: dict[tuple[str, str], StateChange] = {}
            for change in changes:
                level = level_of(change.probability, least)
                if level is None:
                    continue
                record = self._record(change, mentions, level)
                key = record.entity, record.attribute
                if key in of_event or record.before == record.after or agree(holding.get(key, ""), record.after):
                    continue
                of_event[key] = record
            holding |= {key: record.after for key, record in of_event.items()}
            yield from sorted(of_event.values(), key=lambda record: (record.start, record.end))

    def _record(self, change: GeneratedChange, mentions: Sequence[EventMention], level: Level) -> StateChange:
        entity = change.thing if isinstance(change.thing, str) else self.names[change.thing]
        mention = next(
            (item for item in mentions if entity in (item.action.object, *_things(item).values())), mentions[0]
        )
        attribute, before, after = in_vocabulary(change.attribute, *change.values(self.names))
        mentioned = None
        if isinstance(change.thing, int):
            start, end = self.words.span(change.thing)
            mentioned = Span(start=start, end=end)
        return StateChange(
            entity=entity,
            attribute=attribute,
            before=before,
            after=after,
            action=mention.action,
            start=mention.start,
            end=mention.end,
            mentioned=mentioned,
            probability=change.probability,
            level=level,
        )


def _predicate(name: str, tokens: Sequence[tuple[int, Token]]) -> int | None:
    """The number of the word that is the predicate. Events are read in a mended parse, so that the lemma of a verb that
    the parse takes for a noun may be another one."""
    begins = name[: max(3, len(name) - 1)]
    same = (number for number, token in tokens if lemma(token) == name)
    return next(same, next((number for number, token in tokens if token.lower_.startswith(begins)), None))


def _things(mention: EventMention) -> dict[int, str]:
    """The things of an event, by the characters where they are mentioned."""
    participants = {thing.start: thing.lemma for thing in mention.participants}
    return participants | {tool.start: tool.lemma for tool in mention.tools}
