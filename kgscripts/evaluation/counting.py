"""Precision, recall and F1 over sets of found and gold things."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.provenance import BenchmarkScore


@dataclass
class Matches:
    """Running counts; `right` of what was `found` are among the `gold` ones."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def add(self, found: set[object], gold: set[object]) -> None:
        """Count one document."""
        self.right += len(found & gold)
        self.found += len(found)
        self.gold += len(gold)

    @property
    def precision(self) -> float:
        """In percent; 0 where nothing was found."""
        return 100 * self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """In percent; 0 where there is nothing to find."""
        return 100 * self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        return 200 * self.right / (self.found + self.gold) if self.found + self.gold else 0.0


def percent(dataset: str, split: str, metric: str, value: float) -> BenchmarkScore:
    """A score in percent, rounded to two decimals."""
    return BenchmarkScore(dataset=dataset, split=split, metric=metric, value=round(value, 2), unit="percent")
