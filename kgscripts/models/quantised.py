"""Matrices as small integers with a scale for each row (int8, symmetric): a quarter of their size in files."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALE = ".scale"
"""Behind the name of a matrix, that of its scales."""
_LARGEST = 127


def quantised(matrix: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix (rows, columns) as integers, and the scales of its rows, (rows,)."""
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12).astype(np.float32) / _LARGEST
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales


def with_scales(tensors: Mapping[str, NDArray[Any]], names: AbstractSet[str]) -> dict[str, NDArray[Any]]:
    """Tensors, of which those of these `names` are quantised and have their scales beside them."""
    result = dict(tensors)
    for name in names:
        result[name], result[name + SCALE] = quantised(tensors[name].astype(np.float32))
    return result


def as_floats(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """The tensors that `with_scales` gave, as float32."""
    floats = {}
    for name, value in tensors.items():
        if not name.endswith(SCALE):
            floats[name] = value.astype(np.float32)
            if (scales := tensors.get(name + SCALE)) is not None:
                floats[name] *= scales.astype(np.float32)[:, None]
    return floats
