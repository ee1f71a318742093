"""The trained models: by task, and by the name of one that ships or the directory of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from kgscripts.devices import CPU, check_device
from kgscripts.models.checkpoint import is_checkpoint, load_checkpoint, read_card, read_kind
from schemas.arguments import path_of
from schemas.errors import ModelError
from schemas.plugins import entry_points_of, loaded

if TYPE_CHECKING:
    from kgscripts.models.alignment.aligner import Aligner, PairAligner
    from kgscripts.models.changes.generator import ChangeGenerator
    from kgscripts.models.cloze import ClozeModel
    from kgscripts.models.reader.reader import Reader
    from kgscripts.models.scenarios.protocol import ScenarioModel
    from kgscripts.models.steps.merger import StepMerger
    from kgscripts.models.tools.ranker import ToolRanker
    from schemas.provenance import Model

KINDS = "kgscripts.checkpoints"
"""The entry points of kinds of checkpoint: ``TASK.KIND = module:function``, which makes the model of a checkpoint."""

ALSO = "kgscripts.checkpoints.also"
"""The same for a further task of a kind."""

VARIANTS: Mapping[str, Mapping[str, str]] = {
    "scenarios": {"sentence": "topic-tiling", "random": "topic-tiling", "majority": "topic-tiling"}
}
"""Task -> name -> the shipped model whose method `variant` gives it; ``NAME:DIR`` is that of another checkpoint."""

DEFAULT = "default"
"""The name of the model of a task that ships in the folder ``TASK``; a model ``NAME`` of it may be in ``TASK-NAME``."""


def shipped_models() -> dict[str, Path]:
    """The checkpoints that ship with the package, by name."""
    folder = Path(str(resources.files("kgscripts.models") / "data"))
    if not folder.is_dir():
        return {}
    return {path.name: path for path in sorted(folder.iterdir()) if is_checkpoint(path)}


def is_shipped(name: str, task: str) -> bool:
    """Whether a model that ships has that name for a task; other names are paths of directories."""
    return bool(_full_name(name, task, shipped_models()))


def find_checkpoint(name_or_directory: str | Path, task: str = "") -> Path:
    """The directory of the checkpoint of that name, or that directory. Raises ModelError if there is none.

    With a task, short names are known too: ``default`` is the checkpoint ``TASK``, ``NAME`` is ``TASK-NAME``.
    """
    named = shipped_models()
    if name := _full_name(name_or_directory, task, named):
        return named[name]
    directory = Path(name_or_directory)
    if not directory.is_dir():
        names = ", ".join(named) or "none"
        message = "no such model: neither a directory nor the name of one that ships"
        raise ModelError(message, where=str(name_or_directory), remedy=f"those that ship: {names}")
    return directory


def describe(name_or_directory: str | Path, task: str = "") -> Model:
    """Name, version, task, licence, scores and digest of a checkpoint, from its card.

    Names are those of `find_checkpoint`. Raises ModelError if there is no such model, its card is missing or damaged,
    or it is not for the task, if one is named.
    """
    directory = find_checkpoint(name_or_directory, task)
    model = read_card(directory)[1]
    if task:
        _check_task(directory, task, name_or_directory)
    return model


@overload
def load(task: Literal["cloze"], name_or_directory: str | Path, device: str = CPU) -> ClozeModel: ...
@overload
def load(task: Literal["alignment"], name_or_directory: Literal["aligner"], device: str = CPU) -> Aligner: ...
@overload
def load(task: Literal["alignment"], name_or_directory: str | Path, device: str = CPU) -> PairAligner: ...
@overload
def load(task: Literal["changes"], name_or_directory: str | Path, device: str = CPU) -> ChangeGenerator: ...
@overload
def load(task: Literal["scenarios"], name_or_directory: str | Path, device: str = CPU) -> ScenarioModel: ...
@overload
def load(task: Literal["tools"], name_or_directory: str | Path, device: str = CPU) -> ToolRanker: ...
@overload
def load(task: Literal["reader"], name_or_directory: str | Path, device: str = CPU) -> Reader: ...
@overload
def load(task: str, name_or_directory: str | Path, device: str = CPU) -> Any: ...
def load(task: str, name_or_directory: str | Path, device: str = CPU) -> Any:
    """The model of that name, or in that directory, for a task; names are those of `find_checkpoint`.

    A model for ``cloze`` is a `ClozeModel`, one for ``alignment`` a `PairAligner`, one for ``changes`` a
    `ChangeGenerator`, one for ``scenarios`` a `ScenarioModel`, one for ``tools`` a `ToolRanker`. Models that have names
    are loaded once a process and device. The expensive part of a model runs on the `device`, such as ``cuda``; a model
    without a network runs on the CPU. On other devices than the CPU, the last bits of results depend on the rest of the
    batch.

    Raises ConfigurationError for a device that is not here, and ModelError for an unknown task, and if there
    is no such model, it is damaged, or it is for another task.
    """
    if not kinds_of(task):
        raise ModelError(f"unknown task {task!r}", remedy=f"known are: {', '.join(tasks())}")
    variant, _, other = str(name_or_directory).partition(":")
    if variant in VARIANTS.get(task, ()):
        model = load(task, other or VARIANTS[task][variant], device)
        if not hasattr(model, "variant"):
            raise ModelError(f"this model has no variant {variant!r}", where=other, remedy="name another checkpoint")
        return model.variant(variant)
    path_of("name_or_directory", name_or_directory)
    # First, since the card tells of a wrong task before any weights are read.
    describe(name_or_directory, task)
    return load_with_task(name_or_directory, task, device)[1]


@overload
def load_model(name_or_directory: Literal["masked", "transducer"], device: str = CPU) -> ClozeModel: ...
@overload
def load_model(name_or_directory: Literal["aligner"], device: str = CPU) -> Aligner: ...
@overload
def load_model(name_or_directory: Literal["changes"], device: str = CPU) -> ChangeGenerator: ...
@overload
def load_model(
    name_or_directory: Literal["scenarios", "scenarios-topic-tiling"], device: str = CPU
) -> ScenarioModel: ...
@overload
def load_model(name_or_directory: Literal["steps"], device: str = CPU) -> StepMerger: ...
@overload
def load_model(name_or_directory: Literal["reader"], device: str = CPU) -> Reader: ...
@overload
def load_model(name_or_directory: Literal["tools"], device: str = CPU) -> ToolRanker: ...
@overload
def load_model(name_or_directory: str | Path, device: str = CPU) -> Any: ...
def load_model(name_or_directory: str | Path, device: str = CPU) -> Any:
    """The model of that name, or in that directory, whatever its task.

    =================  =================  ==============================================================================
    task               class              called as
    =================  =================  ==============================================================================
    ``alignment``      `Aligner`          ``model.align([("peel the potatoes", "scrape off the skin")])``
    ``changes``        `ChangeGenerator`  ``model.generate(texts)`` with the words of texts and `ChangeQuery`
    ``cloze``          `ClozeModel`       ``model.predict(clozes, candidates)`` with `Cloze`
    ``reader``         `Reader`           ``model.read([ReaderText("", [["Drain", "the", "pasta", "."]])])``
    ``scenarios``      `ScenarioModel`    ``model.detect(["I drove to the bank. It was closed."])``
    ``state-changes``  `ChangeModel`      ``model.predict(["Boil the water in a pot."])``
    ``steps``          `StepMerger`       ``model.merge(texts)`` with the parts of actions
    ``tools``          `ToolRanker`       ``model.rank(["fix a flat tyre"])``
    =================  =================  ==============================================================================

    What it gives and raises is documented at `load`.
    """
    return load_with_task(name_or_directory, device=device)[1]


def load_with_task(name_or_directory: str | Path, task: str = "", device: str = CPU) -> tuple[str, Any]:
    """The task of a model, and the model; names are those of `find_checkpoint`. Raises as `load`."""
    path_of("name_or_directory", name_or_directory)
    check_device(device)
    if name := _full_name(name_or_directory, task, shipped_models()):
        return _load_named(name, device)
    return _load_directory(find_checkpoint(name_or_directory), device)


def _full_name(name: str | Path, task: str, named: Mapping[str, Path]) -> str:
    """The whole name of the model that is called so; "" if there is none."""
    names = [str(name)]
    if task:
        names.append(task if str(name) == DEFAULT else f"{task}-{name}")
    return next((name for name in names if name in named), "")


def task_of(kind: str, directory: Path) -> str:
    """The task of models of a kind, whose checkpoint is in a directory. Raises ModelError for an unknown kind."""
    tasks = {of: task for task, _, of in (name.partition(".") for name in entry_points_of(KINDS))}
    if kind not in tasks:
        kinds = ", ".join(tasks)
        raise ModelError(f"unknown kind of model {kind!r}", where=str(directory), remedy=f"known are: {kinds}")
    return tasks[kind]


def tasks() -> list[str]:
    """The tasks that models are for."""
    return list(dict.fromkeys(name.partition(".")[0] for name in entry_points_of(KINDS)))


def kinds_of(task: str) -> dict[str, EntryPoint]:
    """The kinds of checkpoint of models for a task, each with the function that makes the model of one."""
    entries = (entry_points_of(ALSO) | entry_points_of(KINDS)).items()
    return {name.partition(".")[2]: entry for name, entry in entries if name.partition(".")[0] == task}


def _check_task(directory: Path, task: str, name_or_directory: str | Path) -> None:
    kind, kinds = read_kind(directory), ", ".join(kinds_of(task))
    if kind not in kinds_of(task):
        message = f"a model for the task {task_of(kind, directory)!r}, not {task!r}"
        raise ModelError(message, where=str(name_or_directory), remedy=f"name a checkpoint of one of the kinds {kinds}")


@cache
def _load_named(name: str, device: str) -> tuple[str, Any]:
    return _load_directory(shipped_models()[name], device)


def _load_directory(directory: Path, device: str) -> tuple[str, Any]:
    checkpoint = load_checkpoint(directory)
    task = task_of(checkpoint.kind, directory)
    model = loaded(kinds_of(task)[checkpoint.kind], "kind of model")(checkpoint)
    if device == CPU or not hasattr(model, "to"):
        return task, model
    return task, model.to(device)
