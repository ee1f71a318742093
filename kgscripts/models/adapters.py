"""Low-rank adapters of an encoder (LoRA, Hu et al. 2022), as checkpoints store them, and weights with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from numpy.typing import NDArray

from kgscripts.models.quantised import as_floats
from kgscripts.models.runtime import Array

LINEAR_LAYERS = ("query", "key", "value", "dense")
"""The last parts of the names of layers that have adapters."""
SCALE = 2.0
"""W becomes W + SCALE B A."""

Names: TypeAlias = tuple[str, str]
"""The names of A and of B in the checkpoints of a kind, with {} for the name of the layer."""


def split_adapters(
    tensors: Mapping[str, NDArray[Any]], names: Names
) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """A and B of the adapters of a checkpoint, by the names of their layers, and the other tensors, in float32."""
    others = as_floats(tensors)
    parts: list[dict[str, Array]] = []
    for before, behind in (name.split("{}") for name in names):
        own = [name for name in others if name.startswith(before) and name.endswith(behind)]
        parts.append({name.removeprefix(before).removesuffix(behind): others.pop(name) for name in own})
    return parts[0], parts[1], others


def adapted(
    weights: Mapping[str, Array], down: Mapping[str, Array], up: Mapping[str, Array], rank: int
) -> dict[str, Array]:
    """The weights of an encoder with trained adapters: `down` is A and `up` is B, by the names of their layers.

    Raises ValueError if an adapter is missing, unknown or of another shape.
    """
    layers = {
        name.removesuffix(".weight")
        for name in weights
        if name.startswith("encoder.") and name.endswith(".weight") and name.split(".")[-2] in LINEAR_LAYERS
    }
    if strange := (layers ^ down.keys()) | (layers ^ up.keys()):
        raise ValueError(f"{len(strange)} adapters are missing or foreign, such as that of {min(strange)}")
    result = dict(weights)
    for layer in layers:
        outputs, inputs = weights[f"{layer}.weight"].shape
        if down[layer].shape != (rank, inputs) or up[layer].shape != (outputs, rank):
            raise ValueError(f"the adapter of {layer} is not one of rank {rank} for its layer")
        result[f"{layer}.weight"] = weights[f"{layer}.weight"] + SCALE * (up[layer] @ down[layer])
    return result
