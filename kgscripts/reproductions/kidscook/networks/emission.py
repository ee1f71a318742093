"""Word emission of the segment transducer: softmax(W relu(A e_i + B d_j + c) + b) (KidsCook, equation 3).

The scores of all words for all pairs would not fit in memory (a batch of 32 at 50 x 50 and 2,005 words: 640 MB, several
times over with automatic differentiation). Here they pass through a chunk that stays in the cache. Probabilities are
kept for the backward pass as long as they fit into `STORED_BYTES`; the others are computed again.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from attrs import frozen
from torch import Tensor, nn

STORED_BYTES = 768 * 2**20
CACHED_BYTES = 2**20
"""Size of a chunk for each core of a processor, so that it fits into the cache."""
DEVICE_BYTES = 128 * 2**20
"""Size of a chunk on an accelerator, which is fast for large multiplications."""
LEAST_ROWS = 64
"""Fewer rows make a matrix multiplication slow, whatever the vocabulary."""
FAINT = 1e-30
NO_WORD = -1e30
"""Score of padding words: finite, as it is multiplied by zeros."""


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
    differentiated = (first.to(weight.dtype), second.to(weight.dtype), weight, bias)
    # Inside the function `requires_grad` does not show whether gradients are recorded.
    keep = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in differentiated)
    values: Tensor = _TargetLogProbabilities.apply(  # type: ignore[no-untyped-call]
        *differentiated, first_index, second_index, targets, dropout, keep
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
        keep: bool,
    ) -> Tensor:
        pairs, width = len(targets), weight.shape[1]
        projection = _padded(weight, bias)
        noise = _Dropout.of(dropout)
        hidden = projection.new_zeros(pairs, projection.shape[1])
        hidden[:, width] = 1.0
        units = hidden[:, :width]
        torch.add(first.index_select(0, first_index), second.index_select(0, second_index), out=units)
        noise.apply(units.clamp_(min=0.0))
        chunks = _Chunks.of(projection, pairs)
        stored = _kept(chunks.stored if keep else 0, projection)
        scores = projection.new_empty(chunks.rows, len(projection))
        values = projection.new_empty(pairs)
        for rows in chunks:
            at_target = targets[rows, None]
            chunk = chunks.scores(hidden[rows], projection, out=scores)
            if rows.stop > len(stored):
                values[rows] = torch.log_softmax(chunk, dim=1, out=chunk).gather(1, at_target)[:, 0]
            else:
                probabilities = torch.softmax(chunk, dim=1, out=stored[rows]).gather(1, at_target)[:, 0]
                values[rows] = probabilities.log()
                # Subnormal probabilities have lost digits, or are zero.
                faint = (probabilities < FAINT).nonzero()[:, 0]
                if len(faint):
                    values[rows.start + faint] = chunk[faint].log_softmax(dim=1).gather(1, at_target[faint])[:, 0]
        if keep:
            ctx.save_for_backward(projection, hidden, stored, first_index, second_index, targets)
            ctx.sizes = width, len(weight), len(first), len(second), chunks, noise.scale
        return values

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        projection, hidden, stored, first_index, second_index, targets = ctx.saved_tensors
        width, words, firsts, seconds, chunks, scale = ctx.sizes
        # The gradient of the scores is gradient * (1 at the target - probabilities): two products each.
        weighted = hidden * gradient[:, None]
        by_projection = torch.zeros_like(projection).index_add_(0, targets, weighted)
        by_layer = torch.empty_like(hidden)
        scores = projection.new_empty(chunks.rows, len(projection))
        for rows in chunks:
            if rows.stop > len(stored):
                probabilities = chunks.scores(hidden[rows], projection, out=scores)
                torch.softmax(probabilities, dim=1, out=probabilities)
            else:
                probabilities = stored[rows]
            by_projection.addmm_(probabilities.t(), weighted[rows], alpha=-1.0)
            torch.mm(probabilities, projection, out=by_layer[rows])
        by_layer.sub_(projection.index_select(0, targets)).mul_(gradient[:, None] * -scale)
        by_units = by_layer.mul_(hidden > 0.0)[:, :width]
        by_first = projection.new_zeros(firsts, width).index_add_(0, first_index, by_units)
        by_second = projection.new_zeros(seconds, width).index_add_(0, second_index, by_units)
        by_weight, by_bias = by_projection[:words, :width], by_projection[:words, width]
        return by_first, by_second, by_weight, by_bias, None, None, None, None, None


@frozen
class _Chunks:
    """Slices of `pairs` rows: `rows` at a time, the first `stored` of which (whole slices) may be kept.

    A slice is computed in `parts`, one a core. Each core then has the scores for its softmax in its own cache: a single
    product would be divided among the cores in another way and take half as long again.
    """

    pairs: int
    rows: int
    parts: int
    stored: int

    @classmethod
    def of(cls, projection: Tensor, pairs: int) -> _Chunks:
        row_bytes = len(projection) * projection.element_size()
        on_processor = projection.device.type == "cpu"
        parts = torch.get_num_threads() if on_processor else 1
        part_rows = (CACHED_BYTES if on_processor else DEVICE_BYTES) // row_bytes // LEAST_ROWS * LEAST_ROWS
        rows = max(LEAST_ROWS, part_rows) * parts
        kept = STORED_BYTES // row_bytes
        return cls(pairs, rows, parts, pairs if kept >= pairs else kept // rows * rows)

    def __iter__(self) -> Iterator[slice]:
        for start in range(0, self.pairs, self.rows):
            yield slice(start, min(start + self.rows, self.pairs))

    def scores(self, layer: Tensor, projection: Tensor, *, out: Tensor) -> Tensor:
        """Scores of all words, (rows of the slice, words), in the first rows of `out`."""
        scores = out[: len(layer)]
        parts = self.parts if len(layer) % self.parts == 0 else 1
        words = projection.t().expand(parts, -1, -1)
        by_part = (parts, len(layer) // parts, -1)
        torch.bmm(layer.view(by_part), words, out=scores.view(by_part))
        return scores


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
        # A product with truth values takes a quarter of the time of masked_fill_.
        units *= numbers.view(torch.int16)[:count].view(units.shape) >= self.threshold - 2**15
        units *= self.scale


def _padded(weight: Tensor, bias: Tensor) -> Tensor:
    """Weight and bias side by side, both sides padded to a multiple of eight, which makes products fast."""
    words, width = weight.shape
    projection = weight.new_zeros(-(-words // 8) * 8, -(-(width + 1) // 8) * 8)
    projection[:words, :width] = weight
    projection[:, width] = NO_WORD
    projection[:words, width] = bias
    return projection


_spare: deque[np.ndarray[tuple[int], np.dtype[np.uint8]]] = deque(maxlen=1)
"""A block of memory that is not in use, for the next probabilities."""


def _kept(rows: int, projection: Tensor) -> Tensor:
    """Uninitialised memory for probabilities, (rows, words).

    On a processor it is that of the step before, once nothing refers to it any more: the system hands new memory out
    page by page and clears it, which takes longer than the multiplication that fills it. What is never written takes
    no memory, so that one block serves batches of all sizes.
    """
    count = rows * len(projection) * projection.element_size()
    if count == 0 or projection.device.type != "cpu":
        return projection.new_empty(rows, len(projection))
    try:
        block = _spare.pop()
    except IndexError:
        block = np.empty(0, np.uint8)
    if len(block) < count:
        block = np.empty(STORED_BYTES, np.uint8)
    memory = block[:count]
    weakref.finalize(memory, _spare.append, block).atexit = False
    return torch.from_numpy(memory).view(projection.dtype).view(rows, len(projection))


class WordEmission(nn.Module):
    """p(y_j | a_j = i, ...) from the states of an abstract and of a concrete token (appendix A.1).

    `hidden` reads both states side by side, linear([e; d]); as it is linear, its two halves are computed once a token
    and added for each pair of tokens. Dropout sits behind the relu, as in the released code.
    """

    def __init__(
        self,
        hidden_size_encoder: int,
        hidden_size_decoder: int,
        emission_hidden: int,
        vocabulary: int,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        if not 0.0 <= dropout < 1.0:
            raise ValueError(f"dropout lies in [0, 1), got {dropout}")
        self.hidden_size_encoder = hidden_size_encoder
        self.dropout = dropout
        self.hidden = nn.Linear(hidden_size_encoder + hidden_size_decoder, emission_hidden)
        self.vocabulary = nn.Linear(emission_hidden, vocabulary)

    def forward(
        self, encoded: Tensor, decoded: Tensor, targets: Tensor, abstract_mask: Tensor, concrete_mask: Tensor
    ) -> Tensor:
        """Log probabilities of the target words at every pair of tokens, (batch, concrete, abstract); 0 in padding.

        Parameters
        ----------
        encoded:
            (batch, abstract, hidden_size_encoder), states of the abstract tokens.
        decoded:
            (batch, concrete, hidden_size_decoder), states from which each word is predicted.
        targets:
            (batch, concrete) int64, the words. Padding is not read.
        abstract_mask, concrete_mask:
            (batch, abstract) and (batch, concrete) bool, True for tokens and False for padding.

        Raises
        ------
        ValueError
            If the shapes do not belong to one batch.
        """
        batch, abstract, _ = encoded.shape
        concrete = decoded.shape[1]
        for name, tensor, shape in (
            ("decoded", decoded[:, :, 0], (batch, concrete)),
            ("targets", targets, (batch, concrete)),
            ("abstract_mask", abstract_mask, (batch, abstract)),
            ("concrete_mask", concrete_mask, (batch, concrete)),
        ):
            if tensor.shape != shape:
                raise ValueError(
                    f"{name} begins with shape {tuple(tensor.shape)}, where encoded and decoded need {shape}"
                )
        cells = (concrete_mask[:, :, None] & abstract_mask[:, None, :]).nonzero(as_tuple=True)
        log_probabilities = self.at(encoded, decoded, targets, cells)
        return log_probabilities.new_zeros(batch, concrete, abstract).index_put(cells, log_probabilities)

    def at(self, encoded: Tensor, decoded: Tensor, targets: Tensor, cells: tuple[Tensor, ...]) -> Tensor:
        """Log probabilities of the target words at single `cells`: indices of item, word and abstract token each.

        The other arguments as `forward`; the result is (cells,).
        """
        item, word, token = cells
        from_encoder, from_decoder = self._halves(encoded, decoded)
        return target_log_probabilities(
            from_encoder.flatten(0, 1),
            from_decoder.flatten(0, 1),
            item * encoded.shape[1] + token,
            item * decoded.shape[1] + word,
            targets[item, word],
            self.vocabulary.weight,
            self.vocabulary.bias,
            dropout=self.dropout if self.training else 0.0,
        )

    def logits(self, encoded: Tensor, decoded: Tensor) -> Tensor:
        """Scores of all words, (cells, vocabulary), at single pairs of states (cells, ...) of an alignment."""
        from_encoder, from_decoder = self._halves(encoded, decoded)
        hidden = nn.functional.dropout((from_encoder + from_decoder).relu(), self.dropout, self.training)
        scores: Tensor = self.vocabulary(hidden)
        return scores

    def _halves(self, encoded: Tensor, decoded: Tensor) -> tuple[Tensor, Tensor]:
        by_encoder, by_decoder = self.hidden.weight.tensor_split([self.hidden_size_encoder], dim=1)
        return nn.functional.linear(encoded, by_encoder), nn.functional.linear(decoded, by_decoder, self.hidden.bias)
