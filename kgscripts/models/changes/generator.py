"""The generator of state changes: tuples of the things of each event, by heads over the states of the reader.

Of each pair of an event and a thing, it gives the probability that an attribute changes, and the values before and
after; the place in a value ("in the drawer") is a thing of the text. What it says of a text depends on this text alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.changes.values import SLOT, joined_value
from kgscripts.models.changes.heads import ChangeHeads, ChangeSizes, Pairs, Words
from kgscripts.models.checkpoint import Checkpoint, from_checkpoint
from kgscripts.models.quantised import as_floats
from kgscripts.models.reader.reader import STATE_LAYERS, Reader, WindowStates
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import DEFAULT, describe, load
from kgscripts.models.runtime import Array, sigmoid, softmax
from schemas.errors import ModelError
from schemas.provenance import Model

KIND = "change-generator"
VOCABULARY = "vocabulary.json"

_LEAST = 0.05
"""Attributes that are less probable are not given."""
_LEAST_PART = 0.15
"""Of the part that a thing of another sentence has in the event, by the reader."""
_LEAST_ORIGIN = _LEAST_PLACE = 0.5
"""Of the place in the value before, which is else unknown, and of one afterwards that no preposition leads to."""

_LOCATION = "location"
_AWAY = frozenset({f"off {SLOT}", f"out of {SLOT}", f"away from {SLOT}"})
_SAID: Mapping[str, str] = {
    **dict.fromkeys(("in", "into", "inside", "inside of", "within"), f"in {SLOT}"),
    **dict.fromkeys(("on", "onto", "upon", "on top of", "across"), f"on {SLOT}"),
    "at": f"at {SLOT}",
    "to": "",
    **dict.fromkeys(("off", "off of"), f"off {SLOT}"),
    **dict.fromkeys(("out of", "from"), f"out of {SLOT}"),
    **{
        word: f"{word} {SLOT}"
        for word in ("over", "under", "around", "behind", "beside", "between", "through", "against")
    },
}
"""The template of a location by the preposition that a text gives the place; "" where only the network knows it: "add
the pasta to the water" puts it in there."""


@frozen
class ChangeVocabulary:
    """What the network can say: attributes, (attribute, before, after) as templates, and things that texts need not
    name."""

    attributes: tuple[str, ...]
    values: tuple[tuple[str, str, str], ...]
    unnamed: tuple[str, ...]

    @classmethod
    def read(cls, content: Mapping[str, Sequence[Any]]) -> ChangeVocabulary:
        """The vocabulary of a checkpoint. Raises ValueError if it is damaged."""
        attributes, unnamed = tuple(content["attributes"]), tuple(content["unnamed"])
        values = tuple((attribute, before, after) for attribute, before, after in content["values"])
        if not all(
            isinstance(text, str) for text in (*attributes, *unnamed, *(part for row in values for part in row))
        ):
            raise ValueError("the vocabulary has other things than texts")
        if {attribute for attribute, _, _ in values} != set(attributes):
            raise ValueError("attributes without values, or values without attributes")
        return cls(attributes, values, unnamed)

    def of_attribute(self) -> NDArray[np.bool_]:
        """Which values are those of which attribute, (attributes, values)."""
        names = [attribute for attribute, _, _ in self.values]
        return np.array([[name == own for name in names] for own in self.attributes])


_number = [validators.instance_of(float), validators.ge(-100.0), validators.le(100.0)]


@frozen(kw_only=True)
class Calibration:
    """How likely a change is true: logistic of `bias` + `attribute` x logit of the attribute's probability + `value` x
    logarithm of the value's (Platt 1999)."""

    bias: float = field(default=0.0, validator=_number)
    attribute: float = field(default=1.0, validator=_number)
    value: float = field(default=0.0, validator=_number)

    def probability(self, of_attribute: float, of_value: float) -> float:
        """The probability of a change whose attribute and value have these."""
        share = min(max(of_attribute, 1e-6), 1 - 1e-6)
        score = self.bias + self.attribute * math.log(share / (1 - share)) + self.value * math.log(max(of_value, 1e-6))
        return round(1 / (1 + math.exp(-min(max(score, -30.0), 30.0))), 3)


@frozen
class ChangeQuery:
    """An event of a text: the numbers of its predicate, and of the words that stand for things: those of its sentence,
    `things`, and all of the text in their order, `others`, which count only if the reader gives them a part in it."""

    predicate: int
    things: Sequence[int]
    others: Sequence[int] = ()
    phrases: Mapping[int, str] = field(factory=dict)
    """The prepositions of the things that have a part in it."""


@frozen
class GeneratedChange:
    """A change; `thing` and the places of values are numbers of words, or names of things that the text does not
    name."""

    thing: int | str
    attribute: str
    before: str
    before_place: int | str | None
    after: str
    after_place: int | str | None
    probability: float

    def values(self, names: Mapping[int, str]) -> tuple[str, str]:
        """The values before and after, places with their names."""
        before, after = (
            joined_value(template, place if isinstance(place, str) else names.get(place or 0, ""))
            for template, place in ((self.before, self.before_place), (self.after, self.after_place))
        )
        return before, after


