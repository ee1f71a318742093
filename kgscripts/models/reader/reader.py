"""The reader: the events of texts, how real they are, and what has a part in them, with probabilities.

What it says of a text depends on this text alone (`kgscripts.models.inference`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import torch
from attrs import field, frozen, validators
from numpy.typing import NDArray
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, from_checkpoint
from kgscripts.models.encoder import Encoder, load_encoder
from kgscripts.models.inference import fixed_batches, padded_length, run_side_by_side
from kgscripts.models.reader.labels import CONDITION, CONDITIONAL, FLAGS, GRAPH, NEEDED, PAIRS, WORDS
from kgscripts.models.reader.network import ReaderNetwork, ReaderSettings, WindowBatch
from kgscripts.models.reader.readings import ReadEvent, Reading, Thing
from kgscripts.models.reader.windows import Pieces, ReaderText, Window

KIND = "reader"
EMBEDDINGS = "bert.embeddings.word_embeddings."
"""They stay those of MiniLM, and are not stored."""

_STEP = 16
_BATCH_PIECES = 64
STATE_LAYERS = (0, 3, 6)
"""The layers of the encoder whose states other networks read; 0 are the embeddings, the last one is the reader's."""
_KEPT_WORDS = 8_000
"""Words of the windows read last whose states are kept: a build reads changes in the texts whose events it has read."""
_LEAST = 0.1
"""Events and things that are less probable are not given."""

Array = NDArray[np.float32]
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
    layers: Tensor
    _network: ReaderNetwork
    _parts: tuple[Tensor, Tensor]
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

    def roles(self, predicate: int) -> Tensor:
        """The shares of the labels of the pairs of a predicate with each word, in a graph's annotation, (words,
        labels)."""
        place = torch.tensor([predicate - self.window.first], device=self.layers.device)
        scores = self._network.pairs(self._parts, place * 0, place, GRAPH)[0]
        return torch.softmax(scores.float() / self._temperature, dim=-1)


