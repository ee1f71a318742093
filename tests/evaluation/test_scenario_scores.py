"""The scores of scenarios of sentences and of boundaries, against direct readings of their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_window_diff

from kgscripts.reproductions.scenarios.measures import (
    Counts,
    boundaries_of,
    compare,
    count_confusions,
    count_labels,
    label_scores,
    macro_score,
    micro_score,
    score_boundaries,
    window_errors,
    window_size,
)
from schemas.scenario_documents import NONE

BATH, HAIR, BED = "taking a bath", "washing ones hair", "getting ready for bed"
LABELS = (BATH, HAIR, BED, "going to the gym")

Sentence = tuple[list[str], list[str]]
rankings = st.lists(st.sampled_from((*LABELS, NONE)), unique=True)
sentences = st.lists(st.tuples(st.lists(st.sampled_from(LABELS), unique=True, max_size=3), rankings), min_size=1)
segmentations = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


def _direct_counts(found: Sequence[Sentence]) -> tuple[Fraction, Fraction, int]:
    """True positives, false negatives and false positives, counted label by label as section 5.1 says."""
    right, missed, wrong = Fraction(0), Fraction(0), 0
    for gold, ranking in found:
        expected = gold if gold else [NONE]
        predicted = ranking if ranking else [NONE]
        top = predicted[0 : len(expected)]
        for label in expected:
            if top.count(label):
                right += Fraction(1, len(expected))
            else:
                missed += Fraction(1, len(expected))
        wrong += len([label for label in top if not expected.count(label)])
    return right, missed, wrong


def test_the_example_of_the_paper() -> None:
    outcome = compare([HAIR, BATH], [BATH, BED])
    counts = count_labels([outcome])
    assert counts == {
        BED: Counts(false_positives=1),
        BATH: Counts(true_positives=Fraction(1, 2)),
        HAIR: Counts(false_negatives=Fraction(1, 2)),
    }
    assert micro_score(counts.values()) == pytest.approx((1 / 3, 1 / 2, 2 / 5))


@pytest.mark.parametrize(
    ("gold", "ranking", "right", "missed", "wrong"),
    [
        ([], [], [NONE], [], []),
        ([], [NONE, BATH], [NONE], [], []),
        ([], [BATH, NONE], [], [NONE], [BATH]),
        ([BATH], [], [], [BATH], [NONE]),
        ([BATH], [BED, BATH], [], [BATH], [BED]),
        ([BATH, HAIR], [BATH], [BATH], [HAIR], []),
        ([BATH, HAIR], [NONE], [], [BATH, HAIR], [NONE]),
        ([BATH, HAIR], [HAIR, BATH, BED], [BATH, HAIR], [], []),
    ],
)
def test_as_many_labels_are_considered_as_are_gold(
    gold: list[str], ranking: list[str], right: list[str], missed: list[str], wrong: list[str]
) -> None:
    outcome = compare(gold, ranking)
    assert (outcome.right, outcome.missed, outcome.wrong) == (tuple(right), tuple(missed), tuple(wrong))
    assert outcome.is_labelled == bool(gold)


@given(sentences)
def test_micro_scores_are_those_of_the_definition(found: list[Sentence]) -> None:
    right, missed, wrong = _direct_counts(found)
    score = micro_score(count_labels(compare(*sentence) for sentence in found).values())
    assert right + missed == len(found)
    assert score.recall == pytest.approx(float(right / len(found)))
    assert score.precision == pytest.approx(float(right / (right + wrong)) if right + wrong else 0)
    both = score.precision + score.recall
    assert score.f1 == pytest.approx(2 * score.precision * score.recall / both if both else 0)


@given(sentences, st.randoms())
def test_the_order_of_sentences_does_not_matter(found: list[Sentence], random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = ([compare(*sentence) for sentence in order] for order in (found, shuffled))
    assert count_labels(one) == count_labels(other)
    assert label_scores(one) == label_scores(other)
    assert count_confusions(one) == count_confusions(other)


@given(sentences)
def test_perfect_predictions_score_one(found: list[Sentence]) -> None:
    outcomes = [compare(gold, gold) for gold, _ in found]
    assert micro_score(count_labels(outcomes).values()) == (1, 1, 1)
    assert macro_score(label_scores(outcomes).values()) == (1, 1, 1)
    assert not count_confusions(outcomes)


def test_labels_that_are_never_gold_have_no_score_of_their_own() -> None:
    outcomes = [compare([BATH], [BATH]), compare([BATH], [BED]), compare([BED, BATH], [BED, HAIR]), compare([], [BATH])]
    scores = label_scores(outcomes)
    assert {name: label.sentences for name, label in scores.items()} == {NONE: 1, BED: 1, BATH: 3}
    assert scores[BED].score == pytest.approx((1 / 3, 1, 1 / 2))
    assert scores[BATH].score == pytest.approx((1 / 2, 2 / 5, 4 / 9))
    assert macro_score(scores.values()).f1 == pytest.approx((1 / 2 + 4 / 9) / 3)


# Computed with segeval 2.0.11: masses of gold and predicted segments, P_k and WindowDiff.
@pytest.mark.parametrize(
    ("gold", "predicted", "pk", "window_diff"),
    [
        ((2, 3, 4), (3, 2, 4), 2 / 7, 2 / 7),
        ((9,), (3, 2, 4), 1, 1),
        ((5, 5, 5), (5, 10), 2 / 13, 2 / 13),
        ((3, 4, 6, 2), (1, 1, 1, 12), 5 / 13, 6 / 13),
        ((5, 8, 2, 7), (4, 9, 2, 7), 2 / 19, 2 / 19),
        ((6, 1, 13), (10, 10), 7 / 17, 7 / 17),
        ((2, 2, 2, 2, 2, 2), (12,), 1, 1),
    ],
)
def test_window_errors_are_those_of_segeval(
    gold: tuple[int, ...], predicted: tuple[int, ...], pk: float, window_diff: float
) -> None:
    numbered = [[number for number, mass in enumerate(masses) for _ in range(mass)] for masses in (gold, predicted)]
    assert window_errors(*map(boundaries_of, numbered)) == pytest.approx((pk, window_diff))


@given(segmentations)
def test_window_errors_are_those_of_nltk(pairs: list[tuple[bool, bool]]) -> None:
    gold, predicted = (list(side) for side in zip(*pairs, strict=True))
    size = window_size(gold)
    # nltk's windows hold boundaries, so that they end one place earlier than windows over sentences.
    assert window_errors(gold, predicted) == pytest.approx(
        (nltk_pk(gold, predicted, k=size, boundary=True), nltk_window_diff(gold, predicted, size, boundary=True))
    )


@given(segmentations)
def test_boundaries_found_exactly_are_no_error(pairs: list[tuple[bool, bool]]) -> None:
    gold = [one for one, _ in pairs]
    scores = score_boundaries([(gold, gold), ([], [])])
    assert (scores.pk, scores.window_diff, scores.score) == (0, 0, (1, 1, 1))


def test_boundaries_are_counted_over_documents_and_errors_averaged() -> None:
    one, other = ([True, False, False], [True, True, False]), ([True, True], [False, False])
    scores = score_boundaries([one, other])
    assert (scores.gold, scores.predicted) == (3, 2)
    assert scores.score == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    errors = [window_errors(*one), window_errors(*other)]
    assert (scores.pk, scores.window_diff) == pytest.approx(
        tuple(sum(values) / 2 for values in zip(*errors, strict=True))
    )


def test_documents_of_one_sentence_have_no_window() -> None:
    scores = score_boundaries([((), ())])
    assert (scores.pk, scores.window_diff, scores.score) == (None, None, (1, 1, 1))


@pytest.mark.parametrize(("gold", "predicted"), [([True], [False]), ([False], [True])])
def test_a_window_fits_into_two_sentences(gold: list[bool], predicted: list[bool]) -> None:
    assert window_errors(gold, predicted) == (1, 1)
    assert score_boundaries([(gold, predicted)]).score == (0, 0, 0)


def test_confusions_pair_what_was_missed_with_what_is_wrong() -> None:
    outcomes = [
        compare([BATH], [HAIR]),
        compare([BATH], [HAIR]),
        compare([BATH, HAIR], [BED, HAIR]),
        compare([BATH, HAIR], [BED, NONE]),
        compare([], [BED]),
    ]
    assert count_confusions(outcomes) == {
        (BATH, BED): 2,
        (BATH, HAIR): 2,
        (HAIR, BED): 1,
        (BATH, NONE): 1,
        (HAIR, NONE): 1,
        (NONE, BED): 1,
    }
