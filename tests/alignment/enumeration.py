"""The oracle of the lattice, which enumerates every monotonic alignment of a pair, and small batches for it."""

from __future__ import annotations

import itertools
import math

import torch
from attrs import frozen
from hypothesis import strategies as st
from torch import Tensor


@frozen(eq=False)
class Batch:
    """A padded batch: `emission`, `shift`, `emit` (batch, concrete, abstract) float64 and the lengths."""

    emission: Tensor
    shift: Tensor
    emit: Tensor
    abstract_lengths: Tensor
    concrete_lengths: Tensor

    @property
    def arguments(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """In the order in which the lattice takes them."""
        return self.emission, self.shift, self.emit, self.abstract_lengths, self.concrete_lengths

    def __len__(self) -> int:
        return len(self.emission)


def alignments(
    batch: Batch, item: int, *, last_to_last: bool, words: int | None = None
) -> dict[tuple[int, ...], float]:
    """The log probability of each monotonic alignment of a pair, or of its first `words` words."""
    tokens = int(batch.abstract_lengths[item])
    length = int(batch.concrete_lengths[item]) if words is None else words
    emission, shift, emit = (cells[item].tolist() for cells in (batch.emission, batch.shift, batch.emit))
    found = {}
    for path in itertools.combinations_with_replacement(range(tokens), length):
        if last_to_last and path[-1] != tokens - 1:
            continue
        total = 0.0
        for word, (before, here) in enumerate(itertools.pairwise((0, *path))):
            total += sum(shift[word][token] for token in range(before, here)) + emit[word][here] + emission[word][here]
        found[path] = total
    return found


def log_sum(values: list[float]) -> float:
    """log of the sum of exponentials, exactly rounded."""
    greatest = max(values)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(math.fsum(math.exp(value - greatest) for value in values))


@st.composite
def batches(draw: st.DrawFn, impossible: float = 0.2) -> Batch:
    """Batches of at most three pairs of at most 4 x 5 tokens, a share of whose entries is -inf."""
    size, tokens, words = draw(st.integers(1, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    share = draw(st.sampled_from((0.0, impossible)))
    spread = draw(st.sampled_from((0.5, 3.0, 40.0)))

    def cells() -> Tensor:
        values = -spread * torch.rand(size, words, tokens, generator=generator, dtype=torch.float64)
        return values.masked_fill(torch.rand(values.shape, generator=generator) < share, -math.inf)

    def lengths(longest: int) -> Tensor:
        return torch.randint(1, longest + 1, (size,), generator=generator)

    return Batch(cells(), cells(), cells(), lengths(tokens), lengths(words))
