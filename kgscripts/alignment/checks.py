"""Input validation for the lattice."""

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
    shape = emission.shape
    if len(shape) != 3 or 0 in shape:
        raise ValueError(f"emission must be (batch, concrete, abstract) and not empty, got {tuple(shape)}")
    _check_lengths("abstract_lengths", abstract_lengths, shape[0], 1, shape[2])
    _check_lengths("concrete_lengths", concrete_lengths, shape[0], 0, shape[1])
    for name, transition in (("shift", shift), ("emit", emit)):
        _check_broadcasts(name, transition, shape)
    return emission + emit, shift.to(emission.device).expand(shape)


def path_fits(path: Tensor, abstract_lengths: Tensor, concrete_lengths: Tensor) -> None:
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
