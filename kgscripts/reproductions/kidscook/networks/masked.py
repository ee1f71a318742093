"""The masked cloze model: MiniLM with low-rank adapters (Hu et al. 2022) that fills blanks of the concrete side.

The abstract sentence comes first, words that are still unknown are masks, and the candidates are whole words: each has
the mean of its pieces' input embeddings and, if it was seen in training, a difference and a bias of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

import torch
from attrs import frozen
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.checkpoint import Checkpoint, ModelCard, from_checkpoint
from kgscripts.models.cloze import Cloze
from kgscripts.models.quantised import with_scales
from kgscripts.reproductions.torch_networks.adapters import AdaptedNetwork, with_adapters
from kgscripts.reproductions.torch_networks.bert import BertEncoder, find_encoder, load_bert, weights_digest
from kgscripts.reproductions.torch_networks.inference import (
    ROWS,
    TensorFields,
    fixed_batches,
    padded,
    padded_length,
    run_side_by_side,
)

MAX_PIECES = 256
"""The longest input of MiniLM as it was pretrained; tokens farther from the blank are cut."""


@frozen
class MaskedInput:
    """Piece ids of one cloze, where the concrete side begins, and the places of its masks by concrete position."""

    ids: list[int]
    concrete_start: int
    masks: dict[int, int]


@frozen(eq=False)
class MaskedBatch(TensorFields):
    """Padded inputs: `ids`, `types` and `attention` are (batch, pieces), int64."""

    ids: Tensor
    types: Tensor
    attention: Tensor


@frozen
class InputEncoding:
    """Turns clozes into pieces. `pieces` gives the ids of a word; the others are the ids of special pieces."""

    pieces: Callable[[str], Sequence[int]]
    start: int
    separator: int
    mask: int
    padding: int

    def encode(self, cloze: Cloze) -> MaskedInput:
        """The cloze's pieces; every hidden word of the concrete side is one mask, however many pieces it has."""
        ids = [self.start]
        for word in cloze.abstract:
            ids += self.pieces(word)
        # A long abstract side must leave room for the blank and what is around it.
        del ids[MAX_PIECES // 2 :]
        ids.append(self.separator)
        concrete: list[int] = []
        masks: dict[int, int] = {}
        for position, (word, hidden) in enumerate(zip(cloze.concrete, cloze.hidden, strict=True)):
            if hidden:
                masks[position] = len(concrete)
                concrete.append(self.mask)
            else:
                concrete += self.pieces(word)
        first = _window(len(concrete), masks[cloze.position], MAX_PIECES - len(ids) - 1)
        concrete = concrete[first : first + MAX_PIECES - len(ids) - 1]
        masks = {
            position: place - first + len(ids)
            for position, place in masks.items()
            if first <= place < first + len(concrete)
        }
        return MaskedInput([*ids, *concrete, self.separator], len(ids), masks)

    def batch(self, inputs: Sequence[MaskedInput], length: int) -> MaskedBatch:
        """The inputs, padded to `length` pieces."""
        ids, attention = padded([item.ids for item in inputs], length, self.padding)
        starts = torch.tensor([item.concrete_start for item in inputs])
        return MaskedBatch(ids, attention * (torch.arange(length) >= starts[:, None]), attention)


def _window(length: int, place: int, room: int) -> int:
    """The first of `room` pieces around the place, as far back as the end allows."""
    return 0 if length <= room else min(max(0, place - room // 2), length - room)


KIND = "masked"
WORDS = "words.json"


class WordHead(nn.Module):
    """Hidden states -> scores of words, by their similarity to the words' vectors.

    Parameters
    ----------
    vectors:
        (words + 1, size): mean of the pieces' embeddings of each word and, last, of the unknown word; not trained.
    frequency:
        (words + 1,): the share of each in the blanks that it is trained on, where the biases begin.
    """

    vectors: Tensor

    def __init__(self, vectors: Tensor, frequency: Tensor, dropout: float) -> None:
        super().__init__()
        size = vectors.shape[1]
        self.dense = nn.Linear(size, size)
        # Training begins with states that are compared with words nearly as the encoder gives them.
        nn.init.eye_(self.dense.weight)
        nn.init.zeros_(self.dense.bias)
        self.normalise = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)
        self.difference = nn.Parameter(torch.zeros_like(vectors))
        self.bias = nn.Parameter(frequency.log())
        self.register_buffer("vectors", vectors, persistent=False)

    def features(self, states: Tensor) -> Tensor:
        """(places, size) -> (places, size): what is compared with the words' vectors."""
        features: Tensor = self.dropout(self.normalise(functional.gelu(self.dense(states))))
        return features

    def scores(self, features: Tensor) -> Tensor:
        """(places, size) -> (places, words + 1): unnormalised log probabilities."""
        return functional.linear(features, self.vectors + self.difference, self.bias)


class MaskedNetwork(AdaptedNetwork):
    """The encoder with its adapters, and the word head.

    Raises ModelError where the encoder cannot be found.
    """

    adapter_names = ("adapters.base_model.model.{}.lora_A.weight", "adapters.base_model.model.{}.lora_B.weight")

    def __init__(
        self,
        words: Sequence[str],
        frequency: Sequence[float],
        *,
        rank: int | None,
        dropout: float,
        encoder: BertEncoder,
    ) -> None:
        super().__init__()
        self.words = tuple(words)
        self._encoder = encoder
        embeddings: Tensor = encoder.network.embeddings.word_embeddings.weight.detach()
        scale = torch.stack([self._mean(word, embeddings) for word in self.words] or [embeddings[0]]).norm(dim=1).mean()
        self._embeddings = embeddings / scale
        unknown = self._embeddings[encoder.unknown]
        self.head = WordHead(
            torch.cat([self.word_vectors(self.words), unknown[None]]), torch.tensor(frequency), dropout
        )
        self.adapted = encoder.network if rank is None else with_adapters(encoder.network, rank)
        self.inputs = InputEncoding(
            cache(encoder.pieces),
            start=encoder.start,
            separator=encoder.separator,
            mask=encoder.mask,
            padding=encoder.padding,
        )

    def _mean(self, word: str, embeddings: Tensor) -> Tensor:
        return embeddings[self._encoder.pieces(word)].mean(0)

    def word_vectors(self, words: Sequence[str]) -> Tensor:
        """(words, size): the mean of the embeddings of each word's pieces."""
        vectors = [self._mean(word, self._embeddings) for word in words]
        return torch.stack(vectors) if vectors else self._embeddings[:0]

    def states(self, batch: MaskedBatch, rows: Tensor, places: Tensor) -> Tensor:
        """The last hidden states at the places (row, piece): (places, size)."""
        output = self.adapted(input_ids=batch.ids, token_type_ids=batch.types, attention_mask=batch.attention)
        states: Tensor = output.last_hidden_state[rows, places]
        return states

    def features(self, batch: MaskedBatch, rows: Tensor, places: Tensor) -> Tensor:
        """The states that are compared with the words' vectors, at the places (row, piece): (places, size)."""
        return self.head.features(self.states(batch, rows, places))

    def forward(self, batch: MaskedBatch, rows: Tensor, places: Tensor) -> Tensor:
        """Unnormalised log probabilities of the words and the unknown one: (places, words + 1)."""
        return self.head.scores(self.features(batch, rows, places))

    def candidate_table(self, candidates: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Vectors (candidates + 1, size) and biases; words that training did not see have the rarest word's bias."""
        known = {word: row for row, word in enumerate(self.words)}
        rows = torch.tensor([known.get(word, -1) for word in candidates] + [len(self.words)])
        table = (self.head.vectors + self.head.difference)[rows]
        bias = self.head.bias[rows]
        for place, word in enumerate(candidates):
            if word not in known:
                table[place] = self._mean(word, self._embeddings)
                bias[place] = self.head.bias.min()
        return table, bias


class MaskedModel:
    """Guesses hidden words from both sides; see `kgscripts.models.cloze.ClozeModel`.

    The probabilities of a cloze do not depend on the other clozes of a call.
    """

    context: Literal["left", "both"] = "both"

    def __init__(self, name: str, network: MaskedNetwork) -> None:
        self.name = name
        self._network = network.eval()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that were blanks in its training data."""
        return self._network.words

    @torch.inference_mode()
    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> Tensor:
        """See `ClozeModel`."""
        table, bias = self._network.candidate_table(candidates)
        inputs = [self._network.inputs.encode(cloze) for cloze in clozes]
        batches = list(fixed_batches([len(item.ids) for item in inputs]))

        def run(chosen: Sequence[int]) -> Tensor:
            rows = [*chosen, *[chosen[0]] * (ROWS - len(chosen))]
            length = padded_length(max(len(inputs[row].ids) for row in rows))
            batch = self._network.inputs.batch([inputs[row] for row in rows], length)
            places = torch.tensor([inputs[row].masks[clozes[row].position] for row in rows])
            features = self._network.features(batch, torch.arange(ROWS), places)
            return functional.linear(features, table, bias).log_softmax(-1)[: len(chosen)]

        result = torch.empty(len(inputs), len(candidates) + 1)
        for chosen, scores in zip(batches, run_side_by_side(run, batches), strict=True):
            result[torch.tensor(chosen)] = scores.float()
        return result

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """Nothing: it gives no probability to whole texts."""


def new_network(
    words: Sequence[str], frequency: Sequence[float], *, rank: int | None, dropout: float, encoder: str
) -> MaskedNetwork:
    """A network over a new copy of the encoder whose adapters change nothing yet; without `rank` it has none."""
    return MaskedNetwork(words, frequency, rank=rank, dropout=dropout, encoder=load_bert(encoder))


def masked_checkpoint(network: MaskedNetwork, card: ModelCard, *, encoder: str, rank: int) -> Checkpoint:
    """The checkpoint of a network that was trained over the encoder of that name, with adapters of that rank.

    It holds adapters and head, large matrices as int8, and the name and digest of the encoder.
    """
    return Checkpoint(
        kind=KIND,
        settings={"encoder": encoder, "encoder_sha256": weights_digest(find_encoder(encoder)), "rank": rank},
        tensors=with_scales({name: value.cpu().numpy() for name, value in network.trained_tensors().items()}),
        card=card,
        files={WORDS: (json.dumps(network.words, ensure_ascii=False) + "\n").encode()},
    )


@from_checkpoint
def masked_model(checkpoint: Checkpoint) -> MaskedModel:
    """The model of a checkpoint, its adapters merged into the encoder.

    Raises ModelError if its parts do not fit together, or the encoder is missing or another one.
    """
    words = checkpoint.json(WORDS)
    encoder = load_bert(checkpoint.settings["encoder"])
    encoder.check(checkpoint.settings["encoder_sha256"])
    network = MaskedNetwork(words, [1.0] * (len(words) + 1), rank=None, dropout=0.0, encoder=encoder)
    network.read_trained_tensors(checkpoint.tensors, checkpoint.settings["rank"])
    return MaskedModel(checkpoint.card.name, network)
