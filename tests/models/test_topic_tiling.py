"""TopicTiling: coherence and depth by direct reading, and segments that are a partition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.topic_tiling import (
    TilingSettings,
    coherence_scores,
    depth_scores,
    each_sentence,
    random_segments,
    tile,
)

Weights = NDArray[np.float64]
SHAPES = st.tuples(st.integers(0, 30), st.integers(1, 4))
WEIGHTS = arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 0.5, 1.0]))
LITERAL = TilingSettings(smoothing=0)


def cosine(one: list[float], other: list[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    norms = math.hypot(*one) * math.hypot(*other)
    return product / norms if norms else 0.0


@given(WEIGHTS, st.integers(1, 4))
def test_coherence_is_the_cosine_of_adjacent_blocks(topics: Weights, window: int) -> None:
    rows = topics.tolist()
    expected = []
    for gap in range(1, len(rows)):
        blocks = rows[max(0, gap - window) : gap], rows[gap : gap + window]
        expected.append(cosine(*([sum(column) for column in zip(*block, strict=True)] for block in blocks)))
    assert coherence_scores(topics, window) == pytest.approx(expected, abs=1e-12)


def test_depth_is_half_the_rise_to_the_nearest_peaks() -> None:
    coherence = np.array([0.2, 0.9, 0.5, 0.1, 0.6, 0.6, 0.4, 1.0, 0.8])
    # The minimum 0.1 rises to 0.9 on the left and to the plateau of 0.6 on the right; 0.4 to 0.6 and 1.0.
    assert depth_scores(coherence, np.array([3, 6])) == pytest.approx([(0.8 + 0.5) / 2, (0.2 + 0.6) / 2])


@given(WEIGHTS, st.integers(0, 3), st.sampled_from([0.1, 1.0, 10.0]))
def test_segments_are_a_partition(topics: Weights, smoothing: int, threshold: float) -> None:
    spans = tile(topics, TilingSettings(smoothing=smoothing, threshold=threshold))
    assert [place for start, end in spans for place in range(start, end)] == list(range(len(topics)))
    assert all(start < end for start, end in spans)


@given(WEIGHTS)
def test_the_published_threshold_keeps_every_minimum(topics: Weights) -> None:
    coherence = coherence_scores(topics, 2).round(9)
    lower = [
        place
        for place in range(1, len(coherence) - 1)
        if coherence[place - 1] > coherence[place] < coherence[place + 1]
    ]
    found = {end - 1 for _, end in tile(topics, LITERAL)}
    # Of fewer than 101 numbers, none lies ten standard deviations below the mean.
    assert set(lower) <= found


def test_a_change_of_topic_is_a_boundary() -> None:
    topics = np.repeat(np.eye(3), 6, axis=0)
    for settings in (TilingSettings(), LITERAL):
        assert tile(topics, settings) == [(0, 6), (6, 12), (12, 18)]


@pytest.mark.parametrize("sentences", [0, 1, 2, 3])
def test_short_texts_are_one_segment(sentences: int) -> None:
    assert tile(np.eye(4)[:sentences], TilingSettings()) == [(0, sentences)][:sentences]


@pytest.mark.parametrize(
    "values",
    [
        {"window": 0},
        {"window": 1.5},
        {"window": 10**9},
        {"smoothing": -1},
        {"smoothing": 10**6},
        {"threshold": 0.0},
        {"threshold": float("nan")},
        {"threshold": float("inf")},
        {"threshold": "0.1"},
    ],
)
def test_impossible_settings_are_refused(values: dict[str, int]) -> None:
    with pytest.raises((ValueError, TypeError)):
        TilingSettings(**values)


def test_random_segments_depend_on_text_and_seed_only() -> None:
    sentences = [f"Sentence {number}." for number in range(400)]
    spans = random_segments(sentences, boundary_share=0.2, seed=1)
    assert spans == random_segments(list(sentences), boundary_share=0.2, seed=1)
    assert spans != random_segments(sentences, boundary_share=0.2, seed=2)
    assert 50 < len(spans) < 120
    assert [place for start, end in spans for place in range(start, end)] == list(range(400))
    assert random_segments(sentences, boundary_share=0.0, seed=1) == [(0, 400)]
    assert random_segments(sentences, boundary_share=1.0, seed=1) == each_sentence(sentences)
    assert random_segments([], boundary_share=0.5, seed=1) == []
    assert random_segments(["\ud800"], boundary_share=0.5, seed=1) == [(0, 1)]
