"""A generator of state changes that answers in a fixed way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field

from kgscripts.changes.values import split_value
from kgscripts.models.changes.generator import ChangeGenerator, ChangeQuery, GeneratedChange
from kgscripts.models.reader.windows import ReaderText
from schemas.provenance import Model

Told = tuple[str, str, str, str, float]
"""Thing, attribute, before, after, probability; things, and places such as the box of "in box", are words of texts."""

_MODEL = Model(name="fixed", version="1", digest="0" * 64, task="state changes")
_WET: Told = ("shirts", "wetness", "dry", "wet", 0.9)


@define
class FixedGenerator(ChangeGenerator):
    """Generates the changes that it knows of the word of a predicate, and for all others what `default` says.

    A word that a text has several times is the first one behind the predicate, or else the last one before it; one that
    is no noun of the text stands for itself.
    """

    changes: Mapping[str, Sequence[Told]] = field(factory=dict)
    default: Sequence[Told] = (_WET,)
    model: Model = _MODEL
    seen: list[tuple[ReaderText, Sequence[ChangeQuery]]] = field(factory=list)

    def generate(self, texts: Sequence[tuple[ReaderText, Sequence[ChangeQuery]]]) -> list[list[list[GeneratedChange]]]:
        self.seen += texts
        return [[list(self._told(text.all_words, query)) for query in queries] for text, queries in texts]

    @property
    def predicates(self) -> list[list[str]]:
        """The words of the predicates of each text so far."""
        return [[text.all_words[query.predicate] for query in queries] for text, queries in self.seen]

    def _told(self, words: Sequence[str], query: ChangeQuery) -> Iterator[GeneratedChange]:
        known = self.changes.get(words[query.predicate], self.default)
        for thing, attribute, before, after, probability in sorted(known, key=lambda told: -told[-1]):
            (template_before, place_before), (template_after, place_after) = split_value(before), split_value(after)
            yield GeneratedChange(
                thing=_thing(thing, words, query),
                attribute=attribute,
                before=template_before,
                before_place=_thing(place_before, words, query) if place_before else None,
                after=template_after,
                after_place=_thing(place_after, words, query) if place_after else None,
                probability=probability,
            )


def _thing(word: str, words: Sequence[str], query: ChangeQuery) -> int | str:
    places = sorted(number for number in (*query.things, *query.others) if words[number] == word)
    return next((number for number in places if number > query.predicate), places[-1] if places else word)
