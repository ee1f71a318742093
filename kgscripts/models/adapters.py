"""Low-rank adapters of a BERT encoder (LoRA, Hu et al. 2022): trained by peft or cut from trained weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from schemas.errors import ModelError

if TYPE_CHECKING:
    from peft import PeftModel
    from torch import Tensor

    from kgscripts.models.encoder import Bert

_LINEAR_LAYERS = ["query", "key", "value", "dense"]
SCALE = 2.0
"""W becomes W + SCALE B A."""


def with_adapters(network: Bert, rank: int) -> PeftModel:
    """The encoder with an adapter at each linear layer of its blocks: W becomes W + 2 B A, which is W before training.

    Only the adapters can be trained. Raises ValueError for a rank below one, and ModelError if peft is not installed.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ModuleNotFoundError as error:
        raise ModelError("training adapters needs peft", remedy="pip install 'kgscripts[train]'") from error

    config = LoraConfig(r=rank, lora_alpha=int(SCALE) * rank, target_modules=_LINEAR_LAYERS)
    adapted = get_peft_model(network, config)
    assert not isinstance(adapted, tuple)
    return adapted


def layer_weights(network: Bert) -> dict[str, Tensor]:
    """The weights of the linear layers that have adapters, by the names of the layers."""
    return {
        name.removesuffix(".weight"): weight
        for name, weight in network.named_parameters()
        if name.startswith("encoder.") and name.endswith(".weight") and name.split(".")[-2] in _LINEAR_LAYERS
    }


def adapters_between(
    before: Mapping[str, Tensor], after: Mapping[str, Tensor], rank: int
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The adapters, in the form of `merge_adapters`, that best approximate the change of weights in training.

    They are the first singular vectors of the difference (Eckart and Young 1936).
    """
    from torch.linalg import svd

    down, up = {}, {}
    for name, weight in before.items():
        left, values, right = svd(after[name].float() - weight, full_matrices=False)
        root = (values[:rank] / SCALE).sqrt()
        up[name], down[name] = (left[:, :rank] * root).contiguous(), (root[:, None] * right[:rank]).contiguous()
    return down, up


def merge_adapters(network: Bert, down: Mapping[str, Tensor], up: Mapping[str, Tensor], rank: int) -> None:
    """Add trained adapters to the encoder's weights: `down` is A and `up` is B, by the names of their layers.

    Raises ValueError as `add_adapters`.
    """
    add_adapters(layer_weights(network), down, up, rank)


def add_adapters(
    weights: Mapping[str, Tensor], down: Mapping[str, Tensor], up: Mapping[str, Tensor], rank: int
) -> None:
    """Add adapters to the weights of the layers of the same names, each (outputs, inputs).

    Raises ValueError if an adapter is missing, unknown, of another shape or not finite.
    """
    if strange := (weights.keys() ^ down.keys()) | (weights.keys() ^ up.keys()):
        raise ValueError(f"{len(strange)} adapters are missing or foreign, such as that of {min(strange)}")
    for name, weight in weights.items():
        outputs, inputs = weight.shape
        if down[name].shape != (rank, inputs) or up[name].shape != (outputs, rank):
            raise ValueError(f"the adapter of {name} is not one of rank {rank} for its layer")
        if not (down[name].isfinite().all() and up[name].isfinite().all()):
            raise ValueError(f"the adapter of {name} is not finite")
        weight.data += SCALE * (up[name] @ down[name])
