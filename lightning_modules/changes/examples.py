"""What the generator of state changes learns from: events of texts, and what they change.

Three sources: passages all of whose changes are labelled (`kgscripts.reproductions.reader.passages`), the steps of the
scripts that ship, which name only the most important changes, and candidates that were judged (``data/judged.jsonl``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from importlib import resources
from itertools import accumulate, pairwise

import yaml
from attrs import frozen

from kgscripts import everyday_scripts
from kgscripts.changes.values import split_value
from kgscripts.corpora.scripts.format import script_of
from kgscripts.extractors.changes.words import head, noun_phrase, value
from kgscripts.models.reader.reader import Reader
from kgscripts.models.reader.readings import Thing
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.reader.gold import Words, labelled_passages, shipped_passages
from kgscripts.reproductions.reader.passages import LabelledChange

UNNAMED = (
    "person", "hand", "water", "air", "skin", "floor", "ground", "screen", "soil", "wall", "room", "finger", "mouth",
    "home", "table", "surface", "dust", "dirt", "food", "phone", "cloth", "body", "hair", "hole",
)  # fmt: skip
"""Things that texts need not name; the first is the doer."""

_DOERS = frozenset({"you", "i", "we", "reader", "cook"})
_LEAST_EVENT = 0.5


class Completeness(Enum):
    """What the changes that an event has say of those that it has not."""

    ALL = "they do not happen"
    SOME = "hardly anything"
    JUDGED = "nothing: each has a judgement of its own"


@frozen
class GoldChange:
    """A change of a thing, by its place among the words of the text or, behind them, among `UNNAMED`.

    Values are templates, each with its place; "" and None for a value that names what the text does not have. `share`
    is how sure it is, 0 for one that was judged false.
    """

    thing: int
    attribute: str
    before: tuple[str, int | None]
    after: tuple[str, int | None]
    share: float


@frozen
class ChangeEvent:
    """An event: its predicate, what it changes, and words that may be meant as well, of which nothing is known."""

    predicate: int
    changes: Sequence[GoldChange]
    unknown: frozenset[int] = frozenset()


@frozen
class ChangeText:
    """A text with events whose changes are known."""

    id: str
    completeness: Completeness
    text: ReaderText
    events: Sequence[ChangeEvent]


LIKELY_SHARE = 0.6
"""How sure a change is that is labelled as likely only."""


def labelled_texts() -> Iterator[ChangeText]:
    """The passages whose changes are labelled."""
    for passage in labelled_passages(shipped_passages()):
        if passage.changes:
            words = _TextWords.of(passage.text)
            events = [
                words.event(predicate, [(change, 1.0 if change.sure else LIKELY_SHARE) for change in changes],
                            frozenset(passage.pairs.get(predicate, ())))
                for predicate, changes in passage.changes.items()
            ]  # fmt: skip
            yield ChangeText(passage.id, Completeness.ALL, passage.text, events)


def script_texts(reader: Reader) -> list[ChangeText]:
    """The wordings of the steps of the scripts that ship, each of which has the changes of its step."""
    wordings: list[tuple[str, ReaderText, list[tuple[LabelledChange, float]]]] = []
    for path in sorted(everyday_scripts.folder().glob("*.yaml")):
        script = script_of(yaml.safe_load(path.read_text("utf-8")), str(path))
        for step in script.steps:
            changes = [
                (LabelledChange(change.entity, change.attribute, change.before, change.after, sure=True), 1.0)
                for change in step.changes
            ]
            for wording in (step.name, *step.wordings) if changes else ():
                wordings.append((path.stem, ReaderText(script.scenario, Words.of([(wording, 0)]).sentences), changes))
    texts = []
    for (name, text, changes), reading in zip(wordings, reader.read([text for _, text, _ in wordings]), strict=True):
        first = next((event for event in reading.events if event.probability >= _LEAST_EVENT), None)
        if first is not None:
            roles = frozenset(thing.word for thing in first.parts(0.4))
            event = _TextWords.of(text).event(first.word, changes, roles)
            texts.append(ChangeText(name, Completeness.SOME, text, [event] if event.changes else []))
    return [text for text in texts if text.events]


def judged_texts(reader: Reader) -> list[ChangeText]:
    """Procedures with candidates of changes that were judged. A candidate is one of the event of its step that its
    thing has the most probable part in."""
    file = resources.files("lightning_modules.changes") / "data" / "judged.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    texts, spans = [], []
    for row in rows:
        offsets = list(accumulate((len(step) + 1 for step in row["steps"]), initial=0))
        words = Words.of(zip(row["steps"], offsets, strict=False))
        spans.append([range(words.at(begin), words.last(end - 1) + 1) for begin, end in pairwise(offsets)])
        texts.append(ReaderText(row["title"], words.sentences))
    change_texts = []
    for number, (row, text, steps, reading) in enumerate(zip(rows, texts, spans, reader.read(texts), strict=True)):
        of_text = _TextWords.of(text)
        events: list[ChangeEvent] = []
        for name, candidates in row["judged"].items():
            own = [
                event
                for event in reading.events
                if event.word in steps[int(name) - 1] and event.probability >= _LEAST_EVENT
            ]
            of_event: dict[int, list[GoldChange]] = defaultdict(list)
            for entity, attribute, before, after, share in candidates if own else ():
                change = LabelledChange(entity, attribute, before, after, sure=True)
                for gold in of_text.event(own[0].word, [(change, float(share))], frozenset()).changes:
                    best = max(own, key=lambda event: _part(event.things, gold.thing))
                    of_event[best.word].append(gold)
            events += [ChangeEvent(word, changes) for word, changes in of_event.items()]
        change_texts.append(ChangeText(f"judged {number}", Completeness.JUDGED, text, events))
    return [text for text in change_texts if text.events]


def _part(things: Sequence[Thing], word: int) -> float:
    return sum(thing.probability for thing in things if thing.word == word)


@frozen
class _TextWords:
    """The words of a text, their lemmas, and their sentences by number."""

    words: Sequence[str]
    lemmas: Sequence[str]
    sentences: Sequence[int]

    @classmethod
    def of(cls, text: ReaderText) -> _TextWords:
        words = [word.lower() for word in text.all_words]
        lemmas = [noun_phrase(word) if word.isalpha() else word for word in words]
        return cls(words, lemmas, [number for number, sentence in enumerate(text.sentences) for _ in sentence])

    def event(
        self, predicate: int, labelled: Sequence[tuple[LabelledChange, float]], parts: frozenset[int]
    ) -> ChangeEvent:
        """An event; `parts` are the words that have a part in it. Changes of things that are nowhere are left out."""
        changes, unknown = [], set[int]()
        for change, share in labelled:
            thing = self._find(change.thing, predicate, parts)
            if thing is None:
                continue
            before, after = (self._value(text, thing, predicate, parts) for text in (change.before, change.after))
            changes.append(GoldChange(thing, change.attribute, before, after, share))
            name = head(noun_phrase(change.thing))
            unknown |= {place for place, lemma in enumerate(self.lemmas) if lemma == name and place != thing}
        return ChangeEvent(predicate, changes, frozenset(unknown))

    def _value(self, text: str, thing: int, predicate: int, parts: frozenset[int]) -> tuple[str, int | None]:
        template, noun = split_value(value(text))
        if not noun:
            return template, None
        place = self._find(noun, predicate, parts)
        return ("", None) if place in (None, thing) else (template, place)

    def _find(self, thing: str, predicate: int, parts: frozenset[int]) -> int | None:
        """The word that a thing is meant by: one that has a part in the event, or else the nearest one."""
        name = head(noun_phrase(thing)) if thing else ""
        places = [place for place, word in enumerate(self.words) if name and name in (word, self.lemmas[place])]

        def distance(place: int) -> tuple[bool, bool, bool, int]:
            is_elsewhere = self.sentences[place] != self.sentences[predicate]
            return place not in parts, is_elsewhere, is_elsewhere and place > predicate, abs(place - predicate)

        if places:
            return min(places, key=distance)
        if name in _DOERS:
            name = UNNAMED[0]
        return len(self.words) + UNNAMED.index(name) if name in UNNAMED else None
