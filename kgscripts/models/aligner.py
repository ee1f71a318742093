"""Aligning each concrete word to the abstract word that it spells out (KidsCook, appendix A, with better emissions).

Two alignments of the same model. The monotonic one is the Viterbi path of the lattice whose emission is the model's
log p(a_j = i | x, y) at each content word; function words and punctuation follow their neighbours. The free one takes
each word by itself, for where the order of the two texts differs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from attrs import frozen

from kgscripts.models.aligner_words import is_content_word
from schemas.provenance import Model

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 64
_SHIFT_PROBABILITY = 0.5


class Tokens(Protocol):
    """Anything with both sides as tokens, such as `kgscripts.corpora.pair_corpora.Pair`."""

    @property
    def abstract(self) -> Sequence[str]: ...

    @property
    def concrete(self) -> Sequence[str]: ...


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


class Scorer(Protocol):
    """What an aligner asks of its model: which abstract word does each concrete word spell out."""

    def log_posteriors(self, pairs: Sequence[Tokens]) -> Tensor:
        """log p(a_j = i | x, y) of each word by itself, (pairs, concrete, abstract) float32; -inf in padding."""


class Aligner:
    """Aligns pairs, in batches of similar length. `model` says what it is and how good."""

    def __init__(self, scorer: Scorer, model: Model) -> None:
        self._scorer = scorer
        self.model = model

    def align(self, pairs: Sequence[Tokens]) -> list[Alignment]:
        """The monotonic alignments: a word is never aligned before the word in front of it."""
        found: dict[int, Alignment] = {}
        for rows in _batches(pairs):
            batch = [pairs[row] for row in rows]
            found.update(zip(rows, _monotonic(self._scorer.log_posteriors(batch), batch), strict=True))
        return [found[row] for row in range(len(pairs))]

    def align_freely(self, pairs: Sequence[Tokens]) -> list[Alignment]:
        """Each content word at its own best place, whatever the order; other words where the nearest one stands.

        `log_probability` is the sum over the words, as if they were independent.
        """
        found: dict[int, Alignment] = {}
        for rows in _batches(pairs):
            batch = [pairs[row] for row in rows]
            found.update(zip(rows, _free(self._scorer.log_posteriors(batch), batch), strict=True))
        return [found[row] for row in range(len(pairs))]


def _batches(pairs: Sequence[Tokens]) -> Iterator[list[int]]:
    order = sorted(range(len(pairs)), key=lambda row: len(pairs[row].abstract) + len(pairs[row].concrete))
    return (order[start : start + _BATCH] for start in range(0, len(order), _BATCH))


def _monotonic(log_posteriors: Tensor, pairs: Sequence[Tokens]) -> list[Alignment]:
    import torch

    from kgscripts.alignment import lattice

    # Function words and punctuation are indifferent, but stay on words that can be aligned to.
    flat = torch.zeros(log_posteriors.shape[:2], dtype=torch.bool)
    for row, pair in enumerate(pairs):
        flat[row, [j for j, word in enumerate(pair.concrete) if not is_content_word(word)]] = True
    emission = torch.where(flat[:, :, None] & log_posteriors.isfinite(), 0.0, log_posteriors)
    transitions = lattice.fixed_transitions(_SHIFT_PROBABILITY)
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
        content = [j for j, word in enumerate(pair.concrete) if is_content_word(word)] or list(
            range(len(pair.concrete))
        )
        nearest = [min(content, key=lambda k: (abs(k - j), k)) for j in range(len(pair.concrete))]
        best = places[row].tolist()
        own = scores[row].tolist()
        alignments.append(
            Alignment(
                path=tuple(best[k] for k in nearest),
                log_probability=math.fsum(own[j] for j in content),
                posterior=tuple(math.exp(own[k]) for k in nearest),
            )
        )
    return alignments


@functools.cache
def load_aligner(directory: Path | None = None) -> Aligner:  # noqa: ARG001
    """The aligner of a checkpoint directory; without one, the aligner that ships. Loaded once a process.

    Raises
    ------
    ModelError
        if a file is missing or damaged.
    """
    from kgscripts.models.aligner_similarity import SimilarityScorer

    scorer = SimilarityScorer()
    return Aligner(scorer, Model(name="aligner", version="0", digest="0" * 64, task="alignment"))
