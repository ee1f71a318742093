"""What arrives at the lattice, looked at before a recursion runs over it."""

from __future__ import annotations

import torch
from torch import Tensor


def full_shapes(
    emission: Tensor, shift: Tensor, emit: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor
) -> tuple[Tensor, Tensor]:
    """Emission plus emit, and shift in full shape, both (batch, concrete, abstract).

    Raises
    ------
    ValueError
        If a shape, a length or a type of length is not as `kgscripts.alignment.lattice` describes.
    """
    lengths_fit(emission.shape, abstract_lengths, concrete_lengths)
    for name, transition in (("shift", shift), ("emit", emit)):
        _check_broadcasts(name, transition, emission.shape)
    return emission + emit, shift.to(emission.device).expand(emission.shape)


def _check_broadcasts(name: str, transition: Tensor, shape: torch.Size) -> None:
    sizes = zip(reversed(transition.shape), reversed(shape), strict=False)
    if transition.dim() > len(shape) or any(size not in (1, full) for size, full in sizes):
        raise ValueError(
            f"{name} must broadcast to (batch, concrete, abstract) = {tuple(shape)}, got {tuple(transition.shape)}"
        )


def lengths_fit(shape: torch.Size, abstract_lengths: Tensor, concrete_lengths: Tensor) -> None:
    """Raise ValueError unless lengths (batch,) int64 lie within `shape` (batch, concrete, abstract)."""
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"emission must be (batch, concrete, abstract) and not empty, got {tuple(shape)}")
    for name, lengths, longest in (
        ("abstract_lengths", abstract_lengths, shape[2]),
        ("concrete_lengths", concrete_lengths, shape[1]),
    ):
        if lengths.shape != shape[:1] or lengths.dtype != torch.int64:
            raise ValueError(
                f"{name} must be int64 of shape ({shape[0]},), got {lengths.dtype} of shape {tuple(lengths.shape)}"
            )
        least, most = (int(value) for value in lengths.aminmax())
        if least < 1 or most > longest:
            raise ValueError(f"{name} must lie between 1 and {longest}, got {least} to {most}")
