"""The cloze masked model: MiniLM with low-rank adapters (Hu et al. 2022) that fills blanks of the concrete side.

The abstract sentence stands in front, words that are still unknown are masks, and the candidates are whole words: each
has the mean of its pieces' input embeddings and, if it was seen in training, a difference and a bias of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.models.cloze import Cloze
from kgscripts.models.encoder import Encoder, load_encoder
from kgscripts.models.masked_inputs import InputEncoding, MaskedBatch

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import BertModel

_BATCH = 64


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


class MaskedNetwork(nn.Module):
    """The encoder with its adapters, and the word head.

    Raises ModelError where the encoder cannot be found.
    """

    def __init__(
        self, words: Sequence[str], frequency: Sequence[float], *, rank: int, dropout: float, encoder: Encoder
    ) -> None:
        super().__init__()
        self.words = tuple(words)
        self._encoder = encoder
        tokenizer = encoder.tokenizer
        embeddings: Tensor = encoder.network.embeddings.word_embeddings.weight.detach()
        scale = torch.stack([self._mean(word, embeddings) for word in self.words] or [embeddings[0]]).norm(dim=1).mean()
        self._embeddings = embeddings / scale
        unknown = self._embeddings[tokenizer.unk_token_id]
        self.head = WordHead(
            torch.cat([self.word_vectors(self.words), unknown[None]]), torch.tensor(frequency), dropout
        )
        self.adapted: PeftModel | BertModel = _adapted(encoder, rank)
        pieces: dict[str, list[int]] = {}

        def pieces_of(word: str) -> Sequence[int]:
            if word not in pieces:
                pieces[word] = encoder.pieces(word)
            return pieces[word]

        self.inputs = InputEncoding(
            pieces_of,
            start=tokenizer.cls_token_id,
            separator=tokenizer.sep_token_id,
            mask=tokenizer.mask_token_id,
            padding=tokenizer.pad_token_id,
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
        """What is compared with the words' vectors, at the places (row, piece): (places, size)."""
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

    def trained(self) -> dict[str, Tensor]:
        """What training changed, by name: the adapters and the head."""
        from peft import get_peft_model_state_dict

        adapters = {f"adapters.{name}": value for name, value in get_peft_model_state_dict(self.adapted).items()}
        return {**adapters, **{f"head.{name}": value for name, value in self.head.state_dict().items()}}

    def restore(self, trained: Mapping[str, Tensor]) -> None:
        """Take what `trained` gave. Raises KeyError or RuntimeError where it does not fit."""
        from peft import set_peft_model_state_dict

        def below(prefix: str) -> dict[str, Tensor]:
            return {name.removeprefix(prefix): value for name, value in trained.items() if name.startswith(prefix)}

        if strange := set(trained) ^ set(self.trained()):
            raise KeyError(f"adapters or head do not fit: {min(strange)}")
        set_peft_model_state_dict(self.adapted, below("adapters."))
        self.head.load_state_dict(below("head."))

    def merge(self) -> None:
        """Merge the adapters into the encoder, for inference; they cannot be trained or read any more."""
        self.adapted = cast("PeftModel", self.adapted).merge_and_unload()


def _adapted(encoder: Encoder, rank: int) -> PeftModel:
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=["query", "key", "value", "dense"])
    with warnings.catch_warnings():
        # peft asks transformers by a name that it is giving up.
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing.*")
        adapted = get_peft_model(encoder.network, config)
    assert not isinstance(adapted, tuple)
    return adapted


class MaskedModel:
    """Guesses hidden words from both sides; see `kgscripts.models.cloze.ClozeModel`."""

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
        order = sorted(range(len(inputs)), key=lambda place: len(inputs[place].ids))
        result = torch.empty(len(inputs), len(candidates) + 1)
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            batch = self._network.inputs.batch([inputs[place] for place in chosen])
            places = torch.tensor([inputs[place].masks[clozes[place].position] for place in chosen])
            states = self._network.states(batch, torch.arange(len(chosen)), places)
            scores = functional.linear(self._network.head.features(states), table, bias)
            result[torch.tensor(chosen)] = scores.log_softmax(-1)
        return result

    def score(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> None:
        """Nothing: it gives no probability to whole texts."""


def new_network(
    words: Sequence[str], frequency: Sequence[float], *, rank: int, dropout: float, encoder: str
) -> MaskedNetwork:
    """A network over a new copy of the encoder whose adapters change nothing yet."""
    return MaskedNetwork(words, frequency, rank=rank, dropout=dropout, encoder=load_encoder(encoder))
