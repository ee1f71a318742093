"""The figures of an evaluation, by metric."""

from __future__ import annotations

from kgscripts.evaluation.result import Evaluation


def values(evaluation: Evaluation) -> dict[str, float]:
    """What the first system reached on all of the data."""
    return {figure.metric: figure.value for figure in evaluation.systems[0].figures if not figure.part}
