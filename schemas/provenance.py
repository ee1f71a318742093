"""The models behind statements, and their benchmark scores."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from attrs import field, frozen, validators

from schemas.errors import RecordError


class Direction(StrEnum):
    """Whether a larger value of a metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


def _tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    """`tuple` itself, whose type mypy's attrs plugin does not see through."""
    return tuple(values)


def _rounded(value: float) -> float:
    return round(float(value), 4)


@frozen(kw_only=True)
class BenchmarkScore:
    """One score of one model on data that it was not trained on.

    `value` is in the unit that `unit` names (``percent``, ``share``, ``nats``, ``words``, ``words/s``)
    and is rounded to four decimals, so that noise below that changes no bytes.
    """

    dataset: str = field(validator=validators.min_len(1))
    split: str = field(validator=validators.min_len(1))
    metric: str = field(validator=validators.min_len(1))
    value: float = field(converter=_rounded)
    unit: str = field(validator=validators.in_(("percent", "share", "nats", "words", "words/s")))
    direction: Direction = field(default=Direction.HIGHER, converter=Direction)

    @value.validator
    def _finite(self, _: object, value: float) -> None:
        if value != value or value in (float("inf"), float("-inf")):
            raise RecordError(
                f"the score of {self.metric} on {self.dataset} is {value}", remedy="scores are finite numbers"
            )


@frozen(kw_only=True)
class Model:
    """What reads text: a trained model or a set of rules, identified by its digest.

    `digest` is a SHA-256 of everything that determines the output (weights, configuration, version).
    """

    name: str = field(validator=validators.min_len(1))
    version: str = field(validator=validators.min_len(1))
    digest: str = field(validator=validators.matches_re(r"[0-9a-f]{64}"))
    task: str = field(validator=validators.min_len(1))
    licence: str = ""
    scores: tuple[BenchmarkScore, ...] = field(default=(), converter=_tuple)
