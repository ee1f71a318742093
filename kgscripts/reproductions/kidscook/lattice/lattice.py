"""Latent monotonic alignments of KidsCook (appendix A): marginal, posteriors, Viterbi, as pure functions.

Throughout: `emission` (batch, concrete, abstract) is log p(y_j | a_j = i, ...); `shift` and `emit`, broadcastable to
the same shape, are log p(shift | i, y_<j) and log p(emit | i, y_<j) (equations 4 to 6); `abstract_lengths` and
`concrete_lengths` (batch,) int64 are the lengths without padding; values in the padding are never read. Before the
first word the position is the first abstract token, and shifts from there have their cost. A pair may have no words (a
prefix before the first word): its only alignment is the empty one, which ends at the first abstract token.

The recursions run in float64 whatever the input: they are a small part of the work, and their sums have many terms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from attrs import frozen
from torch import Tensor

from kgscripts.reproductions.kidscook.lattice import diagonals


def transition_log_probability(
    shift: Tensor, emit: Tensor, path: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor
) -> Tensor:
    """log p(a | x, y) of given alignments without the words: the product of equation (4), (batch,).

    `path` (batch, concrete) int64 is monotonic; its padding is not read. Hard EM (appendix A.3) adds the emissions,
    which it computes at the cells of the path alone.

    Raises
    ------
    ValueError
        If `path` or the lengths are not as described.
    """
    _check_path(path, abstract_lengths, concrete_lengths)
    longest = int(abstract_lengths.max())
    written = _written(path, concrete_lengths)
    # Padding repeats the last abstract token that a word was aligned to: no shift is passed there.
    ends = path.masked_fill(~written, 0).cummax(dim=1).values
    starts = torch.nn.functional.pad(ends[:, :-1], (1, 0))
    token = torch.arange(longest, device=path.device)
    passed = (token >= starts[:, :, None]) & (token < ends[:, :, None])
    emitted = written[:, :, None] & (token == ends[:, :, None])
    shift, emit = (transition[..., :longest] if transition.dim() else transition for transition in (shift, emit))
    return torch.where(passed, shift, 0.0).sum(dim=(1, 2)) + torch.where(emitted, emit, 0.0).sum(dim=(1, 2))


def _written(path: Tensor, concrete_lengths: Tensor) -> Tensor:
    """True where a pair has a word, (batch, concrete)."""
    return torch.arange(path.shape[1], device=path.device) < concrete_lengths[:, None]


@frozen
class Transitions:
    """Log probabilities of `shift` and of `emit`, broadcastable to (batch, concrete, abstract)."""

    shift: Tensor
    emit: Tensor


@frozen
class ViterbiPath:
    """Best alignments: `path` (batch, concrete) int64, 0 in padding; `log_probability` (batch,) of path and words.

    A pair without any possible alignment has log probability -inf and a path of zeros.
    """

    path: Tensor
    log_probability: Tensor


def fixed_transitions(shift_probability: float) -> Transitions:
    """Transitions that depend on neither side, as scalars (appendix A.1; 0.5 in the released code).

    Raises
    ------
    ValueError
        If `shift_probability` is not a probability.
    """
    if not 0.0 <= shift_probability <= 1.0:
        raise ValueError(f"a shift probability must lie in [0, 1], got {shift_probability}")
    probability = torch.tensor(shift_probability, dtype=torch.float64)
    return Transitions(shift=probability.log(), emit=torch.log1p(-probability))


def parameterised_transitions(shift_logits: Tensor) -> Transitions:
    """Transitions from the output of a network, (batch, concrete, abstract) or broadcastable (equations 5 and 6)."""
    log_sigmoid = torch.nn.functional.logsigmoid
    return Transitions(shift=log_sigmoid(shift_logits), emit=log_sigmoid(-shift_logits))


def log_marginal(
    emission: Tensor,
    shift: Tensor,
    emit: Tensor,
    abstract_lengths: Tensor,
    concrete_lengths: Tensor,
    *,
    last_to_last: bool = True,
) -> Tensor:
    """log p(y | x), summed over all monotonic alignments (equation 7), (batch,); differentiable once.

    With `last_to_last` the last word is aligned to the last abstract token (appendix A.1), else to any. The gradients
    are posteriors, and zero for a pair without any possible alignment, whose marginal is -inf.

    Raises
    ------
    ValueError
        If a shape or a length is not as described above.
    """
    words, shift = _full_shapes(emission, shift, emit, abstract_lengths, concrete_lengths)
    marginal: Tensor = _LogMarginal.apply(  # type: ignore[no-untyped-call]
        words, shift, abstract_lengths, concrete_lengths, last_to_last
    )
    return marginal


def posteriors(
    emission: Tensor,
    shift: Tensor,
    emit: Tensor,
    abstract_lengths: Tensor,
    concrete_lengths: Tensor,
    *,
    last_to_last: bool = True,
) -> Tensor:
    """p(a_j = i | x, y), (batch, concrete, abstract); zero in padding and for pairs without a possible alignment.

    Raises
    ------
    ValueError
        As `log_marginal`.
    """
    with torch.no_grad():
        scores = _scores(emission, shift, emit, abstract_lengths, concrete_lengths, torch.logaddexp)
        ends = diagonals.end_nodes(scores.nodes, abstract_lengths, concrete_lengths, last_to_last=last_to_last)
        flow = _flow(scores, _end_shares(ends), concrete_lengths)
        return diagonals.unskew(flow.emission, emission.shape[1]).to(emission.dtype)


def viterbi(
    emission: Tensor,
    shift: Tensor,
    emit: Tensor,
    abstract_lengths: Tensor,
    concrete_lengths: Tensor,
    *,
    last_to_last: bool = True,
) -> ViterbiPath:
    """The most probable alignment of each pair (appendix A.4); ties are broken deterministically.

    Raises
    ------
    ValueError
        As `log_marginal`.
    """
    with torch.no_grad():
        scores = _scores(emission, shift, emit, abstract_lengths, concrete_lengths, torch.maximum)
        ends = diagonals.end_nodes(scores.nodes, abstract_lengths, concrete_lengths, last_to_last=last_to_last)
        best, end = ends.max(dim=1)
        mass = torch.zeros_like(ends).scatter_(1, end[:, None], (best > diagonals.NEVER).double()[:, None])
        # Back-pointers: each node is reached by the better of its two edges.
        emitted = scores.by_emission >= scores.by_shift
        mass = diagonals.on_end_nodes(mass, len(emitted), concrete_lengths)
        followed = diagonals.occupancy(mass, emitted.double(), (~emitted).double())
        path = diagonals.unskew(followed.emission, emission.shape[1]).argmax(dim=2)
        return ViterbiPath(path=path, log_probability=best.to(emission.dtype))


def next_alignments(
    emission: Tensor, shift: Tensor, emit: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor
) -> Tensor:
    """log p(a_j = i | x, y_<j): the alignment of the next word before it is known, (batch, concrete + 1, abstract).

    [b, j] sums over all alignments of the words before j, which may end at any abstract token, and over the shifts
    after them; it is normalised over the tokens of the pair, since no shift passes the last one. `shift` and `emit`
    have one row more than `emission`, for the word after the last. -inf in padding, and after words that no alignment
    can have written.

    Raises
    ------
    ValueError
        As `log_marginal`, for `emission` with one row more.
    """
    with torch.no_grad():
        # The emission of the added row leaves the lattice's last row, so that its value is not used.
        rows = torch.nn.functional.pad(emission, (0, 0, 0, 1))
        scores = _scores(rows, shift, emit, abstract_lengths, concrete_lengths + 1, torch.logaddexp)
        arrived = diagonals.unskew(scores.nodes[:-1], rows.shape[1]) + emit
        token, word = (torch.arange(size, device=emission.device) for size in (rows.shape[2], rows.shape[1]))
        own = token < abstract_lengths[:, None, None]
        reached = (word <= concrete_lengths[:, None])[:, :, None]
        arrived = arrived.masked_fill(~(own & reached), diagonals.NEVER)
        impossible = (arrived == diagonals.NEVER).all(dim=2, keepdim=True)
        normalised = arrived.masked_fill(impossible, 0.0).log_softmax(dim=2)
        return normalised.masked_fill(impossible, diagonals.NEVER).to(emission.dtype)


class _LogMarginal(torch.autograd.Function):
    """Forward: sum over all paths. Backward: posteriors, by propagating the gradient back over the same lattice."""

    @staticmethod
    def forward(
        ctx: Any, words: Tensor, shift: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor, last_to_last: bool
    ) -> Tensor:
        edges = diagonals.edges(words, shift, abstract_lengths, concrete_lengths)
        scores = diagonals.forward(edges, torch.logaddexp)
        ends = diagonals.end_nodes(scores.nodes, abstract_lengths, concrete_lengths, last_to_last=last_to_last)
        ctx.save_for_backward(scores.nodes, scores.by_emission, scores.by_shift, ends, concrete_lengths)
        ctx.concrete = words.shape[1]
        ctx.dtypes = words.dtype, shift.dtype
        return ends.logsumexp(dim=1).to(words.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        nodes, by_emission, by_shift, ends, concrete_lengths = ctx.saved_tensors
        mass = gradient.double()[:, None] * _end_shares(ends)
        flow = _flow(diagonals.Scores(nodes, by_emission, by_shift), mass, concrete_lengths)
        words = diagonals.unskew(flow.emission, ctx.concrete).to(ctx.dtypes[0])
        shift = diagonals.unskew(flow.shift, ctx.concrete).to(ctx.dtypes[1]) if ctx.needs_input_grad[1] else None
        return words, shift, None, None, None


def _scores(
    emission: Tensor,
    shift: Tensor,
    emit: Tensor,
    abstract_lengths: Tensor,
    concrete_lengths: Tensor,
    combine: Callable[..., Tensor],
) -> diagonals.Scores:
    words, shift = _full_shapes(emission, shift, emit, abstract_lengths, concrete_lengths)
    return diagonals.forward(diagonals.edges(words, shift, abstract_lengths, concrete_lengths), combine)


def _end_shares(ends: Tensor) -> Tensor:
    """The probability that a pair ends at each node, (batch, abstract); zeros where it cannot end at all."""
    impossible = (ends == diagonals.NEVER).all(dim=1, keepdim=True)
    return ends.masked_fill(impossible, 0.0).softmax(dim=1).masked_fill(impossible, 0.0)


def _flow(scores: diagonals.Scores, end_mass: Tensor, concrete_lengths: Tensor) -> diagonals.Edges:
    """The flow over each edge when `end_mass` (batch, abstract) is propagated back over all paths."""
    reached = scores.nodes[1:]
    unreachable = reached == diagonals.NEVER
    emission_share = (scores.by_emission - reached).exp_().masked_fill_(unreachable, 0.0)
    shift_share = (scores.by_shift - reached).exp_().masked_fill_(unreachable, 0.0)
    mass = diagonals.on_end_nodes(end_mass, len(emission_share), concrete_lengths)
    return diagonals.occupancy(mass, emission_share, shift_share)


def _full_shapes(
    emission: Tensor, shift: Tensor, emit: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Emission plus emit, and shift in full shape, both (batch, concrete, abstract).

    Raises
    ------
    ValueError
        If a shape, a length or a type of length is not as described above.
    """
    shape = emission.shape
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"emission must be (batch, concrete, abstract) and not empty, got {tuple(shape)}")
    _check_lengths("abstract_lengths", abstract_lengths, shape[0], 1, shape[2])
    _check_lengths("concrete_lengths", concrete_lengths, shape[0], 0, shape[1])
    for name, transition in (("shift", shift), ("emit", emit)):
        _check_broadcasts(name, transition, shape)
    return emission + emit, shift.to(emission.device).expand(shape)


