"""The cloze protocol against a reference implementation for single pairs, and properties that hold for any model."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any, Literal

import pytest
import torch
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

import kgscripts.reproductions.kidscook.cloze.task as protocol
from kgscripts.corpora.pairs.pair import Pair
from kgscripts.evaluation.result import Evaluation, System, as_json
from kgscripts.models.alignment.lattice import Alignment
from kgscripts.models.cloze import Cloze
from kgscripts.reproductions.kidscook.cloze.filling import Candidates
from kgscripts.reproductions.kidscook.cloze.models import LeftSideOnly
from kgscripts.reproductions.kidscook.cloze.tally import MATCHES, MEAN_SPAN, PUBLISHED, STRICT, beaten, nats
from kgscripts.reproductions.kidscook.cloze.task import FilledItem, evaluate_cloze
from schemas.errors import InputError, ModelError
from schemas.provenance import Direction, Exposure
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


FIGURES = [(metric, part) for metric in MATCHES for part in ("", STRICT)]


def _measured(evaluation: Evaluation) -> System:
    (system,) = evaluation.systems
    return system


def _shares(evaluation: Evaluation) -> list[float]:
    return [_measured(evaluation).value(*figure) for figure in FIGURES]


@pytest.mark.parametrize("scores_texts", [False, True])
@pytest.mark.parametrize("context", ["left", "both"])
@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9), unknown=st.frozensets(st.sampled_from(WORDS), max_size=3))
def test_the_same_as_the_reference_for_each_pair(
    context: Literal["left", "both"], scores_texts: bool, pairs: list[Pair], seed: int, unknown: frozenset[str]
) -> None:
    model = Table(context, seed, unknown, scores_texts)
    found = evaluate_cloze(model, pairs, Candidates(WHITELIST), seed=seed)
    parts = [by_hand(model, pair, WHITELIST, seed) for pair in pairs]
    for metric, part in FIGURES:
        name = f"{metric.replace(' ', '_')}{'_strict' if part else ''}"
        values = [value for own in parts for value in own.get(name, [])]
        assert _measured(found).value(metric, part) == pytest.approx(fmean(values)), name
    surprisals = [value for part in parts for value in part.get("surprisal", [])]
    assert _measured(found)["surprisal"] == pytest.approx(fmean(surprisals), rel=1e-5)
    assert found.items["hidden tokens"] == len(surprisals)
    assert found.items["blanks"] == sum(len(part.get("oracle_match", [])) for part in parts)


@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9))
def test_the_order_of_pairs_and_words_changes_nothing(pairs: list[Pair], seed: int) -> None:
    shuffled, words = list(pairs), list(WHITELIST) * 2
    random.Random(seed).shuffle(shuffled)
    random.Random(seed).shuffle(words)
    first = evaluate_cloze(Aligned(seed=seed), pairs, Candidates(WHITELIST), seed=seed)
    second = evaluate_cloze(Aligned(seed=seed), shuffled, Candidates(words), seed=seed)
    assert as_json([first]) == as_json([second])


@settings(max_examples=25)
@given(pairs=_pairs(), seed=st.integers(0, 9))
def test_figures_are_within_their_ranges(pairs: list[Pair], seed: int) -> None:
    found = evaluate_cloze(Aligned(seed=seed), pairs, Candidates(WHITELIST), seed=seed)
    system = _measured(found)
    for metric in MATCHES:
        assert 0 <= system.value(metric, STRICT) <= system[metric] <= 1
    assert 0 < system["word surprisal"] == system["surprisal"]
    assert system[MEAN_SPAN] >= 1
    scores = {score.metric: score for score in found.benchmark_scores(system, Exposure.UNSEEN)}
    assert scores.keys() >= {"oracle match, context left", "surprisal, context left"}
    lower = {metric.split(",")[0] for metric, score in scores.items() if score.direction is Direction.LOWER}
    assert lower == {"surprisal", "word surprisal", MEAN_SPAN}


@given(pairs=_pairs(), together=st.integers(1, 3))
@settings(max_examples=15)
def test_how_many_pairs_advance_together_changes_nothing(pairs: list[Pair], together: int) -> None:
    whole = evaluate_cloze(Aligned("both"), pairs, Candidates(WHITELIST))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "_TOGETHER", together)
        patch.setattr(protocol, "_BATCH", together)
        parts = evaluate_cloze(Aligned("both"), pairs, Candidates(WHITELIST))
    assert as_json([parts]) == as_json([whole])


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
    found = evaluate_cloze(Knows(pairs), pairs, Candidates(WORDS))
    assert set(_shares(found)) == {1.0}
    assert [_measured(found)[name] for name in ("surprisal", "unknown words", "impossible words")] == [0, 0, 0]


def test_the_surprisal_of_a_uniform_model() -> None:
    found = evaluate_cloze(Uniform(), _distinct(20), Candidates(WHITELIST))
    assert _measured(found)["surprisal"] == pytest.approx(math.log(len(WHITELIST) + 1))


def test_unknown_words_in_plain_and_strict_scores() -> None:
    """All gold words are unknown to a model that always predicts the unknown word."""

    class AlwaysUnknown(Uniform):
        def predict(self, clozes: Sequence[Cloze], candidates: Sequence[str]) -> torch.Tensor:
            rows = torch.full((len(clozes), len(candidates) + 1), -math.inf)
            rows[:, -1] = 0
            return rows

    found = evaluate_cloze(AlwaysUnknown(), _distinct(5), Candidates(WHITELIST))
    assert _shares(found) == [0.0 if part == STRICT else 1.0 for _, part in FIGURES]
    assert _measured(found)["unknown words"] == found.items["hidden tokens"]
    assert _measured(found)["surprisal"] == 0.0


def test_impossible_words_are_misses_and_excluded_from_surprisal() -> None:
    pairs = [Pair(abstract=["do"], concrete=["lid", "pan"], blanks=[True, True])]
    found = evaluate_cloze(Table(unknown_to_it=frozenset({"#UNK#"})), pairs, Candidates(["pan", "pot"]))
    system = _measured(found)
    assert (system["impossible words"], system["unknown words"], found.items["hidden tokens"]) == (1, 1, 2)
    assert (system["oracle top5"], system["oracle match"]) == (0.5, 0.0)
    none = evaluate_cloze(Table(unknown_to_it=frozenset({"#UNK#", "pan"})), pairs, Candidates(["pan", "pot"]))
    assert not [figure for figure in _measured(none).figures if "surprisal" in figure.metric]


def test_both_sides_are_truncated_and_blanks_beyond_are_dropped() -> None:
    concrete = [f"w{place}" for place in range(60)]
    blanks = [place in (10, 47, 48, 49, 50, 55) for place in range(60)]
    pair = Pair(abstract=[f"a{place}" for place in range(70)], concrete=concrete, blanks=blanks)
    model = Table("both")
    found = evaluate_cloze(model, [pair], Candidates(concrete))
    assert (found.items["hidden tokens"], found.items["blanks"]) == (3, 2)
    assert {(len(cloze.abstract), len(cloze.concrete)) for cloze in model.asked} == {(50, 49)}
    assert {cloze.position for cloze in model.asked} == {10, 47, 48}


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
    assert [item.oracle_choices for item in runs[0]] == [item.oracle_choices for item in runs[2]]


def test_callbacks_receive_every_word_and_pair() -> None:
    pairs = [*_distinct(7), Pair(abstract=["do"], concrete=["it"], blanks=[False])]
    words: list[int] = []
    filled: list[FilledItem] = []
    found = evaluate_cloze(Table(), pairs, Candidates(WORDS), on_words=words.append, on_filled=[filled.append])
    assert sum(words) == protocol.PASSES * found.items["hidden tokens"]
    assert [item.item.abstract for item in filled] == [pair.abstract for pair in pairs]
    for item, pair in zip(filled, pairs, strict=True):
        for place, blank in enumerate(pair.blanks):
            assert blank or item.greedy_words[place] == pair.concrete[place]
    assert found.items["pairs"] == 8


def test_spans_are_counted_as_released_and_without_the_start_symbol() -> None:
    class Late(Aligned):
        def align(self, pairs: Sequence[Any]) -> list[Alignment]:
            return [Alignment((1, 1, 3, 3, 3, 3), 0.0, (1.0,) * 6) for _ in pairs]

    pair = Pair(abstract=["a", "b", "c", "d"], concrete=WORDS[:6], blanks=[True] * 6)
    system = _measured(evaluate_cloze(Late(), [pair, pair], Candidates(WORDS)))
    assert system.value(MEAN_SPAN, "without the start symbol") == 3.0
    assert system[MEAN_SPAN] == pytest.approx(7 / 3)
    assert _measured(evaluate_cloze(Table(), [pair], Candidates(WORDS))).get(MEAN_SPAN) is None


def test_a_model_of_both_sides_without_its_right_side() -> None:
    pairs = _distinct(10)
    inner = Table("both")
    found = evaluate_cloze(LeftSideOnly(inner), pairs, Candidates(WORDS))
    assert _measured(found).setting == "context left"
    assert all(all(cloze.hidden[cloze.position :]) for cloze in inner.asked)
    whole = Cloze(("do",), ("a", "_", "_", "b", "_"), (False, True, True, False, True), 1)
    cut = Cloze(("do",), ("a", "_", "_"), (False, True, True), 1)
    assert torch.equal(LeftSideOnly(inner).predict([whole], sorted(WHITELIST)), inner.predict([cut], sorted(WHITELIST)))


def test_scores_are_compared_with_published_ones_of_the_same_context_alone() -> None:
    pairs = _distinct(5)
    left, both, nothing = (
        _measured(evaluate_cloze(model, pairs, Candidates(WORDS)))
        for model in (Knows(pairs), Knows(pairs, "both"), Uniform("left"))
    )
    assert all(beaten(left, row) == [*MATCHES, "surprisal"] for row in PUBLISHED)
    assert not any(beaten(both, row) for row in PUBLISHED)
    assert all("surprisal" in beaten(nothing, row) and "oracle match" not in beaten(nothing, row) for row in PUBLISHED)


@pytest.mark.parametrize(("surprisal", "is_better"), [(4.0, False), (3.5, True)])
def test_surprisal_is_compared_without_alignment_decisions(surprisal: float, is_better: bool) -> None:
    published = next(row for row in PUBLISHED if row.name == "transducer, fixed transitions")
    figures = (nats("surprisal", surprisal), nats("word surprisal", surprisal))
    found = beaten(System(name="ours", setting=published.setting, figures=figures), published)
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
