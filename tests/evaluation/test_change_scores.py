"""The official scores of state changes against a plain reading of them, and the published figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from kgscripts.evaluation.counting import Score, check_ids
from kgscripts.reproductions.openpi.scores import (
    StepScores,
    pair_scores,
    score_step,
    stems_of,
)
from kgscripts.text.porter import stem
from schemas.errors import InputError
from tests.evaluation.plain_change_scores import official_scores, plain_scores

PUBLISHED = ((11.34, 7.19, 4.06), (25.89, 20.09, 16.94), (42.36, 36.37, 33.41))
"""GPT-2's published predictions on dev, by the released evaluator."""

_SUFFIXES = (
    *("", "s", "ies", "ied", "sses", "eed", "ed", "ing", "y", "ying", "ational", "tional", "enci", "izer", "bli"),
    *("alli", "entli", "eli", "fulli", "ousli", "ization", "ation", "ator", "iveness", "fulness", "biliti", "logi"),
    *("icate", "ative", "iciti", "ical", "ness", "ement", "ment", "ent", "ion", "ance", "able", "ate", "e", "ll"),
)
_WORDS = st.builds(
    "{}{}{}".format,
    st.text("abeilorstyz", max_size=5),
    st.sampled_from(_SUFFIXES),
    st.sampled_from(("", "s", "ly", "ed")),
)


@given(st.one_of(_WORDS, st.text(st.characters(categories=["Ll", "Nd"]), max_size=12)))
@settings(max_examples=300)
def test_stems_are_those_of_nltk(word: str) -> None:
    assert stem(word) == PorterStemmer().stem(word)
    assert bool(stem(word)) == bool(word)


@pytest.mark.parametrize("word", ["sky", "skies", "dying", "news", "dies", "spied", "proceed", "geology", "enjoyment"])
def test_stems_of_irregular_words_are_those_of_nltk(word: str) -> None:
    assert stem(word) == PorterStemmer().stem(word)


_VOCABULARY = (
    "oil",
    "oils",
    "the",
    "the",
    "pan",
    "Hot",
    "hotter",
    "hot,",
    "of",
    "was",
    "before",
    "and",
    ".",
    "in",
    "dry",
)
_SENTENCES = st.lists(st.sampled_from(_VOCABULARY), max_size=8).map(" ".join)
_ANSWERS = st.lists(
    st.one_of(_SENTENCES, st.sampled_from(["There will be no change.", "", "İ ß ǅ", "a\tb"])), max_size=5
)


@given(st.lists(st.tuples(_ANSWERS, _ANSWERS), min_size=1, max_size=4))
@settings(max_examples=150)
def test_scores_are_those_of_a_plain_reading(steps: list[tuple[list[str], list[str]]]) -> None:
    gold = {str(number): answers for number, (answers, _) in enumerate(steps)}
    predictions = {str(number): answers for number, (_, answers) in enumerate(steps)}
    for ours, plain in zip(official_scores(gold, predictions), plain_scores(gold, predictions), strict=True):
        assert tuple(ours) == pytest.approx(plain, abs=1e-12)


def test_published_predictions_have_their_published_scores(shared_corpora: Path) -> None:
    gold = _read(shared_corpora / "openpi" / "gold" / "dev" / "id_answers.jsonl")
    predictions = _read(shared_corpora / "openpi" / "published-predictions" / "dev.predictions.jsonl")
    ours = official_scores(gold, predictions)
    assert tuple(tuple(round(100 * value, 2) for value in score) for score in ours) == PUBLISHED
    for score, plain in zip(ours, plain_scores(gold, predictions), strict=True):
        assert tuple(score) == pytest.approx(plain, abs=1e-12)


def _read(path: Path) -> dict[str, list[str]]:
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {record["id"]: record["answers"] for record in records}


def test_a_step_by_hand() -> None:
    gold = ["heat of pan was low before and high afterwards", "pan was dry before and oily afterwards"]
    scores = score_step(gold, ["Heat of the pan was low before, and high afterwards.", "lid was open before"])
    # "heat the pan low high" shares all four stems of "heat pan low high", in order, and two of its three bigrams.
    precision, recall = 4 / 5, 4 / 4
    rouge = (1 + 1.44) * precision * recall / (recall + 1.44 * precision)
    assert scores.exact == (0, 0, 0)
    assert scores.bleu.precision == pytest.approx((4 / 5 * 2 / 4) ** 0.5 / 2, abs=1e-6)
    assert scores.rouge.precision == pytest.approx(rouge / 2)
    assert scores.rouge.recall > rouge / 2  # the second answer shares "pan" with the first prediction


@pytest.mark.parametrize(
    ("gold", "predicted", "score"),
    [
        ([], [], (1, 1, 1)),
        ([], ["There will be no change."], (1, 1, 1)),
        (["oil was hot before"], [], (1, 0, 0)),
        (["oil was hot before"], [" there will be no change in the oil"], (1, 0, 0)),
        ([], ["oil was hot before"], (0, 1, 0)),
        (["oil was hot before"], ["Oils were hot before!", "oil was hot before", "oil was hot before"], None),
        ([""], ["was before and of"], (1, 1, 1)),
        ([""], ["oil"], (0, 0, 0)),
    ],
)
def test_what_is_empty_or_repeated(gold: list[str], predicted: list[str], score: tuple[float, ...] | None) -> None:
    scores = score_step(gold, predicted)
    if score is None:  # "were" is no word of the template
        assert scores.exact == pytest.approx((0.5, 1, 2 / 3))
    else:
        assert scores == StepScores(Score(*score), Score(*score), Score(*score))


def test_pair_scores_have_a_row_for_each_gold_answer() -> None:
    pairs = pair_scores(["oil was hot before", "pan was dry before"], ["oil was hot after"] * 3)
    assert pairs.shape == (3, 2, 3)
    assert pairs[:, 0].min() == pytest.approx(1)
    assert pair_scores(["oil"], []).shape == (3, 1, 0)
    assert stems_of("The oil's heat, was: HOT.") == ("the", "oil", "heat", "hot")


def test_ids_that_differ_are_named() -> None:
    with pytest.raises(InputError, match=r"missing: b\|\|1; extra: c\|\|1, d"):
        check_ids(["a||1", "b||1"], ["c||1", "a||1", "d"])
    with pytest.raises(InputError, match="0, 1, 2, 3, 4 and 95 more"):
        check_ids(list(map(str, range(100))), {})
    with pytest.raises(InputError, match="no gold answers"):
        check_ids([], {})