class ChangeGenerator:
    """Generates the changes of the events of texts."""

    def __init__(
        self,
        heads: ChangeHeads,
        reader: Reader,
        vocabulary: ChangeVocabulary,
        calibration: Calibration,
        model: Model,
    ) -> None:
        self.model = model
        self._heads = heads
        self._reader = reader
        self._vocabulary = vocabulary
        self._calibration = calibration
        self._of_attribute = vocabulary.of_attribute()

    def to(self, device: str) -> ChangeGenerator:
        """This generator, over the reader on another device."""
        reader = load("reader", DEFAULT, device)
        return ChangeGenerator(self._heads, reader, self._vocabulary, self._calibration, self.model)

    def generate(self, texts: Sequence[tuple[ReaderText, Sequence[ChangeQuery]]]) -> list[list[list[GeneratedChange]]]:
        """The changes of each event of each text, the most probable first."""
        # A window finds its events and things by bisection: long texts have many of all three.
        orders = [sorted(range(len(queries)), key=lambda number: queries[number].predicate) for _, queries in texts]
        generated: list[list[list[GeneratedChange]]] = [[[] for _ in queries] for _, queries in texts]

        def add(place: int, window: WindowStates) -> None:
            queries, order = texts[place][1], orders[place]
            own = _within(order, window.own_words, lambda number: queries[number].predicate)
            words = self._heads.words(window.layers) if own else None
            for number in own:
                assert words is not None
                changes = self._changes(words, window, queries[number])
                generated[place][number] = sorted(changes, key=lambda change: -change.probability)

        self._reader.over_states([text for text, _ in texts], add)
        return generated

    def _changes(self, words: Words, window: WindowStates, query: ChangeQuery) -> Iterator[GeneratedChange]:
        """The changes of an event, each attribute of a thing with its most probable values."""
        vocabulary, first = self._vocabulary, window.window.first
        roles = window.roles(query.predicate)
        parts = 1 - roles[:, 0]
        own = {*query.things, query.predicate}
        others = [thing for thing in _within(query.others, window.words, int) if thing not in own]
        near = {thing for thing in others if parts[thing - first] >= _LEAST_PART}
        acted = sorted(thing for thing in (*query.things, *near) if thing != query.predicate and window.has(thing))
        things = [*acted, *(thing for thing in others if thing not in near)]
        named: list[int | str] = [*things, *vocabulary.unnamed]
        places = [thing - first for thing in things]
        pairs = Pairs.of(roles, query.predicate - first, places, len(window.words), len(vocabulary.unnamed))
        scores = self._heads.scores(words, pairs)
        attributes = sigmoid(scores.attributes)
        befores, afters = scores.before, scores.after
        # A thing is not its own place.
        np.fill_diagonal(befores, -math.inf)
        np.fill_diagonal(afters, -math.inf)
        # Things of other sentences that have no part in the event can only be places of it.
        attributes[len(acted) : len(things)] = 0
        for row, number in np.argwhere(attributes >= _LEAST).tolist():
            shares = softmax(np.where(self._of_attribute[number], scores.values[row], -math.inf))
            best = int(shares.argmax())
            attribute, before, after = vocabulary.values[best]
            of_value, place = float(shares[best]), None
            if SLOT in after:
                of_place = softmax(afters[row])
                place = int(of_place.argmax())
                if attribute == _LOCATION and (said := _location(after, of_place, query.phrases, named)) is not None:
                    (after, place), of_value = said, 1.0
                elif attribute == _LOCATION and float(of_place[place]) < _LEAST_PLACE:
                    continue
                else:
                    of_value *= float(of_place[place])
            origin = int(befores[row].argmax())
            is_known = SLOT not in before or float(softmax(befores[row])[origin]) >= _LEAST_ORIGIN
            yield GeneratedChange(
                named[row],
                attribute,
                before if is_known else "",
                named[origin] if SLOT in before and is_known else None,
                after,
                named[place] if place is not None else None,
                self._calibration.probability(float(attributes[row, number]), of_value),
            )


def _within(items: Sequence[int], span: range, key: Callable[[int], int]) -> Sequence[int]:
    """The items, in the order of their keys, whose keys lie in a span."""
    return items[bisect_left(items, span.start, key=key) : bisect_left(items, span.stop, key=key)]


def _location(
    template: str, shares: Array, phrases: Mapping[int, str], named: Sequence[int | str]
) -> tuple[str, int] | None:
    """The value of a location, as the text says it: the most probable place of a phrase of the event that leads there,
    or away if the `template` leads away. None if the event has no such phrase."""
    said = {
        row: _SAID[phrases[thing]]
        for row, thing in enumerate(named)
        if isinstance(thing, int) and phrases.get(thing, "") in _SAID
    }
    away = {row for row, own in said.items() if own in _AWAY}
    rows = away if template in _AWAY else (set(said) - away or away)
    best = max(rows, key=lambda row: float(shares[row]), default=None)
    return None if best is None else (said[best] or template, best)


@from_checkpoint
def generator_model(checkpoint: Checkpoint) -> ChangeGenerator:
    """The generator of a checkpoint. Raises ModelError if its parts do not fit together, or the reader is another."""
    assert checkpoint.model is not None
    trained_over, reader = checkpoint.settings["reader_sha256"], describe(DEFAULT, "reader")
    if reader.digest != trained_over:
        raise ModelError(
            f"trained over another reader than is here ({str(reader.digest)[:12]} instead of {str(trained_over)[:12]})",
            remedy="train the generator again: kgscripts train changes",
        )
    vocabulary = ChangeVocabulary.read(checkpoint.json(VOCABULARY))
    reader_model = load("reader", DEFAULT)
    sizes = ChangeSizes(
        state=len(STATE_LAYERS) * reader_model.size,
        inner=checkpoint.settings["inner"],
        attributes=len(vocabulary.attributes),
        values=len(vocabulary.values),
        unnamed=len(vocabulary.unnamed),
    )
    heads = ChangeHeads(as_floats(checkpoint.tensors))
    if not heads.fits(sizes):
        raise ValueError("weights of a network of another size")
    calibration = Calibration(**checkpoint.settings["calibration"])
    return ChangeGenerator(heads, reader_model, vocabulary, calibration, checkpoint.model)
