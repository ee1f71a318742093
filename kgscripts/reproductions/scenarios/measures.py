"""Measures of detected scenarios (Wanzare, Roth and Pinkal 2019, section 5), and the published figures.

They are of the labels of sentences, of boundaries, and of confusions.

P_k and WindowDiff are written here since segeval is no longer maintained (2.0.11 is of 2013) and fails for windows of
more than 256 sentences, and nltk is an optional requirement. Tests compare them with nltk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from statistics import fmean

from attrs import define, frozen

from kgscripts.evaluation.counting import Score
from kgscripts.evaluation.result import Figure, shares
from kgscripts.reproductions.published import published_systems
from schemas.provenance import Direction
from schemas.scenario_documents import NONE


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
        # Not floats, so that three thirds are one label.
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


@frozen(kw_only=True)
class BoundaryScores:
    """The scores of boundaries.

    `pk` and `window_diff` are probabilities of an error, lower is better: means over the documents of at least two
    sentences, None if there is no such document. `score` is micro-averaged over boundaries.
    """

    pk: float | None
    window_diff: float | None
    score: Score
    gold: int
    predicted: int


def boundaries_of(labels: Sequence[object]) -> tuple[bool, ...]:
    """Whether there is a boundary after each item but the last: its successor has another label."""
    return tuple(one != other for one, other in pairwise(labels))


def window_size(gold: Sequence[bool]) -> int:
    """Half the mean length of the gold segments, rounded half to even, at least 2, at most the last sentence's index.

    `gold` is true for each sentence, except the last, that a boundary follows.
    """
    return min(max(2, round((len(gold) + 1) / (sum(gold) + 1) / 2)), len(gold))


def window_errors(gold: Sequence[bool], predicted: Sequence[bool]) -> tuple[float, float]:
    """P_k (Beeferman, Berger and Lafferty 1999) and WindowDiff (Pevzner and Hearst 2002) of one document.

    Each pair of sentences at the distance `window_size` is compared: P_k is the share of the pairs that only one
    segmentation separates, WindowDiff the share of those between which the numbers of boundaries differ.

    Parameters
    ----------
    gold, predicted:
        Whether a boundary follows each sentence but the last, at least one.
    """
    size = window_size(gold)
    counts = []
    for boundaries in (gold, predicted):
        before = list(accumulate(boundaries, initial=0))
        counts.append([after - first for first, after in zip(before, before[size:], strict=False)])
    pairs = list(zip(*counts, strict=True))
    return (
        fmean((one == 0) != (other == 0) for one, other in pairs),
        fmean(one != other for one, other in pairs),
    )


def score_boundaries(documents: Sequence[tuple[Sequence[bool], Sequence[bool]]]) -> BoundaryScores:
    """The scores of documents, each as its gold and predicted boundaries (see `window_errors`)."""
    errors = [window_errors(gold, predicted) for gold, predicted in documents if gold]
    right = sum(one and other for gold, predicted in documents for one, other in zip(gold, predicted, strict=True))
    expected = sum(sum(gold) for gold, _ in documents)
    detected = sum(sum(predicted) for _, predicted in documents)
    # Without any boundary there was none to be found.
    score = Score(right / (detected or 1), right / (expected or 1), 2 * right / ((detected + expected) or 1))
    return BoundaryScores(
        pk=fmean(pk for pk, _ in errors) if errors else None,
        window_diff=fmean(difference for _, difference in errors) if errors else None,
        score=score if expected or detected else Score(1.0, 1.0, 1.0),
        gold=expected,
        predicted=detected,
    )


def count_confusions(outcomes: Iterable[Outcome]) -> Counter[tuple[str, str]]:
    """The numbers of sentences in which one label, the first, was missed and another one predicted."""
    return Counter((gold, wrong) for outcome in outcomes for gold in outcome.missed for wrong in outcome.wrong)


LABELLED = "labelled sentences only"


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


PUBLISHED = published_systems("scenarios")
"""Table 6 (486 blog stories), and the boundaries of merged stories."""
