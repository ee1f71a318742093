"""Low-rank adapters (LoRA, Hu et al. 2022) of causal language models: trained by peft, and added to the weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from torch import Tensor, nn

from kgscripts.models.adapters import SCALE, add_adapters
from schemas.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_DOWN, _UP = ".down", ".up"
_PEFT = {".lora_A.default.weight": _DOWN, ".lora_B.default.weight": _UP}
"""Ends of peft's names of adapters -> ends of their names in checkpoints."""


def add_trainable_adapters(network: PreTrainedModel, rank: int) -> None:
    """Put an adapter at each linear layer below the output layer; only these can then be trained.

    Raises ModelError if peft is not installed.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ModuleNotFoundError as error:
        raise ModelError("training adapters needs peft", remedy="pip install 'kgscripts[train]'") from error

    layers = _layers(network)
    config = LoraConfig(
        r=rank,
        lora_alpha=int(SCALE) * rank,
        target_modules=list(layers),
        fan_in_fan_out=not any(isinstance(layer, nn.Linear) for layer in layers.values()),
    )
    inject_adapter_in_model(config, network)


def trained_adapters(network: PreTrainedModel) -> dict[str, Tensor]:
    """The adapters of a network, by the names of their layers: A (rank, inputs) and B (outputs, rank); {} for none."""
    return {
        name.removesuffix(end) + own: weight
        for name, weight in network.named_parameters()
        for end, own in _PEFT.items()
        if name.endswith(end)
    }


def restore_adapters(network: PreTrainedModel, adapters: Mapping[str, Tensor]) -> None:
    """Load what `trained_adapters` gave into a network with adapters. Raises KeyError if it does not fit."""
    own = trained_adapters(network)
    if strange := own.keys() ^ adapters.keys():
        raise KeyError(f"adapters do not fit: {min(strange)}")
    for name, weight in own.items():
        weight.data.copy_(adapters[name])


def merge_trained_adapters(network: PreTrainedModel, adapters: Mapping[str, Tensor], rank: int) -> None:
    """Add what `trained_adapters` gave to the weights of a network without adapters. Raises ValueError if it does not
    fit.
    """
    down, up = (
        {name.removesuffix(end): value.float() for name, value in adapters.items() if name.endswith(end)}
        for end in (_DOWN, _UP)
    )
    if len(down) + len(up) != len(adapters):
        raise ValueError("there are tensors that are no adapters")
    add_adapters({name: _weight(layer) for name, layer in _layers(network).items()}, down, up, rank)


def _weight(layer: nn.Module) -> Tensor:
    """The weight of a layer, (outputs, inputs), which GPT's have transposed; a view of it."""
    weight: Tensor = layer.get_parameter("weight")
    return weight if isinstance(layer, nn.Linear) else weight.T


def _layers(network: PreTrainedModel) -> dict[str, nn.Module]:
    """The linear layers by their names, but for the output layer."""
    from transformers.pytorch_utils import Conv1D

    output = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    return {
        name: layer
        for name, layer in network.named_modules()
        if isinstance(layer, nn.Linear | Conv1D) and layer is not output
    }
