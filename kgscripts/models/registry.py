"""The one door to trained models: by task, and by the name of a model that ships or a checkpoint directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from schemas.errors import ModelError

if TYPE_CHECKING:
    from kgscripts.models.aligner import Aligner
    from kgscripts.models.cloze import ClozeModel
    from schemas.provenance import Model


@overload
def load(task: Literal["cloze"], name_or_directory: str | Path) -> ClozeModel: ...
@overload
def load(task: Literal["alignment"], name_or_directory: str | Path) -> Aligner: ...
def load(task: str, name_or_directory: str | Path) -> ClozeModel | Aligner:
    """The model of that name, or in that directory, for a task: ``cloze`` or ``alignment``.

    Raises ModelError for an unknown task, and where there is no such model or it is damaged or does something else.
    """
    if task == "cloze":
        from kgscripts.models.checkpoint import load_cloze_model

        return load_cloze_model(name_or_directory)
    if task == "alignment":
        from kgscripts.models.aligner import load_aligner
        from kgscripts.models.checkpoint import find_checkpoint

        return load_aligner(find_checkpoint(name_or_directory))
    raise ModelError(f"unknown task {task!r}", remedy="known tasks are cloze, alignment")


def describe(name_or_directory: str | Path) -> Model:
    """Name, version, task, licence, scores and digest of a checkpoint, read without torch.

    Raises ModelError where there is no such model, or its card is missing or damaged.
    """
    from kgscripts.models.description import describe_checkpoint, shipped_checkpoint

    directory = Path(name_or_directory)
    return describe_checkpoint(directory if directory.is_dir() else shipped_checkpoint(str(name_or_directory)))
