"""What the generator of state changes learns from: the labelled passages of the reader, and all that their events
change (`kgscripts.reproductions.reader.passages`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from kgscripts.changes.attributes import in_vocabulary
from kgscripts.changes.values import split_value
from kgscripts.extractors.changes.words import head, noun_phrase, value
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.reader.gold import labelled_passages, shipped_passages
from kgscripts.reproductions.reader.passages import LabelledChange

UNNAMED = (
    "person", "hand", "water", "air", "skin", "floor", "ground", "screen", "soil", "wall", "room", "finger", "mouth",
    "home", "table", "surface", "dust", "dirt", "food", "phone", "cloth", "body", "hair", "hole",
)  # fmt: skip
"""Things that texts need not name; the first is the doer."""

_DOERS = frozenset({"you", "i", "we", "reader", "cook"})


@frozen
class GoldChange:
    """A change of a thing, by its place among the words of the text or, behind them, among `UNNAMED`.

    Values are templates, each with its place; "" and None for a value that names what the text does not have. `share`
    is how sure it is.
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
    """A text with events all of whose changes are known."""

    id: str
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
            yield ChangeText(passage.id, passage.text, events)


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
            # Labels word one value in many ways: "shut" and "closed".
            attribute, *values = in_vocabulary(change.attribute, change.before, change.after)
            before, after = (self._value(text, thing, predicate, parts) for text in values)
            changes.append(GoldChange(thing, attribute, before, after, share))
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
