"""The aligner's inputs and network: MiniLM's lower layers with low-rank adapters, and a bilinear score of pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

import torch
from attrs import frozen
from torch import Tensor, nn

from kgscripts.models.adapters import AdaptedNetwork, with_adapters
from kgscripts.models.alignment.words import aligned_places, stem
from kgscripts.models.cloze import UNKNOWN_WORD
from kgscripts.models.encoder import Encoder
from kgscripts.models.inference import TensorFields, padded

ABSTRACT_PIECES = 160
CONCRETE_PIECES = 348
"""With three separators a row has at most 511 pieces; MiniLM reads 512."""

_PIECES_A_WORD = 6
_CONCRETE_TYPE = 1

FEATURES = ("distance", "absolute distance", "same word", "same stem")


@frozen
class Window:
    """The part of a pair in one row: tokens `abstract` and `concrete`, ranges of the whole sides."""

    row: int
    abstract: range
    concrete: range


@frozen(eq=False)
class AlignerBatch(TensorFields):
    """Rows of pieces, padded with zeros.

    `ids`, `types`, `attention` (rows, pieces) int64; `abstract` (rows, abstract) and `concrete` (rows, concrete) int64
    are the first piece of each word; `aligned` (rows, abstract) bool is true for words that can be aligned to;
    `features` (rows, concrete, abstract, 4) float32, see `FEATURES`.
    """

    ids: Tensor
    types: Tensor
    attention: Tensor
    abstract: Tensor
    concrete: Tensor
    aligned: Tensor
    features: Tensor


@frozen
class Sides:
    """The tokens of a pair, and those that are shown as unknown."""

    abstract: Sequence[str]
    concrete: Sequence[str]
    hidden_abstract: AbstractSet[int] = frozenset()
    hidden_concrete: AbstractSet[int] = frozenset()

    def shown(self) -> Sides:
        """The same with `UNKNOWN_WORD` where words are hidden."""
        return Sides(_hide(self.abstract, self.hidden_abstract), _hide(self.concrete, self.hidden_concrete))


def _hide(words: Sequence[str], hidden: AbstractSet[int]) -> list[str]:
    return [UNKNOWN_WORD if index in hidden else word for index, word in enumerate(words)]


class AlignerInputs:
    """Makes batches. `pieces_of` gives the ids of a word's pieces, at least one."""

    def __init__(self, pieces_of: Callable[[str], Sequence[int]], *, start: int, separator: int, mask: int) -> None:
        self._pieces_of = pieces_of
        self._start, self._separator = start, separator
        self._known: dict[str, Sequence[int]] = {UNKNOWN_WORD: [mask]}

    def windows(self, row: int, pair: Sides) -> Iterator[Window]:
        """The windows of the pair in `row`: one, unless it is too long; together they hold each concrete word once."""
        ends = [0, *accumulate(len(self._pieces(word)) for word in pair.abstract)]
        whole = range(len(pair.abstract))
        size, first = 0, 0
        for index, word in enumerate(pair.concrete):
            pieces = len(self._pieces(word))
            if size + pieces > CONCRETE_PIECES:
                yield self._window(row, pair, whole, ends, range(first, index))
                size, first = 0, index
            size += pieces
        yield self._window(row, pair, whole, ends, range(first, len(pair.concrete)))

    def batch(self, pairs: Sequence[Sides], windows: Sequence[Window]) -> AlignerBatch:
        """The windows, a row each; `pairs` holds their rows, and no word of it is hidden any more."""
        rows: list[list[int]] = []
        types: list[list[int]] = []
        abstract: list[list[int]] = []
        concrete: list[list[int]] = []
        aligned = torch.zeros(len(windows), max(len(window.abstract) for window in windows), dtype=torch.bool)
        height = max(len(window.concrete) for window in windows)
        features = torch.zeros(len(windows), height, aligned.shape[1], len(FEATURES))
        for at, window in enumerate(windows):
            pair, ids = pairs[window.row], [self._start]
            abstract.append(self._read(pair.abstract, window.abstract, ids))
            second = len(ids)
            concrete.append(self._read(pair.concrete, window.concrete, ids))
            rows.append(ids)
            types.append([0] * second + [_CONCRETE_TYPE] * (len(ids) - second))
            places = [index for index in aligned_places(pair.abstract) if index in window.abstract]
            aligned[at, [index - window.abstract.start for index in places or window.abstract]] = True
            features[at, : len(window.concrete), : len(window.abstract)] = _features(pair, window)
        pieces, attention = padded(rows)
        types_of, firsts, seconds = (padded(side)[0] for side in (types, abstract, concrete))
        return AlignerBatch(pieces, types_of, attention, firsts, seconds, aligned, features)

    def _read(self, words: Sequence[str], inside: range, ids: list[int]) -> list[int]:
        """Add the pieces of words, and a separator, to the ids of a row; the places of the words' first pieces."""
        firsts = []
        for index in inside:
            firsts.append(len(ids))
            ids += self._pieces(words[index])
        ids.append(self._separator)
        return firsts

    def _pieces(self, word: str) -> Sequence[int]:
        if word not in self._known:
            self._known[word] = self._pieces_of(word)[:_PIECES_A_WORD]
        return self._known[word]

    def _window(self, row: int, pair: Sides, whole: range, ends: Sequence[int], concrete: range) -> Window:
        if ends[-1] <= ABSTRACT_PIECES:
            return Window(row, whole, concrete)
        # From where the concrete part lies in its side, a word on either side at a time, until neither has room.
        start = stop = (concrete.start + concrete.stop) * len(whole) // (2 * len(pair.concrete))
        before = -1
        while before != stop - start:
            before = stop - start
            stop += stop < len(whole) and ends[stop + 1] - ends[start] <= ABSTRACT_PIECES
            start -= start > 0 and ends[stop] - ends[start - 1] <= ABSTRACT_PIECES
        return Window(row, range(start, stop), concrete)


