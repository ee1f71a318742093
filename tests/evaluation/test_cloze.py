"""The cloze protocol against a reference implementation for single pairs, and properties that hold for any model."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import pytest
import torch
from attrs import define, evolve, field
from hypothesis import given, settings
from hypothesis import strategies as st

import kgscripts.evaluation.cloze.task as protocol
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.cloze.filling import Candidates
from kgscripts.evaluation.cloze.models import LeftSideOnly
from kgscripts.evaluation.cloze.scores import PUBLISHED, beaten
from kgscripts.evaluation.cloze.task import FilledItem, evaluate_cloze
from kgscripts.models.cloze.protocol import Cloze
from schemas.errors import InputError, ModelError
from schemas.provenance import Exposure
from tests.evaluation.cloze_toys import Aligned, Knows, Table, Uniform, by_hand

WORDS = ["pan", "spoon", "knife", "bowl", "cut", "heat", "whisk", "plate", "lid"]
WHITELIST = [*WORDS[:7], "tongs", "oven"]


@st.composite
def _pairs(draw: st.DrawFn) -> list[Pair]:
    number = draw(st.integers(1, 5))
    pairs = []
    for place in range(number):
        size = draw(st.integers(1, 8))
        concrete = draw(st.lists(st.sampled_from(WORDS), min_size=size, max_size=size))
        blanks = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        abstract = ["do", str(draw(st.integers(0, 2))), *draw(st.lists(st.sampled_from(WORDS), max_size=3))]
        pairs.append(Pair(abstract=abstract, concrete=concrete, blanks=blanks, where=f"pairs:{place}"))
    first = Pair(abstract=["do"], concrete=["use", "pan", "spoon", "lid"], blanks=[False, True, True, True])
    return [*pairs, first]


FIGURES = [
    f"{setup}_{metric}{strict}"
    for setup in ("oracle", "greedy")
    for metric in ("match", "top5")
    for strict in ("", "_strict")
]


@pytest.mark.parametrize("scores_texts", [False, True])
@pytest.mark.parametrize("context", ["left", "both"])
@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9), unknown=st.frozensets(st.sampled_from(WORDS), max_size=3))
def test_the_same_as_the_reference_for_each_pair(
    context: Literal["left", "both"], scores_texts: bool, pairs: list[Pair], seed: int, unknown: frozenset[str]
) -> None:
    model = Table(context, seed, unknown, scores_texts)
    scores = evaluate_cloze(model, pairs, Candidates(WHITELIST), seed=seed)
    parts = [by_hand(model, pair, WHITELIST, seed) for pair in pairs]
    for figure in FIGURES:
        values = [value for part in parts for value in part.get(figure, [])]
        assert getattr(scores, figure) == pytest.approx(100 * fmean(values)), figure
    nats = [value for part in parts for value in part.get("surprisal", [])]
    assert scores.surprisal == pytest.approx(fmean(nats), rel=1e-5)
    assert scores.words == len(nats)
    assert scores.blanks == sum(len(part.get("oracle_match", [])) for part in parts)


@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9))
def test_the_order_of_pairs_and_words_changes_nothing(pairs: list[Pair], seed: int) -> None:
    shuffled, words = list(pairs), list(WHITELIST) * 2
    random.Random(seed).shuffle(shuffled)
    random.Random(seed).shuffle(words)
    first = evaluate_cloze(Aligned(seed=seed), pairs, Candidates(WHITELIST), seed=seed)
    second = evaluate_cloze(Aligned(seed=seed), shuffled, Candidates(words), seed=seed)
    assert first.as_json() == second.as_json()


@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9))
def test_figures_are_within_their_ranges(pairs: list[Pair], seed: int) -> None:
    scores = evaluate_cloze(Aligned(seed=seed), pairs, Candidates(WHITELIST), seed=seed)
    for figure in FIGURES:
        assert 0 <= getattr(scores, figure) <= 100
    for figure in ("oracle_match", "oracle_top5", "greedy_match", "greedy_top5"):
        assert getattr(scores, f"{figure}_strict") <= getattr(scores, figure)
    assert scores.word_surprisal is not None
    assert scores.surprisal is not None
    assert 0 < scores.word_surprisal < scores.surprisal
    decisions = scores.words * math.log(2) + scores.blanks * math.log(2)
    assert scores.surprisal - scores.word_surprisal == pytest.approx(decisions / scores.words)
    assert scores.mean_span_length is not None
    assert scores.mean_span_length >= 1
    assert {score.metric.split(",")[0] for score in scores.benchmark_scores("KidsCook", "valid", Exposure.UNSEEN)} >= {
        "oracle match",
        "surprisal",
    }


@given(pairs=_pairs(), together=st.integers(1, 3))
@settings(max_examples=15)
def test_how_many_pairs_advance_together_changes_nothing(pairs: list[Pair], together: int) -> None:
    whole = evaluate_cloze(Aligned("both"), pairs, Candidates(WHITELIST))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "_TOGETHER", together)
        patch.setattr(protocol, "_BATCH", together)
        assert evaluate_cloze(Aligned("both"), pairs, Candidates(WHITELIST)).as_json() == whole.as_json()


def _distinct(count: int) -> list[Pair]:
    draw = random.Random(5)
    return [
        Pair(
            abstract=["do", str(number)],
            concrete=draw.choices(WORDS, k=12),
            blanks=[True, *(draw.random() < 0.4 for _ in range(11))],
        )
        for number in range(count)
    ]


def test_a_perfect_model() -> None:
    pairs = _distinct(20)
    scores = evaluate_cloze(Knows(pairs), pairs, Candidates(WORDS))
    assert {getattr(scores, figure) for figure in FIGURES} == {100.0}
    assert scores.surprisal == 0.0
    assert (scores.unknown_words, scores.impossible_words) == (0, 0)


def test_the_surprisal_of_a_uniform_model() -> None:
    scores = evaluate_cloze(Uniform(), _distinct(20), Candidates(WHITELIST))
    assert scores.surprisal == pytest.approx(math.log(len(WHITELIST) + 1))


def test_unknown_words_in_plain_and_strict_scores() -> None:
    """All gold words are unknown to a model that always predicts the unknown word."""

    class AlwaysUnknown(Uniform):
        def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
            rows = torch.full((len(clozes), len(candidates) + 1), -math.inf)
            rows[:, -1] = 0
            return rows

    scores = evaluate_cloze(AlwaysUnknown(), _distinct(5), Candidates(WHITELIST))
    for figure in FIGURES:
        assert getattr(scores, figure) == (0.0 if figure.endswith("_strict") else 100.0)
    assert scores.unknown_words == scores.words
    assert scores.surprisal == 0.0


def test_impossible_words_are_misses_and_excluded_from_surprisal() -> None:
    pairs = [Pair(abstract=["do"], concrete=["lid", "pan"], blanks=[True, True])]
    scores = evaluate_cloze(Table(unknown_to_it=frozenset({"#UNK#"})), pairs, Candidates(["pan", "pot"]))
    assert (scores.impossible_words, scores.unknown_words, scores.words) == (1, 1, 2)
    assert scores.oracle_top5 == 50.0
    assert scores.oracle_match == 0.0
    known = evaluate_cloze(Table(unknown_to_it=frozenset({"#UNK#", "pan"})), pairs, Candidates(["pan", "pot"]))
    assert known.surprisal is None
    assert known.as_json()["surprisal"] is None
    assert "surprisal" not in {
        score.metric.split(",")[0] for score in known.benchmark_scores("KidsCook", "valid", Exposure.UNSEEN)
    }


def test_both_sides_are_truncated_and_blanks_beyond_are_dropped() -> None:
    concrete = [f"w{place}" for place in range(60)]
    blanks = [place in (10, 47, 48, 49, 50, 55) for place in range(60)]
    pair = Pair(abstract=[f"a{place}" for place in range(70)], concrete=concrete, blanks=blanks)
    model = Table("both")
    scores = evaluate_cloze(model, [pair], Candidates(concrete))
    assert (scores.words, scores.blanks) == (3, 2)
    assert {(len(cloze.abstract), len(cloze.concrete)) for cloze in model.asked} == {(50, 49)}
    assert {(cloze.position, cloze.slot_start) for cloze in model.asked} == {(10, 10), (47, 47), (48, 47)}


@pytest.mark.parametrize("context", ["left", "both"])
def test_no_question_reveals_its_answer(context: Literal["left", "both"]) -> None:
    pairs = _distinct(10)
    model = Table(context)
    evaluate_cloze(model, pairs, Candidates(WORDS))
    blanks = {pair.abstract: pair.blanks for pair in pairs}
    for cloze in model.asked:
        marks = blanks[cloze.abstract][: len(cloze.concrete)]
        assert cloze.hidden == tuple(blank and place >= cloze.position for place, blank in enumerate(marks))
        assert {word for word, hidden in zip(cloze.concrete, cloze.hidden, strict=True) if hidden} == {"_"}
        if context == "left":
            assert all(cloze.hidden[cloze.position :])


def test_equal_questions_are_asked_once() -> None:
    pairs = _distinct(3)
    once, model = Table(), Table()
    evaluate_cloze(once, pairs, Candidates(WORDS))
    evaluate_cloze(model, pairs * 4, Candidates(WORDS))
    assert max(Counter(model.asked).values()) == 1
    assert len(model.asked) == len(once.asked)


def test_the_samples_depend_on_the_seed_alone() -> None:
    pairs = _distinct(30)
    runs = []
    for seed in (1, 1, 2):
        filled: list[FilledItem] = []
        evaluate_cloze(Uniform(), pairs, Candidates(WORDS), seed=seed, on_filled=[filled.append])
        runs.append(filled)
    assert [item.greedy_words for item in runs[0]] == [item.greedy_words for item in runs[1]]
    assert [item.greedy_words for item in runs[0]] != [item.greedy_words for item in runs[2]]
    assert [item.oracle_words for item in runs[0]] == [item.oracle_words for item in runs[2]]


def test_callbacks_receive_every_word_and_pair() -> None:
    pairs = [*_distinct(7), Pair(abstract=["do"], concrete=["it"], blanks=[False])]
    words: list[int] = []
    filled: list[FilledItem] = []
    scores = evaluate_cloze(Table(), pairs, Candidates(WORDS), on_words=words.append, on_filled=[filled.append])
    assert sum(words) == protocol.PASSES * scores.words
    assert [item.item.abstract for item in filled] == [pair.abstract for pair in pairs]
    for item, pair in zip(filled, pairs, strict=True):
        for place, blank in enumerate(pair.blanks):
            assert blank or item.greedy_words[place] == item.oracle_words[place] == pair.concrete[place]
    assert scores.pairs == 8


def test_spans_are_counted_as_released_and_without_the_start_symbol() -> None:
    class Late(Aligned):
        def align(self, abstract: Sequence[Sequence[str]], concrete: Sequence[Sequence[str]]) -> list[list[int]]:
            return [[1, 1, 3, 3, 3, 3] for _ in zip(abstract, concrete, strict=True)]

    pair = Pair(abstract=["a", "b", "c", "d"], concrete=WORDS[:6], blanks=[True] * 6)
    scores = evaluate_cloze(Late(), [pair, pair], Candidates(WORDS))
    assert scores.mean_word_span_length == 3.0
    assert scores.mean_span_length == pytest.approx(7 / 3)
    assert evaluate_cloze(Table(), [pair], Candidates(WORDS)).mean_span_length is None


def test_a_model_of_both_sides_without_its_right_side() -> None:
    pairs = _distinct(10)
    inner = Table("both")
    scores = evaluate_cloze(LeftSideOnly(inner), pairs, Candidates(WORDS))
    assert scores.context == "left"
    assert all(all(cloze.hidden[cloze.position :]) for cloze in inner.asked)
    whole = Cloze(("do",), ("a", "_", "_", "b", "_"), (False, True, True, False, True), 1, 1)
    cut = Cloze(("do",), ("a", "_", "_"), (False, True, True), 1, 1)
    assert torch.equal(LeftSideOnly(inner).predict([whole], WHITELIST_SORTED), inner.predict([cut], WHITELIST_SORTED))


WHITELIST_SORTED = sorted(WHITELIST)


def test_scores_are_compared_with_published_ones_of_the_same_context_alone() -> None:
    pairs = _distinct(5)
    left = evaluate_cloze(Knows(pairs), pairs, Candidates(WORDS))
    both = evaluate_cloze(Knows(pairs, "both"), pairs, Candidates(WORDS))
    names = ["oracle_match", "oracle_top5", "greedy_match", "greedy_top5", "surprisal"]
    assert all(beaten(left, row) == names for row in PUBLISHED)
    assert not any(beaten(both, row) for row in PUBLISHED)
    nothing = evaluate_cloze(Uniform("left"), pairs, Candidates(WORDS))
    assert all("surprisal" in beaten(nothing, row) and "oracle_match" not in beaten(nothing, row) for row in PUBLISHED)


@pytest.mark.parametrize(
    ("surprisal", "words", "is_better"), [(4.0, 4.0, False), (3.5, 3.5, True), (4.7, 3.6, True), (4.8, 3.4, False)]
)
def test_surprisal_is_compared_with_or_without_alignment_decisions(
    surprisal: float, words: float, is_better: bool
) -> None:
    pairs = _distinct(2)
    scores = evaluate_cloze(Uniform("left"), pairs, Candidates(WORDS))
    published = next(row for row in PUBLISHED if row.model == "transducer, fixed transitions")
    found = beaten(evolve(scores, surprisal=surprisal, word_surprisal=words), published)
    assert ("surprisal" in found) == is_better


@define
class _Odd(Uniform):
    given: torch.Tensor = field(factory=lambda: torch.zeros(0))

    def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:  # noqa: ARG002
        return self.given.expand(len(clozes), -1)


@pytest.mark.parametrize(
    "row",
    [
        torch.full((len(WORDS) + 1,), math.nan),
        torch.full((len(WORDS) + 1,), -math.inf),
        torch.zeros(len(WORDS)),
        torch.zeros(len(WORDS) + 2),
    ],
    ids=["NaN", "nothing", "too few", "too many"],
)
def test_a_model_without_probabilities_is_an_error(row: torch.Tensor) -> None:
    with pytest.raises(ModelError) as caught:
        evaluate_cloze(_Odd(given=row), _distinct(2), Candidates(WORDS))
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("pairs", "whitelist"),
    [
        ([], WORDS),
        ([Pair(abstract=["do"], concrete=["cut"])], WORDS),
        ([Pair(abstract=["do"], concrete=["cut"], blanks=[False])], WORDS),
        ([Pair(abstract=["do"], concrete=["cut"] * 50, blanks=[False] * 49 + [True])], WORDS),
        (_distinct(2), []),
        (_distinct(2), ["tongs"]),
    ],
)
def test_nothing_to_guess_or_to_choose_from(pairs: list[Pair], whitelist: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        evaluate_cloze(Table(), pairs, Candidates(whitelist))
    assert caught.value.remedy