def _check_path(path: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor) -> None:
    """Raise ValueError unless `path` (batch, concrete) int64 is monotonic and within the lengths."""
    if path.dtype != torch.int64 or path.dim() != 2:
        raise ValueError(f"path must be int64 (batch, concrete), got {path.dtype} of shape {tuple(path.shape)}")
    batch, concrete = path.shape
    _check_lengths("abstract_lengths", abstract_lengths, batch, 1, None)
    _check_lengths("concrete_lengths", concrete_lengths, batch, 0, concrete)
    written = torch.arange(concrete, device=path.device) < concrete_lengths[:, None]
    before = torch.nn.functional.pad(path[:, :-1], (1, 0))
    if bool((written & ((path < before) | (path >= abstract_lengths[:, None]))).any()):
        raise ValueError("path must be monotonic, from 0 on, and stay below abstract_lengths")


def _check_lengths(name: str, lengths: Tensor, batch: int, shortest: int, longest: int | None) -> None:
    if lengths.shape != (batch,) or lengths.dtype != torch.int64:
        raise ValueError(
            f"{name} must be int64 of shape ({batch},), got {lengths.dtype} of shape {tuple(lengths.shape)}"
        )
    least, most = (int(value) for value in lengths.aminmax())
    if least < shortest or (longest is not None and most > longest):
        raise ValueError(f"{name} must lie between {shortest} and {longest}, got {least} to {most}")


def _check_broadcasts(name: str, transition: Tensor, shape: torch.Size) -> None:
    sizes = zip(reversed(transition.shape), reversed(shape), strict=False)
    if transition.dim() > len(shape) or any(size not in (1, full) for size, full in sizes):
        raise ValueError(
            f"{name} must broadcast to (batch, concrete, abstract) = {tuple(shape)}, got {tuple(transition.shape)}"
        )
