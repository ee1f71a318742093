"""The model of a checkpoint, and the checkpoint of a model."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TypeVar

from kgscripts.models.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from schemas.arguments import path_of
from schemas.errors import ModelError

REMEDY = "train the model again, or get the checkpoint again"


class TrainedModel:
    """Base of the models that are loaded from checkpoints."""

    _origin: tuple[Path, str] | None = None
    """The directory that it was loaded from, and its digest then."""

    def save(self, directory: str | Path) -> None:
        """Write the checkpoint that this model was loaded from, with its card, into another directory.

        Raises ModelError for a model that was derived from another one, if its own checkpoint is not there any more
        or has changed, and as `kgscripts.models.checkpoint.save_checkpoint` does.
        """
        target = path_of("directory", directory)
        if self._origin is None:
            message = "this model was made from another one, and has no checkpoint of its own"
            raise ModelError(message, remedy="save the model that was loaded")
        origin, digest = self._origin
        checkpoint = load_checkpoint(origin)
        if checkpoint.model is None or checkpoint.model.digest != digest:
            raise ModelError(
                "the checkpoint has changed since it was loaded", where=str(origin), remedy="load it again"
            )
        save_checkpoint(checkpoint, target)


_Model = TypeVar("_Model", bound=TrainedModel)


def from_checkpoint(make: Callable[[Checkpoint], _Model]) -> Callable[[Checkpoint], _Model]:
    """Makes a function that builds the model of a checkpoint raise only ModelError, whatever the files contain. Files
    with the digests of the card can still hold any values.
    """

    @wraps(make)
    def guarded(checkpoint: Checkpoint) -> _Model:
        where = "" if checkpoint.directory is None else str(checkpoint.directory)
        try:
            model = make(checkpoint)
        except ModelError as error:
            raise ModelError(error.message, where=error.where or where, remedy=error.remedy or REMEDY) from error
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise ModelError(f"its files do not fit together: {reason}", where=where, remedy=REMEDY) from error
        if checkpoint.directory is not None and checkpoint.model is not None:
            object.__setattr__(model, "_origin", (checkpoint.directory, checkpoint.model.digest))
        return model

    return guarded