class Reader:
    """Reads texts."""

    def __init__(self, network: ReaderNetwork, encoder: Encoder, temperatures: Temperatures) -> None:
        self._network = network.requires_grad_(False).train(False)
        self._encoder = encoder
        self._pieces = Pieces(encoder)
        self._temperatures = temperatures
        self._kept: dict[Window, Tensor] = {}
        self._keeping = Lock()

    @property
    def size(self) -> int:
        """The size of the states of words in a layer."""
        return self._network.bert.config.hidden_size

    def to(self, device: str) -> Reader:
        """This reader, whose network is moved to another device."""
        self._network.to(device)
        self._kept.clear()
        return self

    def read(self, texts: Sequence[ReaderText], annotation: str = GRAPH) -> list[Reading]:
        """What each text says, in the `annotation` of a set. Probabilities are rounded to three decimals."""
        readings = self._of_windows(texts, lambda windows: self._read([window for _, window in windows], annotation))
        return [_joined(own) for own in readings]

    def states(self, texts: Sequence[ReaderText]) -> list[list[WindowStates]]:
        """The states of the words of each text's windows, for networks that read what this one has read."""
        return self.over_states(texts, lambda _, window: window)

    def over_states(
        self, texts: Sequence[ReaderText], use: Callable[[int, WindowStates], _Result]
    ) -> list[list[_Result]]:
        """What `use` gives of the number of each text and of each of its windows; states are not kept beyond that."""
        return self._of_windows(
            texts,
            lambda windows: [
                use(place, states)
                for (place, _), states in zip(windows, self._states([window for _, window in windows]), strict=True)
            ],
        )

    def _of_windows(
        self, texts: Sequence[ReaderText], run: Callable[[Sequence[tuple[int, Window]]], list[_Result]]
    ) -> list[list[_Result]]:
        """What `run` gives of windows of one padded length with the numbers of their texts, for the windows of each."""
        windows = [(place, window) for place, text in enumerate(texts) for window in self._pieces.windows(text)]
        batches = list(fixed_batches([len(window.pieces) for _, window in windows], _STEP, _rows))
        results = run_side_by_side(lambda chosen: run([windows[number] for number in chosen]), batches)
        of_window: dict[int, _Result] = {}
        for chosen, own in zip(batches, results, strict=True):
            of_window.update(zip(chosen, own, strict=True))
        of_text: list[list[_Result]] = [[] for _ in texts]
        for number, (place, _) in enumerate(windows):
            of_text[place].append(of_window[number])
        return of_text

    def _states(self, windows: Sequence[Window]) -> list[WindowStates]:
        kept = [self._kept.get(window) for window in windows]
        layers = [states for states in kept if states is not None]
        if len(layers) < len(windows):
            layers = self._keep(windows, self._network.layers(self._batch(windows), STATE_LAYERS))
        parts = [self._network.parts(states[None, :, -self.size :]) for states in layers]
        return [
            WindowStates(window, states, self._network, own, self._temperatures.pairs)
            for window, states, own in zip(windows, layers, parts, strict=True)
        ]

    def _keep(self, windows: Sequence[Window], layers: Sequence[Tensor]) -> list[Tensor]:
        """The states of each window's words, (words, layers x size), which are kept for a while."""
        own = [
            torch.cat([states[row, : len(window.spans)] for states in layers], dim=-1)
            for row, window in enumerate(windows)
        ]
        with self._keeping:
            self._kept.update(zip(windows, own, strict=True))
            words = sum(map(len, self._kept.values()))
            while words > _KEPT_WORDS:
                words -= len(self._kept.pop(next(iter(self._kept))))
        return own

    def _read(self, windows: Sequence[Window], annotation: str) -> list[Reading]:
        """The readings of the words that windows of one padded length are for."""
        network = self._network
        layers = network.layers(self._batch(windows), STATE_LAYERS)
        self._keep(windows, layers)
        states = layers[-1]
        words = _shares(network.words(states, annotation).float() / self._temperatures.words)
        flags = torch.sigmoid(network.flags(states).float() / self._temperatures.flags).cpu().numpy()
        readings = []
        for row, window in enumerate(windows):
            first, last = window.own - window.first, len(window.spans)
            parts = network.parts(states[row : row + 1])
            events = []
            for place in range(first, last):
                shares = words[row, place]
                if 1 - shares[0] < _LEAST:
                    continue
                # One predicate after another: the shapes, and so the last bits, are those of any text of this length.
                at = torch.tensor([place], device=states.device)
                things: list[Thing] = []
                if annotation in network.pair_layers:
                    pairs = network.pairs(parts, at * 0, at, annotation).float() / self._temperatures.pairs
                    things = _things(_shares(pairs)[0, :last], window.first, PAIRS[annotation])
                events.append(
                    ReadEvent(
                        word=window.first + place,
                        labels={
                            label: _rounded(share)
                            for label, share in zip(WORDS[annotation][1:], shares[1:], strict=True)
                        },
                        conditional=_rounded(flags[row, place, FLAGS.index(CONDITIONAL)]),
                        things=tuple(things),
                    )
                )
            needed, condition = (
                [_rounded(share) for share in flags[row, first:last, FLAGS.index(flag)]] for flag in (NEEDED, CONDITION)
            )
            readings.append(Reading(tuple(events), needed, condition))
        return readings

    def _batch(self, windows: Sequence[Window]) -> WindowBatch:
        """Windows of one padded length, filled up with copies of the first one."""
        length = padded_length(len(windows[0].pieces), _STEP)
        filled = [*windows, *[windows[0]] * (_rows(length) - len(windows))]
        return WindowBatch.of(filled, length, self._encoder.padding, length).to(self._encoder.device)


def _rows(length: int) -> int:
    return max(1, _BATCH_PIECES // length)


def _shares(scores: torch.Tensor) -> Array:
    shares: Array = torch.softmax(scores, dim=-1).cpu().numpy()
    return shares


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
    encoder = load_encoder()
    encoder.check(checkpoint.settings["encoder_sha256"])
    network = ReaderNetwork(encoder.network, ReaderSettings(**sizes))
    embeddings = {name: value for name, value in network.state_dict().items() if name.startswith(EMBEDDINGS)}
    network.load_state_dict({**embeddings, **{name: value.float() for name, value in checkpoint.tensors.items()}})
    return Reader(network, encoder, Temperatures(**checkpoint.settings["temperatures"]))
