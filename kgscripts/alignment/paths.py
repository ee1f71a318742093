"""Log probabilities of given alignments (KidsCook, appendix A), for hard EM. Arguments as in `lattice`."""

from __future__ import annotations

import torch
from torch import Tensor

from kgscripts.alignment import checks


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
    checks.path_fits(path, abstract_lengths, concrete_lengths)
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
