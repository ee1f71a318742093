"""The reader: the events of texts, how real they are, and what has a part in them, with probabilities.

What it says of a text depends on this text alone (`kgscripts.models.runtime`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from attrs import field, frozen, validators

from kgscripts.models.checkpoint import Checkpoint, from_checkpoint
from kgscripts.models.encoder import Encoder, shared_minilm
from kgscripts.models.quantised import as_floats
from kgscripts.models.reader.heads import Parts, ReaderHeads
from kgscripts.models.reader.labels import CONDITION, CONDITIONAL, FLAGS, GRAPH, NEEDED, PAIRS, WORDS
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.models.reader.windows import Pieces, ReaderText, Window
from kgscripts.models.runtime import Array, side_by_side, sigmoid, softmax

KIND = "reader"
ENCODER = "bert."
"""Before the names of the weights of its encoder, whose vectors of pieces are those of MiniLM."""

STATE_LAYERS = (0, 3, 6)
"""The layers of the encoder whose states other networks read; 0 are the embeddings, the last one is the reader's."""
_KEPT_WORDS = 8_000
"""Words of the windows read last whose states are kept: a build reads changes in the texts whose events it has read."""
_LEAST = 0.1
"""Events and things that are less probable are not given."""

_Result = TypeVar("_Result")


@frozen(kw_only=True)
class Temperatures:
    """By what the scores are divided, so that probabilities are as often right as they say (Guo et al. 2017)."""

    words: float = field(default=1.0, validator=validators.gt(0.0))
    pairs: float = field(default=1.0, validator=validators.gt(0.0))
    flags: float = field(default=1.0, validator=validators.gt(0.0))


@frozen(eq=False)
class WindowStates:
    """The states of a window's words in `STATE_LAYERS`, (words, layers x size), and the shares of the labels of their
    pairs."""

    window: Window
    layers: Array
    _heads: ReaderHeads
    _parts: Parts
    _temperature: float

    @property
    def words(self) -> range:
        """The words of the text that the window has."""
        return range(self.window.first, self.window.first + len(self.window.spans))

    @property
    def own_words(self) -> range:
        """Those of which counts what the window says: they are no context there."""
        return range(self.window.own, self.words.stop)

    def is_for(self, word: int) -> bool:
        """Whether what the window says of a word counts."""
        return word in self.own_words

    def has(self, word: int) -> bool:
        """Whether the window has a word of the text."""
        return word in self.words

    def roles(self, predicate: int) -> Array:
        """The shares of the labels of the pairs of a predicate with each word, in a graph's annotation, (words,
        labels)."""
        return softmax(self._heads.pairs(self._parts, predicate - self.window.first, GRAPH) / self._temperature)


