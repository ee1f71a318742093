"""The tasks of `kgscripts evaluate`: what each declares, and how they are found.

A module with tasks is an entry point of the group ``kgscripts.evaluations``; all tasks that it defines are commands, in
their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import typer
from attrs import evolve, field, frozen

from kgscripts.evaluation.result import Evaluation
from kgscripts.score_files import scores_of_package
from schemas.plugins import entry_points_of, loaded
from schemas.provenance import Exposure

GROUP = "kgscripts.evaluations"
Measure = Callable[..., list[Evaluation]]
_Measure = TypeVar("_Measure", bound=Measure)

Report = Callable[..., None]
"""Shows how far a task is, with the arguments of rich's `Progress.update`: `description`, `total`, `advance`, …"""


def quiet(**_: object) -> None:
    """The `Report` that shows nothing."""


def named(**options: object) -> Iterator[str | Path]:
    """All texts and paths among the options of a task."""
    for value in options.values():
        for item in value if isinstance(value, list | tuple) else [value]:
            if item and isinstance(item, str | Path):
                yield item


def of_package(name: str) -> Callable[..., Path]:
    """The place of the scores of an extractor or enricher that ships."""
    return lambda *_, **__: scores_of_package(name)


def of_checkpoint(task: str = "") -> Callable[..., Path]:
    """The place of the scores of a model for a task: its checkpoint."""

    def place(source: str, **_: object) -> Path:
        from kgscripts.models.registry import find_checkpoint

        if not source:
            raise typer.BadParameter("needs --model", param_hint="--attach-as")
        return find_checkpoint(source, task)

    return place


@frozen
class Benchmark:
    """What `kgscripts evaluate all` runs of a task, on models that ship.

    `needs` are files and folders below the folder of corpora, by the option that names them; with these and the other
    `options` the task, or `run`, is called.
    """

    name: str
    needs: Mapping[str, str] = field(factory=dict)
    options: Mapping[str, Any] = field(factory=dict)
    run: Measure | None = None
    exposure: Exposure | None = None

    def is_there(self, data: Path) -> bool:
        """Whether its data is there."""
        return all((data / path).exists() for path in self.needs.values())

    def evaluations(self, task: EvaluationTask, data: Path) -> list[Evaluation]:
        """What comes out on the corpora in a folder."""
        paths = {option: data / path for option, path in self.needs.items()}
        evaluations = (self.run or task.measure)(**paths, **self.options)
        return [evolve(each, exposure=self.exposure or each.exposure) for each in evaluations]

    def key(self, data: Path) -> str:
        """SHA-256 of all that decides the result: its data, the models and the version of kgscripts."""
        from kgscripts.models.registry import shipped_models

        digest = hashlib.sha256(f"{self.name} {metadata.version('kgscripts')}".encode())
        files = (path for need in self.needs.values() for path in sorted([data / need, *(data / need).rglob("*")]))
        models = (path for folder in shipped_models().values() for path in sorted(folder.glob("*.safetensors")))
        for path in (*files, *models):
            if path.is_file():
                digest.update(path.name.encode())
                with path.open("rb") as file:
                    digest.update(hashlib.file_digest(file, "sha256").digest())
        return digest.hexdigest()


@frozen(kw_only=True)
class EvaluationTask:
    """A command of `kgscripts evaluate`, and what `evaluate all` runs of it."""

    name: str
    measure: Measure
    """Its docstring is the help, and its parameters that Typer's `Option` or `Argument` annotates are the options.
    Others are for callers in Python; `report` is a `Report`."""
    example: str
    """The options of the example in its help."""
    inputs: Callable[..., Iterable[str | Path]] = named
    """The files and folders that the options name."""
    place: Callable[..., Path | None] | None = None
    """By the source of a system, and the options, the checkpoint or file that keeps its scores; None for a task that
    keeps none. Before measuring it is called with the `model`, or "", and refuses what cannot be kept."""
    show: Callable[..., None] | None = None
    """Prints evaluations, by the options, in another way than `print_evaluations`."""
    benchmarks: tuple[Benchmark, ...] = field(default=(), converter=tuple[Benchmark, ...])


def evaluation_task(example: str, *, name: str = "", **declared: Any) -> Callable[[_Measure], _Measure]:
    """Declare the task of a function, whose name it has unless it is given another; see `EvaluationTask`."""

    def declare(measure: _Measure) -> _Measure:
        called = name or measure.__name__.replace("_", "-")
        measure.task = EvaluationTask(name=called, measure=measure, example=example, **declared)  # type: ignore[attr-defined]
        return measure

    return declare


def evaluation_tasks() -> dict[str, EvaluationTask]:
    """All tasks by name. Raises ModelError if a module of one cannot be imported."""
    modules = [loaded(entry, "module of evaluations") for entry in entry_points_of(GROUP).values()]
    candidates = (getattr(value, "task", None) for module in modules for value in vars(module).values())
    return {task.name: task for task in candidates if isinstance(task, EvaluationTask)}
