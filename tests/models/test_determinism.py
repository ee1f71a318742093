"""Predictions of the networks that ship are the same bytes however their inputs are ordered, split and threaded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.cloze import Cloze
from kgscripts.models.registry import load
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.stored_vectors import SCALE
from kgscripts.reproductions.torch_networks.inference import ROWS, fixed_batches, padded_length, run_side_by_side
from tests.training import corpus

_Item = TypeVar("_Item")

DRAW = random.Random(5)
PAIRS = [
    Pair(abstract=pair.abstract, concrete=pair.concrete * DRAW.randint(1, 3), where=pair.where)
    for pair in corpus.pairs(8)
]
CLOZES = [
    Cloze(pair.abstract, pair.concrete, tuple(place == index for place in range(len(pair.concrete))), index)
    for pair in PAIRS
    for index in DRAW.sample(range(len(pair.concrete)), 2)
]
TEXTS = ["drain the pasta", "", "stir " * 100, *(" ".join(pair.concrete) for pair in PAIRS), "stir", "\u200b", "🍅"]


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Torch, and onnxruntime side by side, with this number of threads, which predictions do not change."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", str(count))
        yield
    assert torch.get_num_threads() == count
    torch.set_num_threads(before)


def _assert_independent(run: Callable[[Sequence[_Item]], Sequence[object]], items: Sequence[_Item]) -> None:
    """`run` gives the same for all items together and for a few at a time in another order, on more threads."""
    with threads(1):
        together = list(run(items))
    draw = random.Random(1)
    order = draw.sample(range(len(items)), len(items))
    found: dict[int, object] = {}
    with threads(2):
        while order:
            size = draw.randint(1, 12)
            part, order = order[:size], order[size:]
            found.update(zip(part, run([items[index] for index in part]), strict=True))
    assert [found[index] for index in range(len(items))] == together


def test_the_masked_model() -> None:
    model = load("cloze", "masked")
    words = ["knife", "pan", "spoon", "zarf"]
    _assert_independent(lambda clozes: [row.numpy().tobytes() for row in model.predict(clozes, words)], CLOZES)


def test_the_aligner() -> None:
    aligner = load("alignment", "aligner")
    _assert_independent(aligner.align, PAIRS)
    _assert_independent(aligner.align_freely, PAIRS)


def test_sentence_vectors() -> None:
    _assert_independent(lambda texts: [row.tobytes() for row in quantised_vectors(texts)], TEXTS)


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


@pytest.mark.parametrize("count", [1, 2])
def test_side_by_side_each_runs_on_one_thread_in_order(count: int) -> None:
    with threads(count):
        found = run_side_by_side(lambda item: (item, torch.get_num_threads(), torch.is_grad_enabled()), range(9))
    assert found == [(item, 1, False) for item in range(9)]
