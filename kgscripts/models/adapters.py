"""Low-rank adapters of a BERT encoder (LoRA, Hu et al. 2022), by peft."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import BertModel

_LINEAR_LAYERS = ["query", "key", "value", "dense"]


def with_adapters(network: BertModel, rank: int) -> PeftModel:
    """The encoder with an adapter at each linear layer of its blocks: W becomes W + 2 B A, which is W before training.

    Only the adapters can be trained. Raises ValueError for a rank below one.
    """
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=_LINEAR_LAYERS)
    with warnings.catch_warnings():
        # peft uses a name of transformers that is deprecated.
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing.*")
        adapted = get_peft_model(network, config)
    assert not isinstance(adapted, tuple)
    return adapted
