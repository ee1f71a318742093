"""The figures of scenario detection, and those that Wanzare, Roth and Pinkal (2019) published."""

from __future__ import annotations

from collections.abc import Mapping

from kgscripts.evaluation.result import Figure, Role, System, shares
from schemas.provenance import Direction, Unit

LABELLED = "labelled sentences only"
CONFUSIONS = "confusions of two scenarios"
TOP_PAIRS = (10, 100)
"""The numbers of confused pairs whose share in all confusions the paper gives (section 5.3)."""


def micro(values: tuple[float, float, float], part: str = "") -> tuple[Figure, ...]:
    """Precision, recall and F1 of the labels of sentences."""
    return shares(dict(zip(("micro precision", "micro recall", "micro F1"), values, strict=True)), part)


def boundary_errors(pk: float | None, window_diff: float | None, part: str = "") -> tuple[Figure, ...]:
    """P_k and WindowDiff, without those that are None."""
    values = {"P_k": pk, "WindowDiff": window_diff}
    return tuple(
        Figure(metric=metric, value=value, direction=Direction.LOWER, part=part)
        for metric, value in values.items()
        if value is not None
    )


def correlations(values: Mapping[str, float]) -> tuple[Figure, ...]:
    """Figures that are Pearson correlations, by metric."""
    return tuple(Figure(metric=metric, value=value, unit=Unit.CORRELATION) for metric, value in values.items())


def confusion_shares(values: tuple[float, ...]) -> tuple[Figure, ...]:
    """The shares of the most frequent pairs (`TOP_PAIRS`) in all confusions of two scenarios."""
    return tuple(
        Figure(metric=CONFUSIONS, value=value, part=f"{first} most frequent pairs")
        for first, value in zip(TOP_PAIRS, values, strict=True)
    )


PUBLISHED = (
    System(
        name="TopicTiling",
        setting="tf.idf",
        role=Role.PUBLISHED,
        figures=(
            *micro((0.36, 0.54, 0.43)),
            *correlations(
                {
                    "recall with PMI": -0.33,
                    "F1 with PMI": -0.17,
                    "precision with sentences": 0.50,
                    "F1 with sentences": 0.20,
                }
            ),
            *micro((0.54, 0.54, 0.54), LABELLED),
            *confusion_shares((0.16, 0.63)),
        ),
        remark="table 6 and section 5.3. Its precision cannot come from the paper's definition with None as a label: "
        'compare table 6 with the part "scenarios only".',
    ),
    System(name="TopicTiling", setting="merged stories", role=Role.PUBLISHED, figures=boundary_errors(0.28, 0.28)),
    System(name="random segments", setting="tf.idf", role=Role.PUBLISHED, figures=micro((0.32, 0.45, 0.37))),
    System(name="each sentence", setting="tf.idf", role=Role.PUBLISHED, figures=micro((0.24, 0.28, 0.26))),
    System(name="majority", role=Role.PUBLISHED, figures=micro((0.08, 0.05, 0.06))),
)
"""Table 6 (486 blog stories), section 5.3, and the boundaries of merged stories."""
