"""What is held out, and how pairs come in batches."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.corpora.pairs.pair import Pair
from lightning_modules.module import length_batches, pair_key, split
from schemas.errors import InputError
from tests.training import corpus

_sizes = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 40)), min_size=1, max_size=200)


@given(_sizes, st.integers(1, 40), st.none() | st.integers())
def test_each_pair_is_in_one_batch(lengths: list[tuple[int, int]], size: int, seed: int | None) -> None:
    batches = length_batches(range(len(lengths)), lengths, size, None if seed is None else random.Random(seed))
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(0 < len(batch) <= size for batch in batches)
    spans = sorted((min(lengths[p][0] for p in batch), max(lengths[p][0] for p in batch)) for batch in batches)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))


def test_batches_depend_on_the_seed_alone() -> None:
    lengths = [(len(pair.abstract), len(pair.concrete)) for pair in corpus.pairs()]
    drawn = [length_batches(corpus.pairs(), lengths, 8, random.Random(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_same_sentences_are_held_out_whatever_stands_around_them() -> None:
    pairs = corpus.pairs(300)
    parts = split(pairs, pair_key)
    assert 10 <= len(parts.held_out) <= 60
    random.Random(0).shuffle(pairs)
    again = split(pairs[:200], pair_key)
    assert {pair.abstract for pair in again.held_out} <= {pair.abstract for pair in parts.held_out}
    assert {pair.abstract for pair in again.train} <= {pair.abstract for pair in parts.train}


def test_realisations_of_a_sentence_stay_together() -> None:
    pairs = [
        Pair(abstract=pair.abstract, concrete=(*pair.concrete, str(number)))
        for pair in corpus.pairs(100)
        for number in range(3)
    ]
    parts = split(pairs, pair_key)
    assert not {pair.abstract for pair in parts.train} & {pair.abstract for pair in parts.held_out}
    assert len(parts.train) + len(parts.held_out) == 300


@given(st.lists(st.text(max_size=3), max_size=20))
def test_two_different_texts_suffice(texts: list[str]) -> None:
    if len(set(texts)) < 2:
        with pytest.raises(InputError, match="too few") as refused:
            split(texts, str)
        assert "2 different texts at least" in str(refused.value.remedy)
        return
    parts = split(texts, str)
    assert parts.train
    assert parts.held_out
    assert sorted([*parts.train, *parts.held_out]) == sorted(texts)
