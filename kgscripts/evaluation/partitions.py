"""Comparing two partitions of the same items: pairs, and B-cubed (Bagga and Baldwin 1998)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb

from attrs import frozen


@frozen
class PartitionScores:
    """Pairs of items in one part that are found, against those of gold; and B-cubed means over the items."""

    rule: str
    """By which the partition was found."""
    precision: float
    recall: float
    b_cubed_precision: float
    b_cubed_recall: float

    @property
    def f1(self) -> float:
        """Of the pairs."""
        return _harmonic(self.precision, self.recall)

    @property
    def b_cubed_f1(self) -> float:
        """Of the B-cubed means."""
        return _harmonic(self.b_cubed_precision, self.b_cubed_recall)


def score_partition(rule: str, gold: Sequence[object], found: Sequence[object]) -> PartitionScores:
    """Compare the gold part of each item with the one found. Without a pair on one side, its share is 1."""
    both, of_gold, of_found = Counter(zip(gold, found, strict=True)), Counter(gold), Counter(found)
    right = sum(comb(count, 2) for count in both.values())
    pairs_found, pairs_gold = (sum(comb(count, 2) for count in counts.values()) for counts in (of_found, of_gold))
    return PartitionScores(
        rule,
        right / pairs_found if pairs_found else 1.0,
        right / pairs_gold if pairs_gold else 1.0,
        sum(count * count / of_found[part] for (_, part), count in both.items()) / len(gold),
        sum(count * count / of_gold[part] for (part, _), count in both.items()) / len(gold),
    )


def _harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0
