"""Causal language models from Hugging Face's layout, GGUF and our checkpoints. Nothing is ever unpickled.

Low-rank adapters (LoRA, Hu et al. 2022) are trained by peft, and added to the weights.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from contextlib import nullcontext, redirect_stderr
from typing import TYPE_CHECKING, Any

import attrs
import torch
from torch import Tensor, nn

from kgscripts.models.adapters import add_adapters, lora_config, split_adapters, trained_adapters
from kgscripts.models.checkpoint import PRETRAINED, Checkpoint, ModelCard, from_checkpoint, is_checkpoint
from kgscripts.reproductions.kidscook.networks.causal import CausalModel
from kgscripts.reproductions.kidscook.networks.causal_base import PretrainedFiles, find_pretrained
from schemas.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

ADAPTERS = ("{}.down", "{}.up")
"""The names of adapters in checkpoints."""


def add_trainable_adapters(network: PreTrainedModel, rank: int) -> None:
    """Put an adapter at each linear layer below the output layer; only these can then be trained.

    Raises ModelError if peft is not installed.
    """
    layers = _layers(network)
    is_transposed = not any(isinstance(layer, nn.Linear) for layer in layers.values())
    config = lora_config(rank, list(layers), fan_in_fan_out=is_transposed)
    from peft import inject_adapter_in_model

    inject_adapter_in_model(config, network)


def restore_adapters(network: PreTrainedModel, adapters: Mapping[str, Tensor]) -> None:
    """Load `trained_adapters` into a network with adapters. Raises KeyError if they do not fit."""
    own = trained_adapters(network, ADAPTERS)
    if strange := own.keys() ^ adapters.keys():
        raise KeyError(f"adapters do not fit: {min(strange)}")
    for name, weight in own.items():
        weight.copy_(adapters[name])


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


KIND = "causal"
TOKENIZER = "tokenizer.json"

_LAYERS = ("n_layer", "n_layers", "num_layers", "num_hidden_layers")
_MOST_IN_BUFFERS = 2**28
"""Some networks keep a mask of all pairs of positions in each layer: 12 million numbers in GPT."""


def load_causal_model(name: str) -> CausalModel:
    """A pretrained model, zero-shot, by a name that `find_pretrained` knows. A GGUF file becomes float32.

    Raises ModelError if there is no such model, its weights are incomplete or no safetensors, or it is no causal
    language model.
    """
    base = find_pretrained(name)
    return _read(base, f"{base.label}, zero-shot")


def _read(base: PretrainedFiles, label: str) -> CausalModel:
    """The model of these files, by that name. Raises ModelError as `load_causal_model`."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    folder, name = base.folder, base.name
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    remedy = "name a causal language model such as openai-gpt or gpt2, with weights as safetensors or GGUF"
    if not base.gguf and (is_checkpoint(folder) or not (folder / "config.json").is_file()):
        raise ModelError("no model in Hugging Face's layout", where=name, remedy=remedy)
    if not base.gguf and (odd := [path.name for path in folder.iterdir() if not (path.is_file() or path.is_dir())]):
        raise ModelError(f"{odd[0]} is not a regular file", where=name, remedy=remedy)
    given: dict[str, Any] = {"local_files_only": True} | ({"gguf_file": base.gguf} if base.gguf else {})
    try:
        # The reader of GGUF files shows a progress bar of its own, which has no switch.
        with redirect_stderr(io.StringIO()) if base.gguf else nullcontext():
            tokenizer = AutoTokenizer.from_pretrained(folder, **given)
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder, use_safetensors=True, dtype="float32", output_loading_info=True, **given
            )
    # Any file can be damaged, and the libraries that read them raise what they like.
    except Exception as error:
        message = str(error).partition("\n")[0] or type(error).__name__
        raise ModelError(f"no causal language model: {message}", where=name, remedy=remedy) from error
    network, found = loaded
    if found["missing_keys"]:
        message = f"the weights lack {', '.join(sorted(found['missing_keys'])[:3])}"
        raise ModelError(message, where=name, remedy=remedy)
    has_tokenizer = base.gguf or any((folder / file).is_file() for file in (TOKENIZER, "vocab.json"))
    if not tokenizer.is_fast or not has_tokenizer:
        raise ModelError(f"it has no {TOKENIZER}", where=name, remedy=remedy)
    if len(tokenizer) > network.config.vocab_size:
        message = f"the tokenizer has {len(tokenizer):,} pieces, the network {network.config.vocab_size:,}"
        raise ModelError(message, where=name, remedy=remedy)
    if base.gguf:
        del network.config.quantization_config  # the weights are no longer quantised
    start, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    return CausalModel(label, _placed(network), tokenizer.backend_tokenizer, start, base, end=end)


