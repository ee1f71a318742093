"""Precision, recall and F1 of found items against gold items, and of two partitions of items.

Partitions are compared by pairs, and by B-cubed (Bagga and Baldwin 1998).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

from kgscripts.evaluation.result import Evaluation, Example, System, shares
from schemas.errors import InputError
from schemas.provenance import Exposure

EXTRACTOR = "events"
"""The name of the built-in extractor, and of the file with its scores."""


@dataclass
class Matches:
    """Running counts; `right` is the number of `found` items that are `gold` too."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def add(self, predicted: Set[object], gold: Set[object]) -> None:
        """Add one document."""
        self.right += len(predicted & gold)
        self.found += len(predicted)
        self.gold += len(gold)

    @property
    def precision(self) -> float:
        """The share of the found items that are right; 0 if nothing was found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold items that were found; 0 if there are none."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0

    def scores(self, *metrics: str) -> dict[str, float]:
        """These of *precision*, *recall* and *F1*, in their order; by default all."""
        values = {"precision": self.precision, "recall": self.recall, "F1": self.f1}
        return {metric: values[metric] for metric in metrics or values}


def of_extractor(
    dataset: str,
    split: str,
    values: Mapping[str, float],
    *,
    exposure: Exposure,
    items: Mapping[str, int],
    examples: Iterable[Example] = (),
) -> Evaluation:
    """The evaluation of the built-in extractor of events: shares, by metric."""
    own = System(name=EXTRACTOR, source=EXTRACTOR, figures=shares(values))
    return Evaluation(
        task="extraction",
        dataset=dataset,
        split=split,
        exposure=exposure,
        items=items,
        systems=[own],
        examples=examples,
    )


def names_agree(one: str, other: str) -> bool:
    """Whether one name ends with the other, by words: "plastic bag" and "bag"."""
    return f" {one}".endswith(f" {other}") or f" {other}".endswith(f" {one}")


def example(text: str, gold: Iterable[str], answers: Iterable[str], *, where: str = "") -> Example:
    """An item of the data, with what the built-in extractor found in it."""
    return Example(system=EXTRACTOR, where=where, text=text, gold=gold, found=answers)


def pair_scores(gold: Sequence[object], predicted: Sequence[object]) -> dict[str, float]:
    """Precision, recall and F1 of the pairs of items in one part that are found, against those of gold.

    `gold` and `predicted` have the part of each item. Without a pair on one side, its share is 1.
    """
    right, of_found, of_gold = (
        sum(comb(count, 2) for count in Counter(parts).values())
        for parts in (zip(gold, predicted, strict=True), predicted, gold)
    )
    return _scores(right / of_found if of_found else 1.0, right / of_gold if of_gold else 1.0)


def b_cubed_scores(gold: Sequence[object], predicted: Sequence[object]) -> dict[str, float]:
    """B-cubed precision, recall and F1 of the parts of items: means over the items."""
    both, of_gold, of_found = Counter(zip(gold, predicted, strict=True)), Counter(gold), Counter(predicted)
    return _scores(
        sum(count * count / of_found[part] for (_, part), count in both.items()) / len(gold),
        sum(count * count / of_gold[part] for (part, _), count in both.items()) / len(gold),
    )


class Score(NamedTuple):
    """Precision, recall and F1, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def score_of(precision: float, recall: float) -> Score:
    """A score with its F1, the harmonic mean; 0 if both are."""
    total = precision + recall
    return Score(precision, recall, 2 * precision * recall / total if total else 0.0)


def _scores(precision: float, recall: float) -> dict[str, float]:
    return dict(zip(("precision", "recall", "F1"), score_of(precision, recall), strict=True))


def check_ids(gold: Sequence[str], predicted: Iterable[str]) -> None:
    """Raise InputError, which names ids, if those of gold answers and predictions differ, there are none, or a gold one
    occurs twice."""
    known, answered = Counter(gold), dict.fromkeys(predicted)
    if not known:
        raise InputError("there are no gold answers to evaluate on", remedy="give some")
    wrong = {
        "twice in the gold answers": [name for name, times in known.items() if times > 1],
        "missing": [name for name in known if name not in answered],
        "extra": [name for name in answered if name not in known],
    }
    if any(wrong.values()):
        parts = [f"{what}: {_first(names)}" for what, names in wrong.items() if names]
        raise InputError(
            f"the predictions are not those of the gold answers; {'; '.join(parts)}",
            remedy="give exactly one prediction for each id of the gold answers",
        )


def _first(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


def named(name: str, scores: Mapping[str, float]) -> dict[str, float]:
    """The scores by metrics that begin with a name: "tool precision"."""
    return {f"{name} {metric}": value for metric, value in scores.items()}
