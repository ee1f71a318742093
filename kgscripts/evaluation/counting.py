"""Precision, recall and F1 of found items against gold items."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.provenance import BenchmarkScore, Exposure


@dataclass
class Matches:
    """Running counts; `right` is the number of `found` items that are `gold` too."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def add(self, found: set[object], gold: set[object]) -> None:
        """Add one document."""
        self.right += len(found & gold)
        self.found += len(found)
        self.gold += len(gold)

    @property
    def precision(self) -> float:
        """In percent; 0 if nothing was found."""
        return 100 * self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """In percent; 0 if there are no gold items."""
        return 100 * self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        return 200 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0


def percent(dataset: str, split: str, metric: str, value: float, *, exposure: Exposure) -> BenchmarkScore:
    """A score in percent, rounded to two decimals."""
    return BenchmarkScore(
        dataset=dataset, split=split, metric=metric, value=round(value, 2), unit="percent", exposure=exposure
    )