@from_checkpoint
def cloze_model(checkpoint: Checkpoint) -> CausalModel:
    """The model of a checkpoint that fine-tuning wrote. Adapters are added to the weights that they were trained over.

    Raises ModelError if its parts do not fit together, or that pretrained model is missing or another one.
    """
    if "pretrained" in checkpoint.settings:
        return _adapted(checkpoint)
    from tokenizers import Tokenizer
    from transformers import AutoConfig, AutoModelForCausalLM

    settings = dict(checkpoint.settings["network"])
    if any(settings.get(name, 0) > len(checkpoint.tensors) for name in _LAYERS):
        raise ValueError("more layers than weights")
    configuration = AutoConfig.for_model(settings.pop("model_type"), **settings)
    # Without memory at first, which would be as much as the settings say.
    with torch.device("meta"):
        _check_shapes(AutoModelForCausalLM.from_config(configuration), checkpoint.tensors)  # type: ignore[no-untyped-call]
    network = AutoModelForCausalLM.from_config(configuration)  # type: ignore[no-untyped-call]
    tokenizer = Tokenizer.from_str(checkpoint.files[TOKENIZER].decode())
    start, end = checkpoint.settings["start"], checkpoint.settings.get("end")
    if not all(one is None or isinstance(one, int) for one in (start, end)):
        raise ValueError(f"start is {start!r}, end {end!r}")
    if odd := set(_untied(network)) ^ set(checkpoint.tensors):
        raise ValueError(f"weights that are missing or foreign: {', '.join(sorted(odd)[:3])}")
    network.load_state_dict(checkpoint.tensors, strict=False)
    pieces = [*tokenizer.get_vocab().values(), *(one for one in (start, end) if one is not None)]
    if not 0 <= min(pieces) <= max(pieces) < network.config.vocab_size:
        raise ValueError("pieces that the network does not have")
    # Settings can fit the weights, and yet be those of a network that cannot run.
    with torch.inference_mode():
        network(input_ids=torch.tensor([[pieces[0]]]))
    return CausalModel(checkpoint.card.name, _placed(network), tokenizer, start, end=end)


def _adapted(checkpoint: Checkpoint) -> CausalModel:
    settings, directory = checkpoint.settings, checkpoint.directory
    base = find_pretrained(settings["pretrained"], beside=directory and directory.parent)
    base.check(settings["pretrained_sha256"])
    model = _read(base, checkpoint.card.name)
    down, up, others = split_adapters(checkpoint.tensors, ADAPTERS)
    if others:
        raise ValueError("there are tensors that are no adapters")
    layers = {name: _weight(layer) for name, layer in _layers(model.network).items()}
    add_adapters(layers, down, up, settings["rank"])
    return model


def _check_shapes(network: PreTrainedModel, tensors: Mapping[str, Tensor]) -> None:
    """Raise ValueError if a network takes more memory than the tensors of a checkpoint and some buffers."""
    for name, weight in network.named_parameters():
        if name not in tensors or tensors[name].shape != weight.shape:
            raise ValueError(f"{name} is missing, or not of the shape {tuple(weight.shape)}")
    if sum(buffer.numel() for buffer in network.buffers()) > _MOST_IN_BUFFERS:
        raise ValueError("it reads too many positions")


def causal_checkpoint(model: CausalModel, card: ModelCard) -> Checkpoint:
    """The checkpoint of a model, which `cloze_model` loads. Its card says what the model was pretrained as.

    If adapters were trained, it has these alone, in half precision, and the digest of the pretrained model.
    """
    base = model.base
    if base is not None:
        card = _with_pretrained(card, base)
    if base is not None and (adapters := trained_adapters(model.network, ADAPTERS)):
        rank = next(len(adapter) for name, adapter in adapters.items() if name.endswith(".down"))
        over = {"pretrained": base.name, "pretrained_sha256": base.digest(), "rank": rank}
        tensors = {name: adapter.to(torch.float16) for name, adapter in adapters.items()}
        return Checkpoint(kind=KIND, settings={**over, "start": model.start}, tensors=tensors, card=card)
    network = json.loads(model.network.config.to_json_string(use_diff=True))
    return Checkpoint(
        kind=KIND,
        settings={"network": network, "start": model.start, "end": model.end},
        tensors=_untied(model.network),
        card=card,
        files={TOKENIZER: model.tokenizer.to_str().encode()},
    )


def _with_pretrained(card: ModelCard, base: PretrainedFiles) -> ModelCard:
    licence, digest = base.licence(), base.digest()
    about = f"licence {licence or 'not stated in its files'}, SHA-256 {digest}"
    data = f"{card.data}; starts from {base.label} ({about}), whose pretraining may have read the texts it is scored on"
    training = {**card.training, "pretrained": base.label, PRETRAINED: digest, "pretrained_licence": licence}
    return attrs.evolve(card, data=data.removeprefix("; "), training=training)


def _untied(network: PreTrainedModel) -> dict[str, Tensor]:
    """The weights, each once: the output layer often is the embedding."""
    seen: dict[int, str] = {}
    state = network.state_dict()
    return {name: value for name, value in state.items() if seen.setdefault(value.data_ptr(), name) == name}


def _placed(network: PreTrainedModel) -> PreTrainedModel:
    network.requires_grad_(False)
    network.to("cuda" if torch.cuda.is_available() else "cpu")  # type: ignore[arg-type]
    return network
