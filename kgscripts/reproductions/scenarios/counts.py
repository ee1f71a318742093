"""Precision, recall and F1 of the scenarios of sentences (Wanzare, Roth and Pinkal 2019, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from statistics import fmean
from typing import NamedTuple

from attrs import define, frozen

from schemas.scenario_documents import NONE


class Score(NamedTuple):
    """Precision, recall and F1, from 0 to 1."""

    precision: float
    recall: float
    f1: float


@frozen
class Outcome:
    """Which labels of one sentence were predicted, which were missed, and which predicted labels are wrong."""

    right: tuple[str, ...]
    missed: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def is_labelled(self) -> bool:
        """Whether the sentence has a gold scenario."""
        return NONE not in self.right + self.missed


@define
class Counts:
    """Sums of true positives, false negatives and false positives; the order of additions does not matter."""

    true_positives: Fraction = Fraction(0)
    false_negatives: Fraction = Fraction(0)
    false_positives: int = 0

    def score(self) -> Score:
        """Precision, recall and F1; 0 where nothing was predicted, or nothing is gold."""
        precision = _share(self.true_positives, self.true_positives + self.false_positives)
        recall = _share(self.true_positives, self.true_positives + self.false_negatives)
        f1 = _share(2 * precision * recall, precision + recall)
        return Score(float(precision), float(recall), float(f1))


@frozen(kw_only=True)
class LabelScore:
    """The score of one label; `sentences` have it as a gold label."""

    sentences: int
    score: Score


def compare(gold: Sequence[str], ranking: Sequence[str]) -> Outcome:
    """Compare the gold labels of a sentence with the first labels of a ranking, as section 5.1 defines it.

    A sentence without a gold label has the label None, and so has one without a prediction. The first `n` labels of the
    ranking are considered, where `n` is the number of gold labels of the sentence (all, if there are fewer). Each gold
    label among them is `1/n` true positive, each other gold label `1/n` false negative, and each predicted label that
    is not gold one false positive, whatever `n` is.

    The example of the paper: gold are *washing ones hair* and *taking a bath*, the first two predicted labels are
    *taking a bath* and *getting ready for bed*. That is 0.5 true positive (*taking a bath*), 0.5 false negative
    (*washing ones hair*) and 1 false positive (*getting ready for bed*): precision 1/3, recall 1/2.

    Neither sequence has a label twice.
    """
    expected = tuple(gold) or (NONE,)
    predicted = (tuple(ranking) or (NONE,))[: len(expected)]
    return Outcome(
        right=tuple(label for label in expected if label in predicted),
        missed=tuple(label for label in expected if label not in predicted),
        wrong=tuple(label for label in predicted if label not in expected),
    )


def count_labels(outcomes: Iterable[Outcome]) -> dict[str, Counts]:
    """The counts of each label that is gold or predicted, sorted by label."""
    counts: dict[str, Counts] = {}
    for outcome in outcomes:
        part = Fraction(1, len(outcome.right) + len(outcome.missed))
        for label in outcome.right:
            counts.setdefault(label, Counts()).true_positives += part
        for label in outcome.missed:
            counts.setdefault(label, Counts()).false_negatives += part
        for label in outcome.wrong:
            counts.setdefault(label, Counts()).false_positives += 1
    return dict(sorted(counts.items()))


def micro_score(counts: Iterable[Counts]) -> Score:
    """The score of the summed counts."""
    total = Counts()
    for one in counts:
        total.true_positives += one.true_positives
        total.false_negatives += one.false_negatives
        total.false_positives += one.false_positives
    return total.score()


def label_scores(outcomes: Sequence[Outcome]) -> dict[str, LabelScore]:
    """The score of each gold label, None among them, with its number of sentences (Table 8); sorted by label."""
    sentences: dict[str, int] = {}
    for outcome in outcomes:
        for label in outcome.right + outcome.missed:
            sentences[label] = sentences.get(label, 0) + 1
    return {
        label: LabelScore(sentences=sentences[label], score=counts.score())
        for label, counts in count_labels(outcomes).items()
        if label in sentences
    }


def macro_score(scores: Iterable[LabelScore]) -> Score:
    """The means of precision, recall and F1 over labels, each with the same weight."""
    return Score(*map(fmean, zip(*(label.score for label in scores), strict=True)))


def _share(part: Fraction, whole: Fraction) -> Fraction:
    return part / whole if whole else Fraction(0)
