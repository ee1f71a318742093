"""The models behind statements with their benchmark scores, and measurements of a graph by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from attrs import asdict, field, frozen, validators

from schemas.errors import RecordError
from schemas.graph_directory import MEASUREMENTS, read_file
from schemas.output_files import write_lines


class Direction(StrEnum):
    """Whether a larger value of a metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


class Unit(StrEnum):
    """What a figure counts. Shares are from 0 to 1; only what is printed for people has percent."""

    SHARE = "share"
    NATS = "nats"
    WORDS = "words"
    WORDS_PER_SECOND = "words/s"
    COUNT = "count"
    CORRELATION = "correlation"


class Exposure(StrEnum):
    """Whether data took part in the development of the model that is measured on it.

    `DEVELOPMENT`: rules were written, settings chosen or a checkpoint selected in view of its items or of scores on it.
    `UNSEEN`: all choices were made on other data. `UNKNOWN`: so they were, but the model goes back to weights that were
    pretrained on texts that nobody has listed, which may hold its items.
    """

    UNSEEN = "unseen"
    UNKNOWN = "unknown"
    DEVELOPMENT = "development"


def _rounded(value: float) -> float:
    return round(float(value), 4)


def _in_shares(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with a share in place of percent."""
    values = dict(row)
    is_percent = values.get("unit") == "percent" and "value" in values
    return values | {"value": values["value"] / 100, "unit": Unit.SHARE} if is_percent else values


@frozen(kw_only=True)
class BenchmarkScore:
    """One score of one model on data that it was not trained on; `exposure` has no default, so that each is decided.

    `value` is rounded to four decimals, so that noise below that changes no bytes.
    """

    dataset: str = field(validator=validators.min_len(1))
    split: str = field(validator=validators.min_len(1))
    metric: str = field(validator=validators.min_len(1))
    value: float = field(converter=_rounded)
    unit: Unit = field(converter=Unit)
    exposure: Exposure = field(converter=Exposure)
    direction: Direction = field(default=Direction.HIGHER, converter=Direction)

    @value.validator
    def _finite(self, _: object, value: float) -> None:
        if value != value or value in (float("inf"), float("-inf")):
            raise RecordError(
                f"the score of {self.metric} on {self.dataset} is {value}", remedy="scores are finite numbers"
            )

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> tuple[Self, ...]:
        """The scores in JSON rows, also those that older versions of kgscripts wrote.

        Percent, as written until 0.2.0, become shares. Scores of 0.1.0, which lack the exposure, are left out: measure
        them again.

        Raises
        ------
        RecordError, TypeError, ValueError
            If a row is no score.
        """
        scores = [(cls(**{"exposure": Exposure.DEVELOPMENT, **_in_shares(row)}), "exposure" in row) for row in rows]
        return tuple(score for score, is_decided in scores if is_decided)


@frozen(kw_only=True)
class Model:
    """A reader of text: a trained model or a set of rules, identified by its digest.

    `digest` is a SHA-256 of everything that determines the output (weights, configuration, version).
    """

    name: str = field(validator=validators.min_len(1))
    version: str = field(validator=validators.min_len(1))
    digest: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"))
    task: str = field(validator=validators.min_len(1))
    licence: str = ""
    language: str = ""
    """The language of the texts that it reads (BCP 47), for a parser."""
    scores: tuple[BenchmarkScore, ...] = field(default=(), converter=tuple[BenchmarkScore, ...])


@frozen(kw_only=True)
class Measurement:
    """A number about a graph."""

    metric: str
    value: float
    unit: Unit = field(converter=Unit)
    direction: Direction = field(converter=Direction)


def write_measurements(directory: Path, build_id: str, measurements: Iterable[Measurement]) -> None:
    """Keep measurements of a build in its graph directory, in place of older ones.

    Raises ConfigurationError if they cannot be written.
    """
    content = {"build": build_id, "measurements": [asdict(item) for item in measurements]}
    write_lines(directory / MEASUREMENTS, [json.dumps(content, indent=1, ensure_ascii=False)])


def read_measurements(directory: Path, build_id: str) -> tuple[Measurement, ...]:
    """The measurements of a build; none if there are none, if they are of another build, or if the file is damaged."""
    try:
        content = json.loads(read_file(directory / MEASUREMENTS))
        if content["build"] != build_id:
            return ()
        return tuple(Measurement(**row | {"value": float(row["value"])}) for row in content["measurements"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def measurements_version(directory: Path, build_id: str) -> str:
    """What tells the measurements of a build from others of it; "" without any."""
    measurements = read_measurements(directory, build_id)
    return hashlib.sha256(repr(measurements).encode()).hexdigest()[:8] if measurements else ""