class Reader:
    """Reads texts."""

    def __init__(self, encoder: Encoder, heads: ReaderHeads, temperatures: Temperatures) -> None:
        self._encoder = encoder
        self._heads = heads
        self._pieces = Pieces(encoder)
        self._temperatures = temperatures
        self._kept: dict[Window, Array] = {}
        self._keeping = Lock()

    @property
    def size(self) -> int:
        """The size of the states of words in a layer."""
        return self._encoder.size

    def to(self, device: str) -> Reader:
        """This reader, whose encoder is on another device."""
        return Reader(self._encoder.to(device), self._heads, self._temperatures)

    def read(self, texts: Sequence[ReaderText], annotation: str = GRAPH) -> list[Reading]:
        """What each text says, in the `annotation` of a set. Probabilities are rounded to three decimals."""
        readings = self._of_windows(texts, lambda _, window: self._read(window, annotation))
        return [_joined(own) for own in readings]

    def states(self, texts: Sequence[ReaderText]) -> list[list[WindowStates]]:
        """The states of the words of each text's windows, for networks that read what this one has read."""
        return self.over_states(texts, lambda _, window: window)

    def over_states(
        self, texts: Sequence[ReaderText], use: Callable[[int, WindowStates], _Result]
    ) -> list[list[_Result]]:
        """What `use` gives of the number of each text and of each of its windows; states are not kept beyond that."""

        def run(place: int, window: Window) -> _Result:
            layers = self._layers(window)
            parts = self._heads.parts(layers[:, -self.size :])
            return use(place, WindowStates(window, layers, self._heads, parts, self._temperatures.pairs))

        return self._of_windows(texts, run)

    def _of_windows(self, texts: Sequence[ReaderText], run: Callable[[int, Window], _Result]) -> list[list[_Result]]:
        """What `run` gives of the number of each text and of each of its windows."""
        windows = [(place, window) for place, text in enumerate(texts) for window in self._pieces.windows(text)]
        of_text: list[list[_Result]] = [[] for _ in texts]
        for (place, _), result in zip(windows, side_by_side(lambda both: run(*both), windows), strict=True):
            of_text[place].append(result)
        return of_text

    def _layers(self, window: Window) -> Array:
        """The states of a window's words, (words, layers x size), which are kept for a while."""
        kept = self._kept.get(window)
        if kept is not None:
            return kept
        states = self._encoder.states(window.pieces)
        begins = [begin for begin, _ in window.spans]
        # The spans of words follow each other.
        last = window.spans[-1][1]
        counts = np.diff([*begins, last])[:, None].astype(np.float32)
        read = [np.add.reduceat(states[layer][:last], begins) / counts for layer in STATE_LAYERS]
        layers: Array = np.concatenate(read, axis=1)
        with self._keeping:
            self._kept[window] = layers
            words = sum(map(len, self._kept.values()))
            while words > _KEPT_WORDS:
                words -= len(self._kept.pop(next(iter(self._kept))))
        return layers

    def _read(self, window: Window, annotation: str) -> Reading:
        """The reading of the words that a window is for."""
        heads, temperatures = self._heads, self._temperatures
        states = self._layers(window)[:, -self.size :]
        words = softmax(heads.words(states, annotation) / temperatures.words)
        flags = sigmoid(heads.flags(states) / temperatures.flags)
        first = window.own - window.first
        parts = heads.parts(states)
        events = []
        for place in range(first, len(states)):
            shares = words[place]
            if 1 - shares[0] < _LEAST:
                continue
            things: list[Thing] = []
            if annotation in heads.annotations:
                pairs = softmax(heads.pairs(parts, place, annotation) / temperatures.pairs)
                things = _things(pairs, window.first, PAIRS[annotation])
            labels = zip(WORDS[annotation][1:], shares[1:], strict=True)
            events.append(
                ReadEvent(
                    word=window.first + place,
                    labels={label: _rounded(share) for label, share in labels},
                    conditional=_rounded(flags[place, FLAGS.index(CONDITIONAL)]),
                    things=tuple(things),
                )
            )
        needed, condition = (
            [_rounded(share) for share in flags[first:, FLAGS.index(flag)]] for flag in (NEEDED, CONDITION)
        )
        return Reading(tuple(events), needed, condition)


def _rounded(value: float) -> float:
    return round(float(value), 3)


def _things(pairs: Array, first: int, labels: Sequence[str]) -> list[Thing]:
    """The things of a predicate with these shares of the labels of its pairs, (words, labels)."""
    return [
        Thing(first + word, labels[label], _rounded(pairs[word, label]))
        for word, label in np.argwhere(pairs >= _LEAST).tolist()
        if label
    ]


def _joined(parts: Sequence[Reading]) -> Reading:
    """The reading of a text with these readings of its windows."""
    return Reading(
        events=tuple(event for part in parts for event in part.events),
        needed=[share for part in parts for share in part.needed],
        condition=[share for part in parts for share in part.condition],
    )


@from_checkpoint
def reader_model(checkpoint: Checkpoint) -> Reader:
    """The reader of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM is another one."""
    sizes: dict[str, Any] = checkpoint.settings["sizes"]
    minilm = shared_minilm()
    minilm.check(checkpoint.settings["encoder_sha256"])
    weights = checkpoint.tensors
    encoder = minilm.with_weights(
        {name.removeprefix(ENCODER): value for name, value in weights.items() if name.startswith(ENCODER)}
    )
    encoder.check_weights()
    heads = ReaderHeads(as_floats({name: value for name, value in weights.items() if not name.startswith(ENCODER)}))
    if not heads.fits(encoder.size, sizes["words"], sizes["pairs"]) or encoder.depth < max(STATE_LAYERS):
        raise ValueError("weights of a network of another size")
    return Reader(encoder, heads, Temperatures(**checkpoint.settings["temperatures"]))
