"""Recursions over the alignment lattice, one diagonal at a time.

Node (j, i) is the state in which j words have been written and the position is abstract token i. An *emission* writes
word j and leads to (j + 1, i); a *shift* leads to (j, i + 1). Every monotonic alignment is one path from (0, 0); adding
the cost of each shift separately is equation (4) of KidsCook (appendix A) without its sum over earlier states.

All nodes with the same d = j + i depend only on diagonal d - 1, so a batch takes abstract + concrete steps of vector
operations. Tensors are therefore *skewed*: (diagonals, batch, abstract), where [d, b, i] belongs to (b, j = d - i, i).
The forward pass subtracts nothing, so -inf is safe everywhere and there is no cancellation.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from attrs import frozen
from torch import Tensor

NEVER = float("-inf")


@frozen
class Edges:
    """Log weights of all edges by the node they leave, each (diagonals - 1, batch, abstract) and float64."""

    emission: Tensor
    shift: Tensor


@frozen
class Scores:
    """The result of the forward pass; -inf where there is no path.

    `nodes` (diagonals, batch, abstract): log weight of all paths (or of the best path) to each node. `by_emission` and
    `by_shift` (diagonals - 1, batch, abstract): the same for paths that arrive by that edge, by the node reached.
    """

    nodes: Tensor
    by_emission: Tensor
    by_shift: Tensor


def skew(cells: Tensor) -> Tensor:
    """Cells (batch, concrete, abstract) by diagonal: (concrete + abstract - 1, batch, abstract), -inf outside."""
    batch, concrete, abstract = cells.shape
    rows = torch.nn.functional.pad(cells.transpose(1, 2), (0, abstract), value=NEVER)
    # Reading rows that are one shorter than written shifts each row by one more position.
    width = concrete + abstract - 1
    return rows.flatten(1)[:, : abstract * width].view(batch, abstract, width).permute(2, 0, 1).contiguous()


def unskew(diagonals: Tensor, concrete: int) -> Tensor:
    """The inverse of `skew`: (batch, concrete, abstract)."""
    width, batch, abstract = diagonals.shape
    rows = torch.nn.functional.pad(diagonals.permute(1, 2, 0).flatten(1), (0, abstract))
    return rows.view(batch, abstract, width + 1)[:, :, :concrete].transpose(1, 2)


def edges(words: Tensor, shift: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor) -> Edges:
    """The edges of a padded batch; those that leave a pair's lattice weigh -inf.

    `words` (batch, concrete, abstract) is emission plus emit; `shift` has the same shape.
    """
    _, concrete, abstract = words.shape
    token = torch.arange(abstract, device=words.device)
    unwritten = (torch.arange(concrete, device=words.device) < concrete_lengths[:, None])[:, :, None]
    own = unwritten & (token < abstract_lengths[:, None])[:, None, :]
    not_last = unwritten & (token < abstract_lengths[:, None] - 1)[:, None, :]
    return Edges(
        emission=skew(words.double().masked_fill(~own, NEVER)),
        shift=skew(shift.double().masked_fill(~not_last, NEVER)),
    )


def forward(weights: Edges, combine: Callable[..., Tensor]) -> Scores:
    """Scores of all nodes from (0, 0); `combine` is `torch.logaddexp` (all paths) or `torch.maximum` (best path)."""
    steps, batch, abstract = weights.emission.shape
    nodes = weights.emission.new_empty(steps + 1, batch, abstract)
    nodes[0] = NEVER
    nodes[0, :, 0] = 0.0
    by_emission = torch.empty_like(weights.emission)
    by_shift = torch.full_like(weights.shift, NEVER)
    node_rows = nodes.unbind()
    from_left = nodes[:, :, :-1].unbind()
    for here, left, emission, shift, emitted, shifted, arrived, there in zip(
        node_rows[:-1],
        from_left[:-1],
        weights.emission.unbind(),
        weights.shift[:, :, :-1].unbind(),
        by_emission.unbind(),
        by_shift[:, :, 1:].unbind(),
        by_shift.unbind(),
        node_rows[1:],
        strict=True,
    ):
        torch.add(here, emission, out=emitted)
        torch.add(left, shift, out=shifted)
        combine(emitted, arrived, out=there)
    return Scores(nodes, by_emission, by_shift)


def occupancy(mass: Tensor, emission_share: Tensor, shift_share: Tensor) -> Edges:
    """The part of `mass` that flows over each edge on its way back to (0, 0).

    `mass` (diagonals, batch, abstract) is changed in place; the shares (diagonals - 1, batch, abstract) give for each
    node the part of its mass that arrived by emission and by shift. The result is indexed by the node that an edge
    leaves and is linear in `mass`: shares of all paths give posteriors, shares of 0 and 1 along back-pointers give the
    best path.
    """
    for there, here, left, emission, shift in zip(
        reversed(mass[1:].unbind()),
        reversed(mass[:-1].unbind()),
        reversed(mass[:-1, :, :-1].unbind()),
        reversed(emission_share.unbind()),
        reversed(shift_share[:, :, 1:].unbind()),
        strict=True,
    ):
        here.addcmul_(there, emission)
        left.addcmul_(there[:, 1:], shift)
    shifted = torch.zeros_like(shift_share)
    torch.mul(mass[1:, :, 1:], shift_share[:, :, 1:], out=shifted[:, :, :-1])
    return Edges(emission=mass[1:] * emission_share, shift=shifted)


def end_nodes(nodes: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor, *, last_to_last: bool) -> Tensor:
    """Scores of the nodes where all words of a pair are written, (batch, abstract); -inf where no path may end."""
    abstract = nodes.shape[2]
    token = torch.arange(abstract, device=nodes.device)
    scores = nodes.permute(1, 0, 2).gather(1, (concrete_lengths[:, None] + token)[:, None, :])[:, 0, :]
    last = abstract_lengths[:, None] - 1
    allowed = token == last if last_to_last else token <= last
    return scores.masked_fill(~allowed, NEVER)


def on_end_nodes(mass: Tensor, steps: int, concrete_lengths: Tensor) -> Tensor:
    """`mass` (batch, abstract) placed on the end nodes of an empty lattice, (steps + 1, batch, abstract)."""
    batch, abstract = mass.shape
    token = torch.arange(abstract, device=mass.device)
    empty = mass.new_zeros(batch, steps + 1, abstract)
    placed = empty.scatter_(1, (concrete_lengths[:, None] + token)[:, None, :], mass[:, None, :])
    return placed.permute(1, 0, 2).contiguous()
