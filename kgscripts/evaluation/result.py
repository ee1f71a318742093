"""The result of an evaluation: which systems were measured on which data, and what came out.

Every command of `kgscripts evaluate` gives `Evaluation`s, prints them with `kgscripts.commands.evaluation_output` and
writes them as the same JSON (`kgscripts evaluate schema`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib import metadata
from typing import Any

import attrs
import cattrs
from attrs import evolve, field, frozen, validators

from schemas.json_schema import json_schema
from schemas.provenance import BenchmarkScore, Direction, Exposure, Unit
from schemas.results import Table


class Role(StrEnum):
    """What a system is measured for: itself, to compare it with, or by its authors in a publication."""

    MODEL = "model"
    BASELINE = "baseline"
    PUBLISHED = "published"


@frozen(kw_only=True)
class Figure:
    """One number. `part` names the part of the data that it was measured on, or the stricter measure; "" is all."""

    metric: str = field(validator=validators.min_len(1))
    value: float = field(converter=float)
    unit: Unit = Unit.SHARE
    direction: Direction = Direction.HIGHER
    part: str = ""


def shares(values: Mapping[str, float], part: str = "") -> tuple[Figure, ...]:
    """Figures that are shares, from 0 to 1, by metric."""
    return tuple(Figure(metric=metric, value=value, part=part) for metric, value in values.items())


def counts(values: Mapping[str, int], part: str = "") -> tuple[Figure, ...]:
    """Figures that are counts, by metric."""
    return tuple(Figure(metric=metric, value=value, unit=Unit.COUNT, part=part) for metric, value in values.items())


@frozen(kw_only=True)
class System:
    """What was measured, and its figures.

    `setting` says how, where a system can be measured in several ways ("context left"); `source` is the name or the
    directory by which the system was asked for, "" for one that is no model.
    """

    name: str
    role: Role = Role.MODEL
    figures: tuple[Figure, ...] = field(converter=tuple[Figure, ...])
    setting: str = ""
    source: str = ""
    remark: str = ""

    def __getitem__(self, metric: str) -> float:
        """The value of a metric on all of the data. Raises KeyError if it was not measured."""
        return self.value(metric)

    def value(self, metric: str, part: str = "") -> float:
        """The value of a metric on a part of the data. Raises KeyError if it was not measured."""
        for figure in self.figures:
            if (figure.metric, figure.part) == (metric, part):
                return figure.value
        raise KeyError(metric if not part else f"{metric}, {part}")

    def get(self, metric: str, part: str = "") -> float | None:
        """The value of a metric on a part of the data; None if it was not measured."""
        try:
            return self.value(metric, part)
        except KeyError:
            return None

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the data that have figures of their own, each once, in their order."""
        return tuple(dict.fromkeys(figure.part for figure in self.figures if figure.part))


def compared(figures: Mapping[str, Iterable[Figure]], own: str, source: str = "") -> tuple[System, ...]:
    """The systems of figures by name: `own` is the model, asked for by `source`, and the others are baselines."""
    return tuple(
        System(name=name, figures=each, source=source)
        if name == own
        else System(name=name, figures=each, role=Role.BASELINE)
        for name, each in figures.items()
    )


@frozen(kw_only=True)
class Example:
    """One item of the data: what it is, what is right, and what a system answered."""

    system: str
    where: str
    text: str
    gold: tuple[str, ...] = field(converter=tuple[str, ...])
    found: tuple[str, ...] = field(converter=tuple[str, ...])


@frozen(kw_only=True)
class Evaluation:
    """The figures of one or several systems on one split of one dataset.

    `exposure` is that of the first system to the data, None where it is not known: whoever attaches the scores says it.
    `items` says how much was measured ({"pairs": 1007}), `tables` have details that are no figures, `notes` what a
    reader has to know. The first metric of the first system is the one that stands for all in a summary.
    """

    task: str = field(validator=validators.min_len(1))
    dataset: str = field(validator=validators.min_len(1))
    split: str = field(validator=validators.min_len(1))
    exposure: Exposure | None = None
    items: Mapping[str, int] = field(factory=dict)
    systems: tuple[System, ...] = field(converter=tuple[System, ...])
    tables: Mapping[str, Table] = field(factory=dict)
    notes: tuple[str, ...] = field(default=(), converter=tuple[str, ...])
    examples: tuple[Example, ...] = field(default=(), converter=tuple[Example, ...])

    @property
    def models(self) -> tuple[System, ...]:
        """The systems that were measured for themselves."""
        return tuple(system for system in self.systems if system.role is Role.MODEL)

    def system(self, name: str) -> System:
        """The first system with this name. Raises KeyError if there is none."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(name)

    def benchmark_scores(self, system: System, exposure: Exposure) -> tuple[BenchmarkScore, ...]:
        """The figures of a system on all of the data, as scores of a model; counts and correlations are none."""
        return tuple(
            BenchmarkScore(
                dataset=self.dataset,
                split=self.split,
                metric=f"{figure.metric}, {system.setting}" if system.setting else figure.metric,
                value=figure.value,
                unit=figure.unit,
                exposure=exposure,
                direction=figure.direction,
            )
            for figure in system.figures
            if not figure.part and figure.unit not in (Unit.COUNT, Unit.CORRELATION)
        )

    def with_examples(self, count: int) -> Evaluation:
        """The same with at most `count` examples of each system, evenly spread."""
        chosen: list[Example] = []
        for name in dict.fromkeys(example.system for example in self.examples):
            own = [example for example in self.examples if example.system == name]
            kept = min(count, len(own))
            chosen += [own[number * len(own) // kept] for number in range(kept)]
        return evolve(self, examples=chosen)


@frozen(kw_only=True)
class Evaluations:
    """What every command of `kgscripts evaluate` writes: the version of kgscripts, and the evaluations."""

    kgscripts: str
    evaluations: tuple[Evaluation, ...]


_CONVERTER = cattrs.Converter()
_CONVERTER.register_structure_hook(
    Table, lambda value, _: Table(columns=value["columns"], rows=map(tuple, value["rows"]))
)


def as_json(evaluations: Iterable[Evaluation]) -> dict[str, Any]:
    """Evaluations as JSON values, as `kgscripts evaluate schema` describes them; numbers have four decimals."""
    return {
        "kgscripts": metadata.version("kgscripts"),
        "evaluations": [_unstructured(evaluation) for evaluation in evaluations],
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of what `as_json` gives."""
    table = {
        "type": "object",
        "description": "Details that are no figures.",
        "properties": {"columns": {"type": "array", "items": {"type": "string"}}, "rows": {"type": "array"}},
        "required": ["columns", "rows"],
        "additionalProperties": False,
    }
    return {**json_schema(Evaluations, {Table: table}), "title": "Evaluations of kgscripts"}


def _unstructured(evaluation: Evaluation) -> dict[str, Any]:
    content: dict[str, Any] = attrs.asdict(evaluation, value_serializer=lambda _, __, value: _json_value(value))
    return {**content, "tables": {name: table.as_json() for name, table in evaluation.tables.items()}}


def _json_value(value: Any) -> Any:
    if isinstance(value, StrEnum):
        return value.value
    return round(value, 4) if isinstance(value, float) else value


def from_json(content: Mapping[str, Any]) -> list[Evaluation]:
    """The evaluations that `as_json` gave. Raises what cattrs raises for other content."""
    return _CONVERTER.structure(content["evaluations"], list[Evaluation])
