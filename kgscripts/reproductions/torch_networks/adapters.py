"""Low-rank adapters of a BERT under torch (LoRA, Hu et al. 2022): trained by peft or cut from trained weights."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kgscripts.models.adapters import LINEAR_LAYERS, SCALE, Names, adapted, split_adapters
from kgscripts.models.runtime import Array

if TYPE_CHECKING:
    from peft import PeftModel

    from kgscripts.reproductions.torch_networks.bert import Bert

_PEFT = re.compile(r"(?:base_model\.model\.)?(?P<layer>.+)\.lora_(?P<matrix>[AB])\.default\.weight")


def with_adapters(network: Bert, rank: int) -> PeftModel:
    """The encoder with an adapter at each linear layer of its blocks: W becomes W + 2 B A, which is W before training.

    Only the adapters can be trained. Raises ValueError for a rank below one.
    """
    from peft import LoraConfig, get_peft_model

    # peft multiplies B A by alpha / r: this makes it SCALE, whatever the rank.
    config = LoraConfig(r=rank, lora_alpha=int(SCALE) * rank, target_modules=list(LINEAR_LAYERS))
    adapted = get_peft_model(network, config)
    assert not isinstance(adapted, tuple)
    return adapted


def trained_adapters(network: nn.Module, names: Names) -> dict[str, Tensor]:
    """The adapters that peft has put into a network, by their names in checkpoints; {} for none."""
    adapters = {}
    for name, weight in network.named_parameters():
        if match := _PEFT.fullmatch(name):
            adapters[names["AB".index(match["matrix"])].format(match["layer"])] = weight.detach()
    return adapters


class AdaptedNetwork(nn.Module):
    """A network over an encoder, of which training changes adapters and the layers beside the encoder.

    `adapted` is the encoder, with adapters or with these added to its weights, `adapter_names` how they are stored.
    """

    adapted: PeftModel | Bert
    adapter_names: Names

    def trained_tensors(self) -> dict[str, Tensor]:
        """The tensors that training changes, by their names in checkpoints; the encoder's own are not stored."""
        return {**trained_adapters(self.adapted, self.adapter_names), **self._own_tensors()}

    def load_trained_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        """The inverse of `trained_tensors`; values may be stored in half precision.

        Raises ValueError where a tensor is missing, foreign or of another shape.
        """
        _copy(self.trained_tensors(), tensors)

    def read_trained_tensors(self, tensors: Mapping[str, NDArray[Any]], rank: int) -> None:
        """Load what `trained_tensors` of a network with adapters of this rank gave into one without.

        Raises ValueError where a tensor is missing, foreign or of another shape.
        """
        down, up, others = split_adapters(tensors, self.adapter_names)
        _copy(self._own_tensors(), {name: torch.from_numpy(value) for name, value in others.items()})
        merge_adapters(cast("Bert", self.adapted), down, up, rank)

    def _own_tensors(self) -> dict[str, Tensor]:
        named = self.named_parameters()
        return {name: weight.detach() for name, weight in named if not name.startswith("adapted.")}


def _copy(own: Mapping[str, Tensor], stored: Mapping[str, Tensor]) -> None:
    if strange := own.keys() ^ stored.keys():
        raise ValueError(f"{len(strange)} tensors are missing or foreign, such as {min(strange)}")
    for name, tensor in own.items():
        if stored[name].shape != tensor.shape:
            raise ValueError(f"{name} is {tuple(stored[name].shape)}")
        tensor.copy_(stored[name])


def layer_weights(network: Bert) -> dict[str, Tensor]:
    """The weights of the linear layers that have adapters, by the names of the layers."""
    return {
        name.removesuffix(".weight"): weight
        for name, weight in network.named_parameters()
        if name.startswith("encoder.") and name.endswith(".weight") and name.split(".")[-2] in LINEAR_LAYERS
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
        # A root in either factor, so that both have numbers of one size; merging multiplies by SCALE again.
        root = (values[:rank] / SCALE).sqrt()
        up[name], down[name] = (left[:, :rank] * root).contiguous(), (root[:, None] * right[:rank]).contiguous()
    return down, up


def merge_adapters(network: Bert, down: Mapping[str, Array], up: Mapping[str, Array], rank: int) -> None:
    """Add trained adapters to the encoder's weights. Raises ValueError as `adapted`."""
    weights = {f"{name}.weight": weight.detach().numpy() for name, weight in layer_weights(network).items()}
    for name, value in adapted(weights, down, up, rank).items():
        network.get_parameter(name).data = torch.from_numpy(value)
