"""Predictions of the networks that ship are the same bytes however their inputs are ordered, split and threaded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.pair import Pair
from kgscripts.models.cloze import Cloze
from kgscripts.models.inference import ROWS, fixed_batches, padded_length, run_side_by_side
from kgscripts.models.registry import load
from kgscripts.models.sentence_vectors import SCALE, quantised_vectors
from tests.training import corpus

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

DRAW = random.Random(5)
PAIRS = [
    Pair(abstract=pair.abstract, concrete=pair.concrete * DRAW.randint(1, 3), where=pair.where)
    for pair in corpus.pairs(8)
]
CLOZES = [
    Cloze(pair.abstract, pair.concrete, tuple(place == index for place in range(len(pair.concrete))), index, index)
    for pair in PAIRS
    for index in DRAW.sample(range(len(pair.concrete)), 2)
]
TEXTS = ["drain the pasta", "", "stir " * 100, *(" ".join(pair.concrete) for pair in PAIRS), "stir", "\u200b", "🍅"]


@pytest.fixture(params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """So many threads of torch, and as many as there were afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    assert torch.get_num_threads() == request.param
    torch.set_num_threads(before)


def _shuffled_and_split(
    run: Callable[[Sequence[_Item]], Sequence[_Result]], items: Sequence[_Item], seed: int
) -> list[_Result]:
    """What `run` gives for items in another order, a few at a time; in the first order again."""
    draw = random.Random(seed)
    order = draw.sample(range(len(items)), len(items))
    found: dict[int, _Result] = {}
    while order:
        part, order = order[: (size := draw.randint(1, 20))], order[size:]
        found.update(zip(part, run([items[index] for index in part]), strict=True))
    return [found[index] for index in range(len(items))]


@pytest.mark.usefixtures("threads")
def test_the_masked_model() -> None:
    model = load("cloze", "masked")
    words = ["knife", "pan", "spoon", "zarf"]

    def predict(clozes: Sequence[Cloze]) -> list[bytes]:
        return [row.numpy().tobytes() for row in model.predict(clozes, words)]

    assert _shuffled_and_split(predict, CLOZES, 1) == predict(CLOZES)


@pytest.mark.usefixtures("threads")
def test_the_aligner() -> None:
    aligner = load("alignment", "aligner")
    for align in (aligner.align, aligner.align_freely):
        assert _shuffled_and_split(align, PAIRS, 2) == align(PAIRS)


@pytest.mark.usefixtures("threads")
def test_sentence_vectors() -> None:
    def vectors(texts: Sequence[str]) -> list[bytes]:
        return [row.tobytes() for row in quantised_vectors(texts)]

    assert _shuffled_and_split(vectors, TEXTS, 3) == vectors(TEXTS)


def test_dot_products_of_sentence_vectors_are_cosines() -> None:
    texts = ["drain the pasta", "pour off the water from the noodles", "drain the pasta .", "fix the bicycle"]
    vectors = quantised_vectors(texts)
    assert vectors.dtype == np.int8
    assert vectors.shape == (4, 384)
    cosines = vectors.astype(np.int32) @ vectors.T.astype(np.int32) / SCALE**2
    assert np.allclose(cosines.diagonal(), 1.0, atol=0.01)
    assert cosines[0, 2] > 0.9 > cosines[0, 1] > 0.5 > cosines[0, 3]
    assert quantised_vectors([]).shape == (0, 384)


@given(st.lists(st.integers(1, 300), max_size=100))
def test_each_input_is_in_one_batch_of_its_padded_length(lengths: list[int]) -> None:
    batches = list(fixed_batches(lengths))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(0 < len(batch) <= ROWS for batch in batches)
    assert all(len({padded_length(lengths[index]) for index in batch}) == 1 for batch in batches)
    assert all(length <= padded_length(length) < length + 16 for length in lengths)


def test_side_by_side_each_runs_on_one_thread_in_order(threads: int) -> None:
    found = run_side_by_side(lambda item: (item, torch.get_num_threads(), torch.is_grad_enabled()), range(9))
    assert found == [(item, 1, False) for item in range(9)]
    assert torch.get_num_threads() == threads
