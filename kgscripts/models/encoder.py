"""The encoder that ships: `sentence-transformers/all-MiniLM-L6-v2`, a BERT (Devlin et al. 2019), run by onnxruntime.

Its files are a tokenizer, the vectors of its pieces, which all networks share, and its layers, of which a network may
have its own or add adapters to these. Names of weights are those of Hugging Face's `BertModel`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import Factory, evolve, field, frozen
from numpy.typing import NDArray

from kgscripts.devices import CPU
from kgscripts.models.quantised import SCALE, as_floats, dequantised
from kgscripts.models.runtime import Array, Network, graph
from schemas.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
PIECES = "embeddings.word_embeddings.weight"
_POSITIONS, _TYPES = "embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"
_NORM = "embeddings.LayerNorm"
_EPSILON = 1e-12
MOST_PIECES = 512
"""The most pieces that it reads at once."""
_MATRICES = {
    "output": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
}
"""The matrices of a layer: by the names of the graph, those of `BertModel`; beside those of attention."""
_NORMS = {"norm": "attention.output.LayerNorm", "last": "output.LayerNorm"}
_ATTENTION = tuple(f"attention.self.{part}" for part in ("query", "key", "value"))


def _id_of(piece: str) -> Any:
    """A field with the id of a piece of the tokenizer, 0 if it has no such piece."""
    default = Factory(lambda encoder: encoder.tokenizer.token_to_id(piece) or 0, takes_self=True)
    return field(init=False, default=default)


@frozen(eq=False, repr=False)
class Encoder:
    """A tokenizer and a network: pieces of texts -> states. `weights` are those of the network but for the vectors of
    pieces, which may be quantised, `digest` is the SHA-256 of the published file that all of them were made of."""

    tokenizer: Tokenizer
    piece_vectors: NDArray[np.int8]
    piece_scales: NDArray[Any]
    weights: Mapping[str, NDArray[Any]]
    digest: str
    device: str = CPU
    start: int = _id_of("[CLS]")
    separator: int = _id_of("[SEP]")
    mask: int = _id_of("[MASK]")
    unknown: int = _id_of("[UNK]")

    @cached_property
    def _layers(self) -> list[Network]:
        return [self._layer(f"encoder.layer.{number}.") for number in range(self.depth)]

    def check_weights(self) -> None:
        """Raise ValueError for weights that are missing or of other sizes."""
        assert self._layers
        shapes: dict[str, tuple[int, ...]] = {_POSITIONS: (MOST_PIECES, self.size), _TYPES: (2, self.size)}
        shapes |= {f"{_NORM}.{part}": (self.size,) for part in ("weight", "bias")}
        if any(self.weights[name].shape != shape for name, shape in shapes.items()):
            raise ValueError("embeddings of an encoder of another size")

    @property
    def size(self) -> int:
        """The size of states."""
        return int(self.piece_vectors.shape[1])

    @property
    def depth(self) -> int:
        """The number of layers."""
        numbers = (name.removeprefix("encoder.layer.").partition(".")[0] for name in self.weights)
        return len({number for number in numbers if number.isdecimal()})

    def pieces(self, text: str) -> list[int]:
        """The ids of the pieces of a word or text; the unknown piece for what has none."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids or [self.unknown]

    def states(self, ids: Sequence[int], types: Sequence[int] = ()) -> list[Array]:
        """The states of pieces in each layer, 0 being the embeddings, each (pieces, size); types are 0 by default."""
        return [states[0] for states in self.states_of([ids], types)]

    def states_of(self, texts: Sequence[Sequence[int]], types: Sequence[int] = ()) -> list[Array]:
        """Those of texts with the same number of pieces, each (texts, pieces, size).

        Those of a text are the same bytes alone and beside others: rows of products do not depend on each other.
        """
        ids = np.array(texts).ravel()
        shape = (len(texts), -1, self.size)
        states = dequantised(self.piece_vectors[ids], self.piece_scales[ids]).reshape(shape)
        weights, length = self.weights, states.shape[1]
        states += weights[_POSITIONS][:length].astype(np.float32)
        states += weights[_TYPES][list(types) or [0] * length].astype(np.float32)
        states -= states.mean(axis=2, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=2, keepdims=True) + np.float32(_EPSILON))
        every: list[Array] = [states * weights[f"{_NORM}.weight"] + weights[f"{_NORM}.bias"]]
        for layer in self._layers:
            every += layer(every[-1])
        return every

    def to(self, device: str) -> Encoder:
        """This encoder on another device."""
        return evolve(self, device=device)

    def with_weights(self, weights: Mapping[str, NDArray[Any]]) -> Encoder:
        """This encoder with other weights than its own, but the same vectors of pieces."""
        return evolve(self, weights=weights)

    def lower(self, layers: int) -> dict[str, Array]:
        """The weights of the embeddings and of the first layers, as float32."""
        kept = tuple(f"encoder.layer.{number}." for number in range(layers))
        return as_floats(
            {name: value for name, value in self.weights.items() if name.startswith((*kept, "embeddings."))}
        )

    def check(self, digest: object) -> None:
        """Raise ModelError unless this is the encoder of that digest, over which a model was trained."""
        if digest != self.digest:
            message = f"trained over another encoder than is here ({self.digest[:12]} instead of {str(digest)[:12]})"
            raise ModelError(message, remedy="train the model again, or get the encoder that it was trained over")

    def _layer(self, name: str) -> Network:
        def joined(*parts: str) -> Array:
            names = {name + part for part in parts}
            floats = as_floats(
                {key: self.weights[key] for own in names for key in (own, own + SCALE) if key in self.weights}
            )
            return np.concatenate([floats[name + part] for part in parts])

        weights: dict[str, Array] = {}
        for own, parts in {"attention": _ATTENTION, **{own: (part,) for own, part in _MATRICES.items()}}.items():
            weights[f"{own}.weight"] = joined(*(f"{part}.weight" for part in parts)).T
            weights[f"{own}.bias"] = joined(*(f"{part}.bias" for part in parts))
        for own, part in _NORMS.items():
            weights |= {f"{own}.{kind}": joined(f"{part}.{kind}") for kind in ("weight", "bias")}
        return Network(graph("layer"), weights, self.device)


def load_encoder() -> Encoder:
    """A new copy of MiniLM. Raises ModelError if its files are damaged."""
    folder = encoder_folder()
    tokenizer, vectors, weights, facts = _files(folder)
    return Encoder(tokenizer, vectors[PIECES], vectors[PIECES + SCALE], weights, facts["sha256"])


@cache
def _files(folder: Path) -> tuple[Tokenizer, dict[str, Any], dict[str, Any], dict[str, Any]]:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # The file may say that texts are cut and padded; callers do both themselves.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        vectors, weights = load_file(folder / "pieces.safetensors"), load_file(folder / "layers.safetensors")
        facts = json.loads((folder / "encoder.json").read_text(encoding="utf-8"))
    # A tokenizer that does not parse is a bare Exception.
    except Exception as error:
        raise ModelError(f"no encoder: {error}", where=str(folder), remedy="install kgscripts again") from error
    return tokenizer, vectors, weights, facts


def encoder_folder() -> Path:
    """The folder of its files."""
    return Path(str(resources.files("kgscripts.models"))) / "data" / "encoder"


def shared_minilm(device: str = CPU) -> Encoder:
    """MiniLM on a device, loaded once a process."""
    return _shared(device)


# A function of its own, so that the default and "cpu" are one entry of the cache.
@cache
def _shared(device: str) -> Encoder:
    return load_encoder().to(device)
