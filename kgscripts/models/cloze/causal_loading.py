"""Causal language models from Hugging Face's layout and from our checkpoints. Nothing is ever unpickled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, ModelCard, is_checkpoint
from kgscripts.models.cloze.causal import CausalModel
from kgscripts.models.loading import from_checkpoint
from schemas.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedModel

KIND = "causal"
TOKENIZER = "tokenizer.json"

_FILES = ["*.json", "*.txt", "*.safetensors"]
_LAYERS = ("n_layer", "n_layers", "num_layers", "num_hidden_layers")
_MOST_IN_BUFFERS = 2**28
"""Some networks keep a mask of all pairs of positions in each layer: 12 million numbers in GPT."""


def load_causal_model(name: str) -> CausalModel:
    """A pretrained model, zero-shot: a folder in Hugging Face's layout, or a name in its cache or on the hub.

    The hub is used only if the cache lacks the model and `HF_HUB_OFFLINE` is not set. Raises ModelError if there
    is no such model, its weights are incomplete or no safetensors, or it is no causal language model.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    folder = _folder(name)
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    remedy = "name a causal language model such as openai-gpt or gpt2, with weights as safetensors"
    if is_checkpoint(folder) or not (folder / "config.json").is_file():
        raise ModelError("no model in Hugging Face's layout", where=name, remedy=remedy)
    if odd := [path.name for path in folder.iterdir() if not (path.is_file() or path.is_dir())]:
        raise ModelError(f"{odd[0]} is not a regular file", where=name, remedy=remedy)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, dtype="float32", output_loading_info=True
        )
    # Any file can be damaged, and the libraries that read them raise what they like.
    except Exception as error:
        message = str(error).partition("\n")[0] or type(error).__name__
        raise ModelError(f"no causal language model: {message}", where=name, remedy=remedy) from error
    network, found = loaded
    if found["missing_keys"]:
        message = f"the weights lack {', '.join(sorted(found['missing_keys'])[:3])}"
        raise ModelError(message, where=name, remedy=remedy)
    if not tokenizer.is_fast or not any((folder / file).is_file() for file in (TOKENIZER, "vocab.json")):
        raise ModelError(f"it has no {TOKENIZER}", where=name, remedy=remedy)
    if len(tokenizer) > network.config.vocab_size:
        message = f"the tokenizer has {len(tokenizer):,} pieces, the network {network.config.vocab_size:,}"
        raise ModelError(message, where=name, remedy=remedy)
    label = f"{Path(name).name}, zero-shot"
    return CausalModel(label, _placed(network), tokenizer.backend_tokenizer, tokenizer.bos_token_id)


@from_checkpoint
def cloze_model(checkpoint: Checkpoint) -> CausalModel:
    """The model of a checkpoint that fine-tuning wrote. Raises ModelError if its parts do not fit together."""
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
    start = checkpoint.settings["start"]
    if odd := set(_untied(network)) ^ set(checkpoint.tensors):
        raise ValueError(f"weights that are missing or foreign: {', '.join(sorted(odd)[:3])}")
    network.load_state_dict(checkpoint.tensors, strict=False)
    if not all(weight.isfinite().all() for weight in checkpoint.tensors.values()):
        raise ValueError("weights that are not finite")
    pieces = [*tokenizer.get_vocab().values(), *([] if start is None else [start])]
    if not 0 <= min(pieces) <= max(pieces) < network.config.vocab_size:
        raise ValueError("pieces that the network does not have")
    # Settings can fit the weights, and yet be those of a network that cannot run.
    with torch.inference_mode():
        network(input_ids=torch.tensor([[pieces[0]]]))
    return CausalModel(checkpoint.card.name, _placed(network), tokenizer, start)


def _check_shapes(network: PreTrainedModel, tensors: Mapping[str, Tensor]) -> None:
    """Raise ValueError if a network takes more memory than the tensors of a checkpoint and some buffers."""
    for name, weight in network.named_parameters():
        if name not in tensors or tensors[name].shape != weight.shape:
            raise ValueError(f"{name} is missing, or not of the shape {tuple(weight.shape)}")
    if sum(buffer.numel() for buffer in network.buffers()) > _MOST_IN_BUFFERS:
        raise ValueError("it reads too many positions")


def causal_checkpoint(model: CausalModel, card: ModelCard) -> Checkpoint:
    """The checkpoint of a model, which `cloze_model` loads."""
    network = json.loads(model.network.config.to_json_string(use_diff=True))
    return Checkpoint(
        kind=KIND,
        settings={"network": network, "start": model.start},
        tensors=_untied(model.network),
        card=card,
        files={TOKENIZER: model.tokenizer.to_str().encode()},
    )


def _untied(network: PreTrainedModel) -> dict[str, Tensor]:
    """The weights, each once: the output layer often is the embedding."""
    seen: dict[int, str] = {}
    state = network.state_dict()
    return {name: value for name, value in state.items() if seen.setdefault(value.data_ptr(), name) == name}


def _placed(network: PreTrainedModel) -> PreTrainedModel:
    network.requires_grad_(False)
    network.to("cuda" if torch.cuda.is_available() else "cpu")  # type: ignore[arg-type]
    return network


def _folder(name: str) -> Path:
    """The folder of the model's files. Raises ModelError if they are nowhere."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    if Path(name).is_dir():
        return Path(name)
    for offline in (True,) if constants.HF_HUB_OFFLINE else (True, False):
        try:
            folder = Path(snapshot_download(name, local_files_only=offline, allow_patterns=_FILES))
        except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError):
            continue
        if any(folder.glob("*.safetensors")):
            return folder
    reason = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else "the hub does not have it as safetensors"
    raise ModelError(
        f"neither a folder nor a model in the Hugging Face cache, and {reason}",
        where=name,
        remedy="fetch it once with network (`hf download NAME`), or name a folder in Hugging Face's layout",
    )
