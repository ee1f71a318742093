"""Which kind of checkpoint makes which model, and the models that ship."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kgscripts.models.checkpoint_directory import Checkpoint, is_checkpoint, load_checkpoint
from schemas.errors import ModelError

if TYPE_CHECKING:
    from kgscripts.models.cloze import ClozeModel

CLOZE_KINDS: dict[str, str] = {
    "transducer": "kgscripts.models.networks:cloze_model",
    "language-model": "kgscripts.models.networks:cloze_model",
    "sequence-to-sequence": "kgscripts.models.networks:cloze_model",
    "masked": "kgscripts.models.masked_checkpoint:masked_model",
    "causal": "kgscripts.models.causal_loading:cloze_model",
}
"""What `config.json` calls a kind -> module:function that makes a cloze model of a checkpoint."""


def shipped_models() -> dict[str, Path]:
    """The checkpoints that ship with the package, by name."""
    folder = Path(str(resources.files("kgscripts.models") / "data"))
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if is_checkpoint(path)}


def find_checkpoint(name_or_directory: str | Path) -> Path:
    """Where the checkpoint of that name, or in that directory, is. Raises ModelError where there is none."""
    shipped = shipped_models()
    if str(name_or_directory) in shipped:
        return shipped[str(name_or_directory)]
    directory = Path(name_or_directory)
    if not directory.is_dir():
        names = ", ".join(shipped) or "none"
        message = "no such model: neither a directory nor the name of one that ships"
        raise ModelError(message, where=str(name_or_directory), remedy=f"shipped are: {names}")
    return directory


def load_cloze_model(name_or_directory: str | Path) -> ClozeModel:
    """The cloze model of that name, or in that directory.

    Raises ModelError where there is none, it is damaged, or it is of a kind that fills no blanks.
    """
    directory = find_checkpoint(name_or_directory)
    checkpoint = load_checkpoint(directory)
    if checkpoint.kind not in CLOZE_KINDS:
        remedy = f"kinds that do are {', '.join(CLOZE_KINDS)}"
        raise ModelError(f"a model of kind {checkpoint.kind!r} fills no blanks", where=str(directory), remedy=remedy)
    module, _, name = CLOZE_KINDS[checkpoint.kind].partition(":")
    load = cast("Callable[[Checkpoint], ClozeModel]", getattr(importlib.import_module(module), name))
    try:
        return load(checkpoint)
    except ModelError as error:
        raise ModelError(error.message, where=error.where or str(directory), remedy=error.remedy) from error
