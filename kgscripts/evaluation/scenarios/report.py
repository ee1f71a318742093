"""The scores of scenario detection, and their output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, frozen

from kgscripts.evaluation.scenarios.boundaries import BoundaryScores
from kgscripts.evaluation.scenarios.confusions import Confusions, Correlations
from kgscripts.evaluation.scenarios.counts import LabelScore, Score
from schemas.provenance import BenchmarkScore, Direction, Exposure

TOP_PAIRS = (10, 100)
"""The numbers of confused pairs whose share in all confusions the paper gives (section 5.3)."""
_PARTS = ("p", "r", "f1")


@frozen(kw_only=True)
class GoldBoundaryScores:
    """The labels that a model gives to the gold segments."""

    score: Score
    """Of sentences, None a label."""
    in_first: Mapping[int, float]
    """The share of the gold segments with a scenario of which one is among the first 1, 5 predicted scenarios."""


@frozen(kw_only=True)
class ScenarioReport:
    """The scores of detected scenarios, from 0 to 1."""

    documents: int
    sentences: int
    none_share: float
    """The share of the sentences without a gold scenario."""
    micro: Score
    """Of sentences, None a label (section 5.1)."""
    macro: Score
    """The means over the gold labels, None among them."""
    scenarios_only: Score
    """Micro, of the counts of scenarios: None is no label, neither right nor missed nor wrong."""
    labelled_sentences: Score
    """Micro, on sentences with a gold scenario only: *TT_tf.idf (Gold)* of Table 6."""
    gold_boundaries: GoldBoundaryScores | None
    """None if the labels on gold boundaries are not known."""
    boundaries: BoundaryScores
    """Of the predicted segments."""
    joined: BoundaryScores
    """Of the predicted segments after neighbours with the same first label were joined."""
    labels: Mapping[str, LabelScore]
    confusions: Confusions
    correlations: Correlations
    unknown_labels: tuple[str, ...]
    """Predicted labels that are neither listed scenarios nor gold labels."""

    def as_json(self) -> dict[str, Any]:
        """As JSON: shares rounded to four decimals, PMI in bits."""
        confusions, on_gold = self.confusions, self.gold_boundaries
        boundaries = _boundaries_json(self.boundaries)
        content = {
            **{f"micro_{key}": value for key, value in _score_json(self.micro).items()},
            **{f"macro_{key}": value for key, value in _score_json(self.macro).items()},
            "pk": boundaries.pop("pk"),
            "window_diff": boundaries.pop("window_diff"),
            "scenarios_only": _score_json(self.scenarios_only),
            "labelled_sentences": _score_json(self.labelled_sentences),
            "labels_on_gold_boundaries": on_gold
            and {
                **_score_json(on_gold.score),
                **{f"in_first_{rank}": share for rank, share in on_gold.in_first.items()},
            },
            "boundaries": boundaries,
            "joined_boundaries": _boundaries_json(self.joined),
            "scenarios": {
                name: {"sentences": label.sentences, **_score_json(label.score)} for name, label in self.labels.items()
            },
            "confusions": [asdict(pair) for pair in confusions.pairs[: TOP_PAIRS[-1]]],
            "confusions_share": {f"first_{first}": confusions.share(first) for first in TOP_PAIRS},
            "scenario_as_none": confusions.scenario_as_none,
            "none_as_scenario": confusions.none_as_scenario,
            "correlations": asdict(self.correlations),
            "unknown_labels": list(self.unknown_labels),
            "documents": self.documents,
            "sentences": self.sentences,
            "none_share": self.none_share,
        }
        rounded: dict[str, Any] = _rounded(content)
        return rounded

    def benchmark_scores(self, dataset: str, split: str, exposure: Exposure) -> tuple[BenchmarkScore, ...]:
        """The scores for the card of a model."""
        higher = [
            (f"micro {part}", value) for part, value in zip(("precision", "recall", "F1"), self.micro, strict=True)
        ]
        higher.append(("macro F1", self.macro.f1))
        lower = [("P_k", self.boundaries.pk), ("WindowDiff", self.boundaries.window_diff)]
        return tuple(
            BenchmarkScore(
                dataset=dataset,
                split=split,
                metric=name,
                value=value,
                unit="share",
                exposure=exposure,
                direction=direction,
            )
            for rows, direction in ((higher, Direction.HIGHER), (lower, Direction.LOWER))
            for name, value in rows
            if value is not None
        )


def _score_json(score: Score) -> dict[str, float]:
    return dict(zip(_PARTS, score, strict=True))


def _boundaries_json(scores: BoundaryScores) -> dict[str, Any]:
    return {
        "pk": scores.pk,
        "window_diff": scores.window_diff,
        **_score_json(scores.score),
        "gold": scores.gold,
        "predicted": scores.predicted,
    }


def _rounded(value: Any) -> Any:
    """The numbers in JSON values rounded to four decimals."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 4) if isinstance(value, float) else value
