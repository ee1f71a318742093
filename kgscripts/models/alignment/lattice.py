"""Monotonic alignments of one pair (KidsCook, appendix A): the best one, and the probability of each place in it.

Node (j, i) is the state in which j words have been written and the position is abstract token i. An *emission* writes
word j and leads to (j + 1, i); a *shift* leads to (j, i + 1). Every monotonic alignment is one path from (0, 0). All
nodes with the same d = j + i depend only on those of d - 1, so that arrays are *skewed*: (diagonals, abstract), where
[d, i] belongs to (j = d - i, i).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.runtime import softmax

Cells = NDArray[np.float64]


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


@frozen(eq=False)
class _Scores:
    """Log weights of all paths, or of the best one, to each node, (diagonals, abstract), and of those that arrive by
    emission and by shift, (diagonals - 1, abstract); -inf where there is no path."""

    nodes: Cells
    by_emission: Cells
    by_shift: Cells

    @property
    def ends(self) -> Cells:
        """Of the nodes where all words are written, (abstract,)."""
        tokens = np.arange(self.nodes.shape[1])
        ends: Cells = self.nodes[len(self.nodes) - len(tokens) + tokens, tokens]
        return ends


def best_alignment(emission: NDArray[np.float32], shift_probability: float) -> Alignment:
    """The Viterbi alignment, and its posteriors over all alignments (equation 7 without the condition on the end).

    `emission` (concrete, abstract) is log p(y_j | a_j = i). A pair that no alignment can have gets a path of zeros,
    with log probability -inf.

    Raises
    ------
    ValueError
        If `shift_probability` is not a probability.
    """
    if not 0.0 <= shift_probability <= 1.0:
        raise ValueError(f"a shift probability must lie in [0, 1], got {shift_probability}")
    with np.errstate(divide="ignore"):
        shift, emit = float(np.log(shift_probability)), float(np.log1p(-shift_probability))
    words, shifts = _edges(emission + np.float32(emit), shift)
    every, best = _forward(words, shifts, np.logaddexp), _forward(words, shifts, np.maximum)
    path = _followed(best, len(emission))
    shares = _posteriors(every, len(emission))
    highest, total = float(best.ends.max()), float(np.logaddexp.reduce(every.ends))
    return Alignment(
        path=tuple(path),
        # Both terms are rounded, so that the difference may be a little above zero.
        log_probability=min(0.0, highest - total) if highest > -np.inf else -np.inf,
        posterior=tuple(shares[np.arange(len(path)), path].tolist()),
    )


def _edges(words: NDArray[np.float32], shift: float) -> tuple[Cells, Cells]:
    """The weights of emissions and shifts by the node that they leave, skewed; -inf for those that leave the pair."""
    concrete, abstract = words.shape
    rows, tokens = np.arange(concrete)[:, None], np.arange(abstract)
    emissions, shifts = (np.full((concrete + abstract - 1, abstract), -np.inf) for _ in range(2))
    emissions[rows + tokens, tokens] = words
    shifts[rows + tokens[:-1], tokens[:-1]] = shift
    return emissions, shifts


def _forward(emissions: Cells, shifts: Cells, combine: Any) -> _Scores:
    """The scores of all nodes from (0, 0); `combine` is `np.logaddexp` (all paths) or `np.maximum` (the best one)."""
    nodes = np.full((len(emissions) + 1, emissions.shape[1]), -np.inf)
    nodes[0, 0] = 0.0
    by_emission, by_shift = np.empty_like(emissions), np.full_like(shifts, -np.inf)
    for number, here in enumerate(nodes[:-1]):
        np.add(here, emissions[number], out=by_emission[number])
        np.add(here[:-1], shifts[number, :-1], out=by_shift[number, 1:])
        combine(by_emission[number], by_shift[number], out=nodes[number + 1])
    return _Scores(nodes, by_emission, by_shift)


def _followed(best: _Scores, words: int) -> list[int]:
    """The best path; of two that are as good, the one that shifts earlier."""
    token = int(best.ends.argmax())
    path = [0] * words
    if best.ends[token] == -np.inf:
        return path
    for number in range(words + token - 1, -1, -1):
        if best.by_emission[number, token] >= best.by_shift[number, token]:
            path[number - token] = token
        else:
            token -= 1
    return path


def _posteriors(every: _Scores, words: int) -> Cells:
    """p(a_j = i | x, y), (concrete, abstract): what flows over each emission from the ends back to (0, 0)."""
    tokens = np.arange(every.nodes.shape[1])
    mass = np.zeros_like(every.nodes)
    mass[words + tokens, tokens] = softmax(every.ends)
    reached = np.where(every.nodes[1:] == -np.inf, 0.0, every.nodes[1:])
    emitted, shifted = np.exp(every.by_emission - reached), np.exp(every.by_shift - reached)
    for number in range(len(emitted) - 1, -1, -1):
        mass[number] += mass[number + 1] * emitted[number]
        mass[number, :-1] += mass[number + 1, 1:] * shifted[number, 1:]
    flow = mass[1:] * emitted
    shares: Cells = flow[np.arange(words)[:, None] + tokens, tokens]
    return shares