def _features(pair: Sides, window: Window) -> Tensor:
    """(concrete, abstract, 4) of a window: positions in the whole pair, and whether the words are alike."""
    concrete = [pair.concrete[index] for index in window.concrete]
    abstract = [pair.abstract[index] for index in window.abstract]
    places = (torch.tensor(list(window.concrete)) + 0.5) / len(pair.concrete)
    sources = (torch.tensor(list(window.abstract)) + 0.5) / len(pair.abstract)
    distance = places[:, None] - sources[None, :]
    ids: dict[str, int] = {UNKNOWN_WORD: -1}

    def equal(first: list[str], second: list[str]) -> Tensor:
        rows = torch.tensor([ids.setdefault(word, len(ids)) for word in first])
        columns = torch.tensor([ids.setdefault(word, len(ids)) for word in second])
        # An unknown word is not equal to any word, not even to itself.
        return (rows[:, None] == columns[None, :]) & (rows[:, None] >= 0)

    same = equal(concrete, abstract)
    alike = equal([stem(word) for word in concrete], [stem(word) for word in abstract]) & ~same
    return torch.stack([distance, distance.abs(), same.float(), alike.float()], dim=2)


_NOT_ALIGNED = -1e4
"""The score of words to which no word is aligned: its probability is zero in float32."""


class AlignerNetwork(AdaptedNetwork):
    """Scores each concrete word against each abstract word, both sides read together.

    Parameters
    ----------
    encoder:
        MiniLM, which becomes part of the network: it is cut to its first `layers` layers and gets adapters.
    layers, size:
        Layers kept, and size of the vectors whose inner product is the score.
    rank:
        The rank of the adapters that are trained; None for inference.
    """

    adapter_names = ("encoder.{}.parametrizations.weight.0.down", "encoder.{}.parametrizations.weight.0.up")

    def __init__(self, encoder: Encoder, *, layers: int, size: int, rank: int | None = None) -> None:
        super().__init__()
        encoder.network.encoder.layer = encoder.network.encoder.layer[:layers]
        width = encoder.network.config.hidden_size
        self.adapted = encoder.network if rank is None else with_adapters(encoder.network, rank)
        self.concrete = nn.Linear(width, size)
        self.abstract = nn.Linear(width, size)
        self.features = nn.Linear(len(FEATURES), 1, bias=False)
        nn.init.zeros_(self.features.weight)
        self._scale = 1.0 / math.sqrt(size)
        self.inputs = AlignerInputs(encoder.pieces, start=encoder.start, separator=encoder.separator, mask=encoder.mask)

    def forward(self, batch: AlignerBatch) -> Tensor:
        """Scores (rows, concrete, abstract), float32; their softmax over the last axis is p(a_j = i | x, y)."""
        states = self.adapted(
            input_ids=batch.ids, attention_mask=batch.attention, token_type_ids=batch.types
        ).last_hidden_state
        concrete = self.concrete(_at(states, batch.concrete))
        abstract = self.abstract(_at(states, batch.abstract))
        scores = concrete.float() @ abstract.float().transpose(1, 2) * self._scale
        scores = scores + self.features(batch.features)[..., 0].float()
        masked: Tensor = scores.masked_fill(~batch.aligned[:, None, :], _NOT_ALIGNED)
        return masked

    def log_posteriors(self, pair: Sides) -> Tensor:
        """log p(a_j = i | x, y) of each word independently, (concrete, abstract) float32; -inf where impossible.

        It is on the CPU, wherever the network is.
        """
        windows = list(self.inputs.windows(0, pair))
        result = torch.full((len(pair.concrete), len(pair.abstract)), -math.inf)
        scores = self(self.inputs.batch([pair], windows).to(self.features.weight.device))
        impossible = scores <= _NOT_ALIGNED / 2
        scores = scores.log_softmax(dim=2).masked_fill(impossible, -math.inf).cpu()
        for at, window in enumerate(windows):
            rows, columns = slice(*_bounds(window.concrete)), slice(*_bounds(window.abstract))
            result[rows, columns] = scores[at, : len(window.concrete), : len(window.abstract)]
        return result


def _at(states: Tensor, places: Tensor) -> Tensor:
    """(rows, pieces, size) at places (rows, words): (rows, words, size)."""
    return states.gather(1, places[:, :, None].expand(-1, -1, states.shape[2]))


def _bounds(indices: range) -> tuple[int, int]:
    return indices.start, indices.stop
