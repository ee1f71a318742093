"""Matrices as small integers (int8, symmetric), with a scale for every `GROUP` numbers of a row: a quarter of their
size in files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALE = ".scale"
"""Behind the name of a matrix, that of its scales."""
GROUP = 64
_LARGEST = 127
_SMALLEST = 10_000
"""Smaller matrices are not worth it."""


def quantised(matrix: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """A matrix (rows, columns) as integers, and the scales of its groups, (rows, groups)."""
    rows, columns = matrix.shape
    groups = matrix.astype(np.float32).reshape(rows, -1, GROUP if columns % GROUP == 0 else columns)
    scales = (np.maximum(np.abs(groups).max(axis=2), 1e-6) / _LARGEST).astype(np.float16)
    integers = np.rint(groups / scales[..., None]).clip(-_LARGEST, _LARGEST).astype(np.int8)
    return integers.reshape(rows, columns), scales


def dequantised(integers: NDArray[np.int8], scales: NDArray[Any]) -> NDArray[np.float32]:
    """The matrix of these integers, (rows, columns), and scales, (rows, groups)."""
    groups: NDArray[Any] = integers.reshape(*scales.shape, integers.shape[1] // scales.shape[1])
    floats: NDArray[np.float32] = (groups * scales[..., None].astype(np.float32)).reshape(integers.shape)
    return floats


def with_scales(tensors: Mapping[str, NDArray[Any]], prefix: str = "") -> dict[str, NDArray[Any]]:
    """Tensors in half precision, of which the larger matrices whose names begin so are quantised, with their scales
    beside them. Integers stay."""
    result: dict[str, NDArray[Any]] = {}
    for name, value in tensors.items():
        if value.dtype.kind != "f":
            result[name] = value
        elif value.ndim == 2 and value.size >= _SMALLEST and name.startswith(prefix):
            result[name], result[name + SCALE] = quantised(value)
        else:
            result[name] = value.astype(np.float16)
    return result


def as_floats(tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """The tensors that `with_scales` gave, as float32."""
    floats = {}
    for name, value in tensors.items():
        if not name.endswith(SCALE):
            scales = tensors.get(name + SCALE)
            floats[name] = value.astype(np.float32) if scales is None else dequantised(value, scales)
    return floats
