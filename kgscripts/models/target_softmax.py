"""Log softmax over a vocabulary, of which only the target word is wanted, for very many pairs of states.

The scores of all words for all pairs would not fit in memory (a batch of 32 at 50 x 50 and 2,005 words: 640 MB, several
times over with automatic differentiation). Here they pass through a chunk that stays in the cache. Probabilities are
kept for the backward pass as long as they fit into `STORED_BYTES`, and computed again where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from attrs import frozen
from torch import Tensor

STORED_BYTES = 768 * 2**20
CACHED_BYTES = 4 * 2**20
"""Size of a chunk on a processor, whose cache is to hold it."""
DEVICE_BYTES = 128 * 2**20
"""Size of a chunk on an accelerator, which wants large multiplications."""
FAINT = 1e-30
LEAST_ROWS = 64
"""Below this many rows a matrix multiplication is slow, whatever the vocabulary."""


def target_log_probabilities(
    first: Tensor,
    second: Tensor,
    first_index: Tensor,
    second_index: Tensor,
    targets: Tensor,
    weight: Tensor,
    bias: Tensor,
    *,
    dropout: float = 0.0,
) -> Tensor:
    """log softmax(weight relu(first[k] + second[l]) + bias)[target] for pairs (k, l), (pairs,); differentiable once.

    Parameters
    ----------
    first, second:
        (firsts, hidden) and (seconds, hidden), the two summands of each hidden layer.
    first_index, second_index, targets:
        (pairs,) int64, which summands belong to a pair, and its word.
    weight, bias:
        (words, hidden) and (words,).
    dropout:
        Share of the hidden layer that is dropped behind the relu, in [0, 1).
    """
    values: Tensor = _TargetLogProbabilities.apply(  # type: ignore[no-untyped-call]
        first.to(weight.dtype), second.to(weight.dtype), weight, bias, first_index, second_index, targets, dropout
    )
    return values


class _TargetLogProbabilities(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        first: Tensor,
        second: Tensor,
        weight: Tensor,
        bias: Tensor,
        first_index: Tensor,
        second_index: Tensor,
        targets: Tensor,
        dropout: float,
    ) -> Tensor:
        pairs, width = len(targets), weight.shape[1]
        projection = _with_bias(weight, bias)
        chunks = _Chunks.of(projection, pairs)
        noise = _Dropout.of(dropout)
        differentiable = any(ctx.needs_input_grad)
        hidden = projection.new_zeros(pairs if differentiable else chunks.rows, projection.shape[1])
        hidden[:, width] = 1.0
        stored = _fresh(min(pairs, chunks.stored) if differentiable else 0, projection)
        scores = projection.new_empty(chunks.rows, len(projection))
        values = projection.new_empty(pairs)
        for rows in chunks:
            size = rows.stop - rows.start
            layer = hidden[rows] if differentiable else hidden[:size]
            units = layer[:, :width]
            torch.add(first[first_index[rows]], second[second_index[rows]], out=units).clamp_(min=0.0)
            noise.apply(units)
            chunk = torch.mm(layer, projection.t(), out=scores[:size])
            at_target = targets[rows, None]
            if rows.stop > len(stored):
                log_softmax = torch.log_softmax(chunk, dim=1, out=chunk)
                values[rows] = log_softmax.gather(1, at_target)[:, 0]
            else:
                probabilities = torch.softmax(chunk, dim=1, out=stored[rows]).gather(1, at_target)[:, 0]
                values[rows] = probabilities.log()
                # Probabilities that are hardly floats any more have lost digits, or everything.
                faint = (probabilities < FAINT).nonzero()[:, 0]
                if len(faint):
                    values[rows.start + faint] = chunk[faint].log_softmax(dim=1).gather(1, at_target[faint])[:, 0]
        if differentiable:
            ctx.save_for_backward(projection, hidden, stored, first_index, second_index, targets)
            ctx.sizes = width, len(first), len(second), chunks, noise.scale
        return values

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        projection, hidden, stored, first_index, second_index, targets = ctx.saved_tensors
        width, firsts, seconds, chunks, scale = ctx.sizes
        by_first = projection.new_zeros(firsts, width)
        by_second = projection.new_zeros(seconds, width)
        by_projection = torch.zeros_like(projection)
        scores = projection.new_empty(chunks.rows, len(projection))
        for rows in chunks:
            size = rows.stop - rows.start
            layer = hidden[rows]
            if rows.stop > len(stored):
                chunk = torch.mm(layer, projection.t(), out=scores[:size])
                probabilities = torch.softmax(chunk, dim=1, out=chunk)
            else:
                probabilities = stored[rows]
            # The gradient of the scores is gradient * (1 at the target - probabilities): two products each.
            weighted = layer * gradient[rows, None]
            by_projection.addmm_(probabilities.t(), weighted, alpha=-1.0)
            by_projection.index_add_(0, targets[rows], weighted)
            by_layer = torch.mm(probabilities, projection).sub_(projection[targets[rows]])
            by_units = by_layer.mul_(gradient[rows, None] * -scale).masked_fill_(layer <= 0.0, 0.0)[:, :width]
            by_first.index_add_(0, first_index[rows], by_units)
            by_second.index_add_(0, second_index[rows], by_units)
        return by_first, by_second, by_projection[:, :width], by_projection[:, width], None, None, None, None


@frozen
class _Chunks:
    """Slices of `pairs` rows: `rows` at a time, the first `stored` of which (whole slices) may be kept."""

    pairs: int
    rows: int
    stored: int

    @classmethod
    def of(cls, projection: Tensor, pairs: int) -> _Chunks:
        row_bytes = len(projection) * projection.element_size()
        chunk_bytes = CACHED_BYTES if projection.device.type == "cpu" else DEVICE_BYTES
        rows = min(pairs, max(LEAST_ROWS, chunk_bytes // row_bytes))
        kept = STORED_BYTES // row_bytes
        return cls(pairs, rows, kept if kept >= pairs else kept // rows * rows)

    def __iter__(self) -> Iterator[slice]:
        for start in range(0, self.pairs, self.rows):
            yield slice(start, min(start + self.rows, self.pairs))


@frozen
class _Dropout:
    """Drops a share of all units, in steps of 1/65536, and scales the rest by `scale`.

    Four units share one random number of 64 bits: `torch.nn.functional.dropout` takes one each, and ten times as long.
    """

    threshold: int
    scale: float

    @classmethod
    def of(cls, share: float) -> _Dropout:
        steps = round(share * 2**16)
        return cls(steps, 2**16 / (2**16 - steps))

    def apply(self, units: Tensor) -> None:
        """Change `units` in place."""
        if self.threshold == 0:
            return
        count = units.numel()
        numbers = torch.empty(-(-count // 4), dtype=torch.int64, device=units.device).random_(-(2**63), None)
        dropped = numbers.view(torch.int16)[:count].view(units.shape) < self.threshold - 2**15
        units.masked_fill_(dropped, 0.0).mul_(self.scale)


def _with_bias(weight: Tensor, bias: Tensor) -> Tensor:
    """Weight and bias side by side, (words, hidden + 1), padded to a multiple of eight, as fast products like it."""
    words, width = weight.shape
    projection = weight.new_zeros(words, -(-(width + 1) // 8) * 8)
    projection[:, :width] = weight
    projection[:, width] = bias
    return projection


def _fresh(rows: int, projection: Tensor) -> Tensor:
    """Uninitialised memory for probabilities, (rows, words).

    numpy asks the system for huge pages, torch does not: the first touch of 100 MB takes 9 ms instead of 36.
    """
    if rows == 0 or projection.device.type != "cpu":
        return projection.new_empty(rows, len(projection))
    memory = np.empty(rows * len(projection) * projection.element_size(), np.uint8)
    return torch.from_numpy(memory).view(projection.dtype).view(rows, len(projection))
