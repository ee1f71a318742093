"""Alignment of each concrete word with the abstract word that it realises (KidsCook, appendix A).

Emissions are better than in the paper, and there are two alignments of the same model. The monotonic one is the Viterbi
path of the lattice whose emission is log p(a_j = i | x, y), smoothed, at each content word; function words and
punctuation follow their neighbours. The free one aligns each word independently, for texts whose order differs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

import numpy as np
from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.adapters import adapted, split_adapters
from kgscripts.models.alignment.inputs import Sides
from kgscripts.models.alignment.lattice import Alignment, best_alignment
from kgscripts.models.alignment.network import AlignerLayers
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.checkpoint import from_checkpoint
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.runtime import Array, side_by_side
from schemas.arguments import items_of
from schemas.errors import InputError, ModelError
from schemas.provenance import Model

if TYPE_CHECKING:
    from kgscripts.models.checkpoint import Checkpoint

KIND = "aligner"
"""The kind of checkpoint of an aligner."""
ADAPTERS = ("encoder.{}.parametrizations.weight.0.down", "encoder.{}.parametrizations.weight.0.up")
"""The names of the tensors of adapters in checkpoints."""

MAX_CELLS = 4_000_000
"""The largest product of both lengths of a pair that is aligned: about half a gigabyte of lattice."""


class Tokens(Protocol):
    """Anything with both sides as tokens, such as `kgscripts.corpora.pairs.pair.Pair`."""

    @property
    def abstract(self) -> Sequence[str]:
        """At least one token."""

    @property
    def concrete(self) -> Sequence[str]:
        """At least one token."""


@runtime_checkable
class PairAligner(Protocol):
    """A model that aligns pairs: an `Aligner`, or a transducer of words."""

    def align(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """The Viterbi alignment of each pair, which does not depend on the other ones."""


@frozen(kw_only=True)
class PathSettings:
    """The lattice's emission is log(p(a_j = i | x, y) + `smoothing`), so that no single word can force the path."""

    smoothing: float
    shift_probability: float


class Aligner:
    """Aligns pairs. The alignment of a pair does not depend on the other pairs of a call.

    `model` is the provenance of its checkpoint.
    """

    def __init__(self, network: AlignerLayers, settings: PathSettings, model: Model) -> None:
        self._network = network
        self._settings = settings
        self.model = model

    def to(self, device: str) -> Aligner:
        """This aligner, whose network is moved to another device; lattices stay on the CPU."""
        return Aligner(self._network.to(device), self._settings, self.model)

    def align(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """The monotonic alignments: no word is aligned to an earlier abstract word than the word before it.

        ``align([("peel the potatoes", "take a peeler and scrape the skin off .")])``: of a pair of strings, abstract
        and concrete, the tokens are what blanks separate. Raises InputError for a pair with a side without tokens, and
        for one whose lengths multiply to more than `MAX_CELLS`.
        """
        pairs = tokens_of(pairs)
        return side_by_side(lambda pair: _monotonic(self._log_posteriors(pair), pair, self._settings), pairs)

    def align_freely(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """The free alignments: each content word with its most probable abstract word; other words like the nearest
        content word.

        `log_probability` is the sum over the content words, as if they were independent. Raises as `align`.
        """
        return side_by_side(lambda pair: _free(self._log_posteriors(pair), pair), tokens_of(pairs))

    def _log_posteriors(self, pair: Tokens) -> Array:
        """log p(a_j = i | x, y), (concrete, abstract)."""
        return self._network.log_posteriors(Sides(pair.abstract, pair.concrete))


def free_aligner(model: PairAligner, where: str) -> Aligner:
    """The model, which is from `where`, if it has free alignments; raises ModelError if it has none."""
    if not hasattr(model, "align_freely"):
        raise ModelError("a model without free alignments", where=where, remedy="name an aligner")
    return cast(Aligner, model)


@from_checkpoint
def aligner_model(checkpoint: Checkpoint) -> Aligner:
    """The aligner of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM cannot be found."""
    assert checkpoint.model is not None
    settings = dict(checkpoint.settings)
    layers, rank, size = (settings.pop(name) for name in ("layers", "rank", "size"))
    path = PathSettings(**{name: float(value) for name, value in settings.items()})
    down, up, others = split_adapters(checkpoint.tensors, ADAPTERS)
    minilm = shared_minilm()
    network = AlignerLayers(minilm.with_weights(adapted(minilm.lower(layers), down, up, rank)), others)
    if not network.fits(size):
        raise ValueError("weights of a network of another size")
    return Aligner(network, path, checkpoint.model)


def tokens_of(given: Sequence[Tokens | tuple[str, str]]) -> list[Tokens]:
    """Pairs as tokens. Raises InputError for a pair that is too large to align, or has a side without tokens."""
    pairs = [
        Pair(abstract=pair[0].split(), concrete=pair[1].split(), where=f"pair {row + 1}")
        if isinstance(pair, tuple | list)
        else pair
        for row, pair in enumerate(items_of("pairs", given))
    ]
    for row, pair in enumerate(pairs):
        if len(pair.abstract) * len(pair.concrete) > MAX_CELLS:
            raise InputError(
                f"{len(pair.abstract):,} by {len(pair.concrete):,} tokens are too many to align",
                where=str(getattr(pair, "where", "") or f"pair {row + 1}"),
                remedy="cut the pair where its parts correspond",
            )
    return pairs


def _monotonic(log_posteriors: Array, pair: Tokens, settings: PathSettings) -> Alignment:
    # Function words and punctuation are indifferent, but stay on words that can be aligned to; only the last one, the
    # full stop as a rule, ends the abstract side too (eq. 7).
    possible = np.isfinite(log_posteriors)
    with np.errstate(divide="ignore"):
        emission = np.where(possible, np.log(np.exp(log_posteriors) + np.float32(settings.smoothing)), -np.inf)
    flat = [j for j, word in enumerate(pair.concrete) if not is_content_word(word)]
    emission[flat] = np.where(possible[flat], 0.0, -np.inf)
    if flat and flat[-1] == len(pair.concrete) - 1:
        emission[-1] = -np.inf
        emission[-1, -1] = 0.0
    return best_alignment(emission.astype(np.float32), settings.shift_probability)


def _free(log_posteriors: Array, pair: Tokens) -> Alignment:
    scores, places = log_posteriors.max(axis=1).tolist(), log_posteriors.argmax(axis=1).tolist()
    size = len(pair.concrete)
    content = [j for j, word in enumerate(pair.concrete) if is_content_word(word)] or list(range(size))
    nearest = [min(content, key=lambda k: (abs(k - j), k)) for j in range(size)]
    return Alignment(
        path=tuple(places[k] for k in nearest),
        log_probability=math.fsum(scores[j] for j in content),
        posterior=tuple(math.exp(scores[k]) for k in nearest),
    )
