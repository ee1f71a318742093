"""Alignment of each concrete word with the abstract word that it realises (KidsCook, appendix A).

Emissions are better than in the paper, and there are two alignments of the same model. The monotonic one is the Viterbi
path of the lattice whose emission is log p(a_j = i | x, y), smoothed, at each content word; function words and
punctuation follow their neighbours. The free one aligns each word independently, for texts whose order differs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from attrs import frozen

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.alignment.words import is_content_word
from kgscripts.models.checkpoint import from_checkpoint
from schemas.arguments import items_of
from schemas.errors import InputError, ModelError
from schemas.provenance import Model

if TYPE_CHECKING:
    from torch import Tensor

    from kgscripts.models.alignment.network import AlignerNetwork
    from kgscripts.models.checkpoint import Checkpoint

KIND = "aligner"
"""The kind of checkpoint of an aligner."""

MAX_CELLS = 4_000_000
"""The largest product of both lengths of a pair that is aligned: about half a gigabyte of lattice."""

_LATTICES = 8
_LATTICE_CELLS = 200_000
"""The most pairs, and the most cells of pairs, in one run of the lattice."""


class Tokens(Protocol):
    """Anything with both sides as tokens, such as `kgscripts.corpora.pairs.pair.Pair`."""

    @property
    def abstract(self) -> Sequence[str]:
        """At least one token."""

    @property
    def concrete(self) -> Sequence[str]:
        """At least one token."""


@frozen
class Alignment:
    """The abstract token of each concrete token, with probabilities.

    `path` holds an abstract index for each concrete token. `log_probability` is that of the whole path given both
    sides, in nats. `posterior` holds for each concrete token the probability of its own place in `path`, summed over
    all paths.
    """

    path: tuple[int, ...]
    log_probability: float
    posterior: tuple[float, ...]


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

    def __init__(self, network: AlignerNetwork, settings: PathSettings, model: Model) -> None:
        self._network = network
        self._settings = settings
        self.model = model

    def to(self, device: str) -> Aligner:
        """This aligner, whose network is moved to another device; lattices stay on the CPU."""
        self._network.to(device)
        return self

    def align(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """The monotonic alignments: no word is aligned to an earlier abstract word than the word before it.

        ``align([("peel the potatoes", "take a peeler and scrape the skin off .")])``: of a pair of strings, abstract
        and concrete, the tokens are what blanks separate. Raises InputError for a pair with a side without tokens, and
        for one whose lengths multiply to more than `MAX_CELLS`.
        """
        from kgscripts.models.inference import fixed_threads

        pairs = tokens_of(pairs)
        log_posteriors = self._log_posteriors(pairs)
        alignments: dict[int, Alignment] = {}
        with fixed_threads():
            for rows in _batches(pairs):
                batch = _monotonic([log_posteriors[row] for row in rows], [pairs[row] for row in rows], self._settings)
                alignments.update(zip(rows, batch, strict=True))
        return [alignments[row] for row in range(len(pairs))]

    def align_freely(self, pairs: Sequence[Tokens | tuple[str, str]]) -> list[Alignment]:
        """The free alignments: each content word with its most probable abstract word; other words like the nearest
        content word.

        `log_probability` is the sum over the content words, as if they were independent. Raises as `align`.
        """
        pairs = tokens_of(pairs)
        return [_free(scores, pair) for scores, pair in zip(self._log_posteriors(pairs), pairs, strict=True)]

    def _log_posteriors(self, pairs: Sequence[Tokens]) -> list[Tensor]:
        """log p(a_j = i | x, y), (concrete, abstract) for each pair. Each pair is computed by itself."""
        from kgscripts.models.alignment.network import Sides
        from kgscripts.models.inference import run_side_by_side

        return run_side_by_side(self._network.log_posteriors, [Sides(pair.abstract, pair.concrete) for pair in pairs])


def free_aligner(model: PairAligner, where: str) -> Aligner:
    """The model, which is from `where`, if it has free alignments; raises ModelError if it has none."""
    if not hasattr(model, "align_freely"):
        raise ModelError("a model without free alignments", where=where, remedy="name an aligner")
    return cast(Aligner, model)


@from_checkpoint
def aligner_model(checkpoint: Checkpoint) -> Aligner:
    """The aligner of a checkpoint. Raises ModelError if its parts do not fit together, or MiniLM cannot be found."""
    from kgscripts.models.alignment.network import AlignerNetwork
    from kgscripts.models.encoder import load_encoder

    settings = dict(checkpoint.settings)
    assert checkpoint.model is not None
    path = PathSettings(**{name: float(settings.pop(name)) for name in ("smoothing", "shift_probability")})
    rank = settings.pop("rank")
    network = AlignerNetwork(load_encoder(), **settings)
    network.read_trained_tensors(checkpoint.tensors, rank)
    return Aligner(network.eval(), path, checkpoint.model)


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


def _batches(pairs: Sequence[Tokens]) -> Iterator[list[int]]:
    """Rows of pairs of similar length, few enough for their lattices to fit into memory."""
    from kgscripts.models.inference import grouped

    def fits(batch: Sequence[int], row: int) -> bool:
        cells = len(pairs[row].abstract) * len(pairs[row].concrete)
        return len(batch) < _LATTICES and cells * (len(batch) + 1) <= _LATTICE_CELLS

    rows = sorted(range(len(pairs)), key=lambda row: (len(pairs[row].concrete), len(pairs[row].abstract), row))
    return grouped(rows, fits)


def _monotonic(log_posteriors: Sequence[Tensor], pairs: Sequence[Tokens], settings: PathSettings) -> list[Alignment]:
    """Alignments of pairs, whose lattices are computed cell by cell: padding changes no result."""
    import torch

    from kgscripts.alignment import lattice

    shape = len(pairs), max(len(pair.concrete) for pair in pairs), max(len(pair.abstract) for pair in pairs)
    padded = torch.full(shape, -math.inf)
    for row, scores in enumerate(log_posteriors):
        padded[row, : scores.shape[0], : scores.shape[1]] = scores
    # Function words and punctuation are indifferent, but stay on words that can be aligned to; only the last one, the
    # full stop as a rule, ends the abstract side too (eq. 7).
    possible = padded.isfinite()
    emission = (padded.exp() + settings.smoothing).log().masked_fill(~possible, -math.inf)
    for row, pair in enumerate(pairs):
        flat = [j for j, word in enumerate(pair.concrete) if not is_content_word(word)]
        emission[row, flat] = torch.where(possible[row, flat], 0.0, -math.inf)
        if flat and flat[-1] == len(pair.concrete) - 1:
            emission[row, flat[-1]] = -math.inf
            emission[row, flat[-1], len(pair.abstract) - 1] = 0.0
    transitions = lattice.fixed_transitions(settings.shift_probability)
    lengths = (
        torch.tensor([len(pair.abstract) for pair in pairs]),
        torch.tensor([len(pair.concrete) for pair in pairs]),
    )
    return best_alignments(emission, transitions.shift, transitions.emit, *lengths, last_to_last=False)


def best_alignments(*cells: Tensor, last_to_last: bool) -> list[Alignment]:
    """The Viterbi alignments of lattices, whose `cells` are the arguments of `kgscripts.alignment.lattice.viterbi`."""
    from kgscripts.alignment import lattice

    best = lattice.viterbi(*cells, last_to_last=last_to_last)
    probabilities = best.log_probability - lattice.log_marginal(*cells, last_to_last=last_to_last)
    at_path = lattice.posteriors(*cells, last_to_last=last_to_last).gather(2, best.path[:, :, None])[:, :, 0]
    return [
        Alignment(
            path=tuple(best.path[row, :size].tolist()),
            # Both terms are rounded, so that the difference may be a little above zero.
            log_probability=min(0.0, float(probabilities[row])),
            posterior=tuple(at_path[row, :size].tolist()),
        )
        for row, size in enumerate(cells[-1].tolist())
    ]


def _free(log_posteriors: Tensor, pair: Tokens) -> Alignment:
    scores, places = (values.tolist() for values in log_posteriors.max(dim=1))
    size = len(pair.concrete)
    content = [j for j, word in enumerate(pair.concrete) if is_content_word(word)] or list(range(size))
    nearest = [min(content, key=lambda k: (abs(k - j), k)) for j in range(size)]
    return Alignment(
        path=tuple(places[k] for k in nearest),
        log_probability=math.fsum(scores[j] for j in content),
        posterior=tuple(math.exp(scores[k]) for k in nearest),
    )
