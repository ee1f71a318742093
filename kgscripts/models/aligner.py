"""Aligning each concrete word to the abstract word that it spells out (KidsCook, appendix A, with better emissions).

Two alignments of the same model. The monotonic one is the Viterbi path of the lattice whose emission is log p(a_j = i |
x, y), smoothed, at each content word; function words and punctuation follow their neighbours. The free one takes each
word by itself, for where the order of the two texts differs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from kgscripts.models.aligner_words import is_content_word
from schemas.errors import InputError, ModelError
from schemas.provenance import Model

if TYPE_CHECKING:
    from torch import Tensor

    from kgscripts.models.aligner_network import AlignerNetwork

KIND = "aligner"
"""What the configuration of a checkpoint calls an aligner."""

MAX_CELLS = 4_000_000
"""The largest product of both lengths of a pair that is aligned: about half a gigabyte of lattice."""

_BATCH = 8
"""So few that their states stay in the cache: 32 take a third more processor time."""

_BATCH_CELLS = 200_000


class Tokens(Protocol):
    """Anything with both sides as tokens, such as `kgscripts.corpora.pair.Pair`."""

    @property
    def abstract(self) -> Sequence[str]:
        """At least one token."""

    @property
    def concrete(self) -> Sequence[str]:
        """At least one token."""


@frozen
class Alignment:
    """Which abstract token each concrete token is aligned to, and how sure that is.

    `path` holds an abstract index for each concrete token. `log_probability` is that of the whole path given both
    sides, in nats. `posterior` holds for each concrete token the probability of its own place in `path`, summed over
    all paths.
    """

    path: tuple[int, ...]
    log_probability: float
    posterior: tuple[float, ...]


@frozen(kw_only=True)
class PathSettings:
    """The lattice's emission is log(p(a_j = i | x, y) + `smoothing`), so that no single word can force the path."""

    smoothing: float
    shift_probability: float


class Aligner:
    """Aligns pairs, in batches of similar length. `model` says what it is and how good."""

    def __init__(self, network: AlignerNetwork, settings: PathSettings, model: Model) -> None:
        self._network = network
        self._settings = settings
        self.model = model

    def align(self, pairs: Sequence[Tokens]) -> list[Alignment]:
        """The monotonic alignments: a word is never aligned before the word in front of it.

        Raises InputError for a pair whose lengths multiply to more than `MAX_CELLS`.
        """
        found: dict[int, Alignment] = {}
        for rows in _batches(pairs):
            batch = [pairs[row] for row in rows]
            found.update(zip(rows, _monotonic(self._log_posteriors(batch), batch, self._settings), strict=True))
        return [found[row] for row in range(len(pairs))]

    def align_freely(self, pairs: Sequence[Tokens]) -> list[Alignment]:
        """Each content word at its own best place, whatever the order; other words where the nearest one stands.

        `log_probability` is the sum over the content words, as if they were independent. Raises as `align`.
        """
        found: dict[int, Alignment] = {}
        for rows in _batches(pairs):
            batch = [pairs[row] for row in rows]
            found.update(zip(rows, _free(self._log_posteriors(batch), batch), strict=True))
        return [found[row] for row in range(len(pairs))]

    def _log_posteriors(self, pairs: Sequence[Tokens]) -> Tensor:
        from kgscripts.models.aligner_inputs import Sides

        return self._network.log_posteriors([Sides(pair.abstract, pair.concrete) for pair in pairs])


@functools.cache
def load_aligner(directory: Path | None = None) -> Aligner:
    """The aligner of a checkpoint directory; without one, the aligner that ships. Loaded once a process.

    Raises
    ------
    ModelError
        If a file is missing, damaged or foreign, or MiniLM cannot be found.
    """
    from kgscripts.models.aligner_network import AlignerNetwork
    from kgscripts.models.checkpoint_directory import load_checkpoint
    from kgscripts.models.encoder import load_encoder

    folder = Path(str(resources.files("kgscripts.models") / "data" / "aligner")) if directory is None else directory
    checkpoint = load_checkpoint(folder)
    if checkpoint.kind != KIND:
        raise ModelError(f"a model of kind {checkpoint.kind!r} aligns nothing", where=str(folder))
    settings = dict(checkpoint.settings)
    try:
        path = PathSettings(**{name: float(settings.pop(name)) for name in ("smoothing", "shift_probability")})
        network = AlignerNetwork(load_encoder(), **settings)
        network.load_trained_tensors(checkpoint.tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        remedy = "train the model again, or get the checkpoint again"
        raise ModelError(f"not the checkpoint of an aligner: {error}", where=str(folder), remedy=remedy) from error
    network.merge_changes()
    return Aligner(network.eval(), path, checkpoint.model)


def _batches(pairs: Sequence[Tokens]) -> Iterator[list[int]]:
    """Rows of pairs of similar length, few enough for their lattices to fit into memory."""
    cells = [len(pair.abstract) * len(pair.concrete) for pair in pairs]
    for row, size in enumerate(cells):
        if size > MAX_CELLS:
            _refuse(pairs[row], row)
    batch: list[int] = []
    for row in sorted(range(len(pairs)), key=lambda row: (len(pairs[row].concrete), len(pairs[row].abstract), row)):
        if batch and (len(batch) == _BATCH or cells[row] * (len(batch) + 1) > _BATCH_CELLS):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _refuse(pair: Tokens, row: int) -> None:
    raise InputError(
        f"{len(pair.abstract):,} by {len(pair.concrete):,} tokens are too many to align",
        where=str(getattr(pair, "where", "") or f"pair {row + 1}"),
        remedy="cut the pair where its parts correspond",
    )


def _monotonic(log_posteriors: Tensor, pairs: Sequence[Tokens], settings: PathSettings) -> list[Alignment]:
    import torch

    from kgscripts.alignment import lattice

    # Function words and punctuation are indifferent, but stay on words that can be aligned to; only the last one, the
    # full stop as a rule, ends the abstract side too (eq. 7).
    possible = log_posteriors.isfinite()
    emission = (log_posteriors.exp() + settings.smoothing).log().masked_fill(~possible, -math.inf)
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
    cells = (emission, transitions.shift, transitions.emit, *lengths)
    best = lattice.viterbi(*cells, last_to_last=False)
    probabilities = best.log_probability - lattice.log_marginal(*cells, last_to_last=False)
    at_path = lattice.posteriors(*cells, last_to_last=False).gather(2, best.path[:, :, None])[:, :, 0]
    return [
        Alignment(
            path=tuple(best.path[row, : len(pair.concrete)].tolist()),
            log_probability=min(0.0, float(probabilities[row])),
            posterior=tuple(at_path[row, : len(pair.concrete)].tolist()),
        )
        for row, pair in enumerate(pairs)
    ]


def _free(log_posteriors: Tensor, pairs: Sequence[Tokens]) -> list[Alignment]:
    scores, places = log_posteriors.max(dim=2)
    alignments = []
    for row, pair in enumerate(pairs):
        size = len(pair.concrete)
        content = [j for j, word in enumerate(pair.concrete) if is_content_word(word)] or list(range(size))
        nearest = [min(content, key=lambda k: (abs(k - j), k)) for j in range(size)]
        best, own = places[row].tolist(), scores[row].tolist()
        alignments.append(
            Alignment(
                path=tuple(best[k] for k in nearest),
                log_probability=math.fsum(own[j] for j in content),
                posterior=tuple(math.exp(own[k]) for k in nearest),
            )
        )
    return alignments
