"""Batches of several tensors that move to a device together."""

from __future__ import annotations

from typing import Self

import attrs
import torch
from attrs import frozen
from torch import Tensor


@frozen(eq=False)
class TensorFields:
    """Base of attrs classes that hold tensors, also in fields that are `TensorFields` themselves."""

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Self:
        """The same on another device; fields without tensors stay as they are."""
        fields = {attribute.name: getattr(self, attribute.name) for attribute in attrs.fields(type(self))}
        moved = {
            name: value.to(device, non_blocking=non_blocking)
            for name, value in fields.items()
            if isinstance(value, (Tensor, TensorFields))
        }
        return attrs.evolve(self, **moved)
