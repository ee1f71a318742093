"""Checkpoint directories: JSON and safetensors with a digest of every file, written atomically.

    config.json         the kind of the model and its settings
    model.safetensors   its weights
    vocabulary.json     and other files of the kind
    model_card.json     name, data, command, scores, and the SHA-256 of every file above

The digest of a checkpoint is that of the list of these SHA-256s, so it does not cover the card.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from kgscripts.models.quantised import SCALE, dequantised
from kgscripts.score_files import merged_scores
from schemas.errors import ModelError, RecordError
from schemas.input_files import open_regular
from schemas.output_files import check_directory, replaced_directory
from schemas.provenance import BenchmarkScore, Model

if TYPE_CHECKING:
    from torch import Tensor


CONFIG = "config.json"
WEIGHTS = "model.safetensors"
CARD = "model_card.json"
SLICE = "slice"
"""The split of scores on the small sample that ships (`kgscripts.reproductions.tasks`)."""

REMEDY = "train the model again, or get the checkpoint again"


@frozen(kw_only=True)
class ModelCard:
    """The facts about a model that people and graphs need.

    `data` names what it was trained on with its terms, `command` is what trained it, `training` holds figures of the
    run (epochs, losses), and `scores` are on data that it never saw. `slice` holds its scores on the small sample that
    ships (`kgscripts.reproductions.tasks`): they show whether its predictions have changed.
    """

    name: str
    version: str
    task: str
    licence: str
    data: str
    command: str
    training: Mapping[str, Any] = field(factory=dict)
    scores: tuple[BenchmarkScore, ...] = field(default=(), converter=tuple[BenchmarkScore, ...])
    slice: tuple[BenchmarkScore, ...] = field(default=(), converter=tuple[BenchmarkScore, ...])


def _arrays(tensors: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    return {
        name: value.detach().cpu().numpy() if hasattr(value, "detach") else value for name, value in tensors.items()
    }


@frozen(kw_only=True, eq=False)
class Checkpoint:
    """A checkpoint in memory. `kind` decides which function can load it; `files` are those beside configuration and
    weights. Its `tensors` may be given as those of torch."""

    kind: str
    settings: Mapping[str, Any]
    tensors: Mapping[str, NDArray[Any]] = field(converter=_arrays)
    card: ModelCard
    files: Mapping[str, bytes] = field(factory=dict)
    model: Model | None = None
    """Its provenance; None for one that was not read from a directory."""
    directory: Path | None = None
    """Where it was read from."""

    def as_torch(self) -> dict[str, Tensor]:
        """Copies of the `tensors` as those of torch; what is quantised as float32."""
        import torch

        parts = {name: value for name, value in self.tensors.items() if not name.endswith(SCALE)}
        floats = {
            name: dequantised(parts[name], self.tensors[name + SCALE]) for name in parts if name + SCALE in self.tensors
        }
        return {name: torch.tensor(value) for name, value in {**parts, **floats}.items()}

    def json(self, name: str) -> Any:
        """The value of one of the `files`. Raises ModelError as `parsed`, and if the file is missing."""
        if name not in self.files:
            raise ModelError("missing from the checkpoint", where=name, remedy=REMEDY)
        return parsed(self.files[name], name)


def save_checkpoint(checkpoint: Checkpoint, directory: Path) -> None:
    """Write a checkpoint atomically; an older checkpoint there is replaced.

    Raises ModelError if the directory holds something else or cannot be written; it is then left unchanged.
    """
    check_place(directory)
    contents = _contents(checkpoint)
    card = attrs.asdict(checkpoint.card, value_serializer=lambda _, __, value: getattr(value, "value", value))
    card["files"] = {name: sha256(content).hexdigest() for name, content in sorted(contents.items())}
    contents[CARD] = _json(card)
    try:
        with replaced_directory(directory) as new:
            for name, content in contents.items():
                _write(new / name, content)
    except OSError as error:
        message = f"the checkpoint cannot be written: {error.strerror}"
        raise ModelError(message, where=str(directory), remedy="make room or name another directory") from error


def check_place(directory: Path, inputs: Iterable[str | Path | None] = ()) -> None:
    """Check, before training, that a checkpoint can be written there.

    Raises ModelError if something else is there, and ConfigurationError if one of the inputs lies in the directory.
    """
    check_directory(directory, inputs)
    if directory.exists() and not is_checkpoint(directory) and not _is_empty(directory):
        remedy = "name another directory, or take away what is there"
        raise ModelError("not empty, and no checkpoint", where=str(directory), remedy=remedy)


def read_card(directory: Path) -> tuple[ModelCard, Model]:
    """The model card of a checkpoint, and its provenance with the digest.

    Whether the files are those of the card is checked by `load_checkpoint`. Raises ModelError for a directory that is
    no checkpoint, and for a damaged card.
    """
    return _read_card(directory)[:2]


def read_kind(directory: Path) -> str:
    """The kind of the model of a checkpoint. Raises ModelError if its configuration is damaged."""
    return _kind_and_settings(_read(directory / CONFIG), directory / CONFIG)[0]


def load_checkpoint(directory: Path) -> Checkpoint:
    """Read a checkpoint and verify it.

    Raises ModelError for a directory that is no checkpoint, and for a file that is missing, damaged or foreign.
    """
    import safetensors.numpy

    card, model, digests = _read_card(directory)
    try:
        # What begins with a dot is of file managers and file systems.
        present = {path.name for path in directory.iterdir() if not path.name.startswith(".")}
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", where=str(directory)) from error
    if foreign := sorted(present - set(digests) - {CARD}):
        message = f"{', '.join(foreign[:3])} does not belong to the checkpoint"
        raise ModelError(message, where=str(directory), remedy="take it away if you put it there")
    contents = {}
    for name, digest in digests.items():
        # The digest is that of what was read: a file could change between two readings.
        contents[name] = _read(directory / name)
        if sha256(contents[name]).hexdigest() != digest:
            message = "damaged: its digest is not the one on the model card"
            raise ModelError(message, where=str(directory / name), remedy=REMEDY)
    kind, settings = _kind_and_settings(contents.pop(CONFIG), directory / CONFIG)
    try:
        tensors = safetensors.numpy.load(contents.pop(WEIGHTS))
    except (safetensors.SafetensorError, ValueError, TypeError) as error:
        raise ModelError(f"no safetensors: {error}", where=str(directory / WEIGHTS), remedy=REMEDY) from error
    return Checkpoint(
        kind=kind,
        settings=settings,
        tensors=tensors,
        card=card,
        files=contents,
        model=model,
        directory=directory,
    )


def attach_scores(directory: Path, scores: Sequence[BenchmarkScore]) -> None:
    """Write scores onto the card of a checkpoint, in place of older ones of the same dataset, split and metric.

    Those of the split `SLICE` are kept apart, as `ModelCard.slice`. Raises ModelError as `load_checkpoint` and
    `save_checkpoint` do.
    """
    checkpoint = load_checkpoint(directory)
    of_slice = [score for score in scores if score.split == SLICE]
    others = [score for score in scores if score.split != SLICE]
    card = attrs.evolve(
        checkpoint.card,
        scores=merged_scores(checkpoint.card.scores, others),
        slice=of_slice or checkpoint.card.slice,
    )
    save_checkpoint(attrs.evolve(checkpoint, card=card), directory)


def is_checkpoint(directory: Path) -> bool:
    """Whether a directory has a model card."""
    return (directory / CARD).is_file()


def _contents(checkpoint: Checkpoint) -> dict[str, bytes]:
    """The files of a checkpoint but for the card."""
    import safetensors.numpy

    tensors = {name: np.ascontiguousarray(tensor) for name, tensor in checkpoint.tensors.items()}
    config = {"kind": checkpoint.kind, "settings": dict(checkpoint.settings)}
    return {CONFIG: _json(config), WEIGHTS: safetensors.numpy.save(tensors), **checkpoint.files}


def _read_card(directory: Path) -> tuple[ModelCard, Model, dict[str, str]]:
    """The card, the provenance of the checkpoint, and the SHA-256 of each file beside the card."""
    if not is_checkpoint(directory):
        remedy = "name a directory that training wrote, or a model that ships"
        raise ModelError(f"no checkpoint: it has no {CARD}", where=str(directory), remedy=remedy)
    path = directory / CARD
    values = _object(_read(path), path)
    digests = values.pop("files", None)
    if not isinstance(digests, dict) or not {CONFIG, WEIGHTS} <= set(digests):
        raise ModelError("the card lacks the digests of the files", where=str(path), remedy=REMEDY)
    # A card may come from anyone: its names must not lead out of the directory.
    if elsewhere := [name for name in digests if Path(name).name != name or "\0" in name]:
        raise ModelError(f"the card names a file elsewhere: {elsewhere[0]}", where=str(path), remedy=REMEDY)
    try:
        values |= {name: BenchmarkScore.from_rows(values.get(name, [])) for name in ("scores", "slice")}
        card = ModelCard(**values)
        model = Model(
            name=card.name,
            version=card.version,
            digest=sha256(json.dumps(sorted(digests.items())).encode()).hexdigest(),
            task=card.task,
            licence=card.licence,
            scores=card.scores,
        )
    except (TypeError, ValueError, AttributeError, RecordError) as error:
        raise ModelError(f"not as expected: {error!r}", where=str(path), remedy=REMEDY) from error
    return card, model, digests


def _kind_and_settings(content: bytes, path: Path) -> tuple[str, dict[str, Any]]:
    config = _object(content, path)
    kind, settings = config.get("kind"), config.get("settings")
    if not isinstance(kind, str) or not isinstance(settings, dict):
        raise ModelError("not as expected: no kind or no settings", where=str(path), remedy=REMEDY)
    return kind, settings


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def parsed(content: bytes | str, where: str) -> Any:
    """The value of JSON.

    Raises ModelError for other content, and for text with half a surrogate pair: it can be neither written nor shown.
    """
    try:
        value = json.loads(content)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ModelError(f"no JSON: {error}", where=where, remedy=REMEDY) from error
    return value


def _object(content: bytes, path: Path) -> dict[str, Any]:
    value = parsed(content, str(path))
    if not isinstance(value, dict):
        raise ModelError("no JSON object", where=str(path), remedy=REMEDY)
    return value


def _read(path: Path) -> bytes:
    """The content of a file. A pipe or a device is refused: it may never end."""
    try:
        with open_regular(path) as file:
            return file.read()
    except FileNotFoundError as error:
        raise ModelError("missing from the checkpoint", where=str(path), remedy=REMEDY) from error
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", where=str(path), remedy=REMEDY) from error
    except MemoryError as error:
        raise ModelError("too large for the memory", where=str(path), remedy=REMEDY) from error


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        # The directory is renamed next: after a crash, it must not be there with half of a file.
        os.fsync(file.fileno())


def _is_empty(directory: Path) -> bool:
    return directory.is_dir() and not any(directory.iterdir())


_Model = TypeVar("_Model")


def from_checkpoint(make: Callable[[Checkpoint], _Model]) -> Callable[[Checkpoint], _Model]:
    """Makes a function that builds the model of a checkpoint raise only ModelError, whatever the files contain. Files
    with the digests of the card can still hold any values; the function need not ask whether weights are finite.
    """

    @wraps(make)
    def guarded(checkpoint: Checkpoint) -> _Model:
        where = "" if checkpoint.directory is None else str(checkpoint.directory)
        try:
            if not all(np.isfinite(tensor).all() for tensor in checkpoint.tensors.values()):
                raise ValueError("weights that are not finite")
            return make(checkpoint)
        except ModelError as error:
            raise ModelError(error.message, where=error.where or where, remedy=error.remedy or REMEDY) from error
        # Any values may be in the files, so that anything may be raised: wrong shapes, missing keys, no such index.
        except Exception as error:
            reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise ModelError(f"its files do not fit together: {reason}", where=where, remedy=REMEDY) from error

    return guarded
