"""Topics, features, entropy and thresholds of the published model of scenarios, by direct reading."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.classifier import ScenarioClassifier, TfIdf, scenario_entropy
from kgscripts.reproductions.scenarios.tiling import content_words, topic_weights
from kgscripts.reproductions.scenarios.topic_tiling import TopicModel
from lightning_modules.scenarios.tiling_task import best_threshold

WORDS = ("kettle", "tea", "dog", "leash", "bank")
TOPICS = TopicModel(
    words=WORDS,
    counts=np.array([[20.0, 30.0, 0.0, 0.0, 0.0], [0.0, 0.0, 30.0, 10.0, 5.0], [0.0, 0.0, 0.0, 0.0, 6.0]]),
    priors=np.full(3, 0.1),
    word_prior=0.01,
)


def test_content_words_are_nouns_verbs_and_particles() -> None:
    [words, nothing] = content_words(["She quickly picked up the red cups and turned off the light in Paris.", " "])
    assert words == ["pick", "up", "cup", "turn", "off", "light"]
    assert nothing == []


def test_the_topic_of_a_word_depends_on_the_text() -> None:
    assert TOPICS.topics_of_words(["dog", "leash", "dog", "bank"])["bank"] == 1
    assert TOPICS.topics_of_words(["bank", "bank", "unknown"]) == {"bank": 2}
    assert TOPICS.topics_of_words([]) == {}


def test_weights_of_a_sentence_are_shares_of_its_known_words() -> None:
    weights = topic_weights(TOPICS, [["kettle", "tea", "dog", "unknown"], ["unknown"], []])
    assert weights.tolist() == [pytest.approx([2 / 3, 1 / 3, 0.0]), [0.0] * 3, [0.0] * 3]


def test_tfidf_is_that_of_the_formula() -> None:
    tfidf = TfIdf.of(["tea", "dog"], [["tea", "tea"], ["tea", "dog"], []])
    tea, dog = math.log(4 / 3) + 1, math.log(4 / 2) + 1
    norm = math.hypot(2 * tea, dog)
    [both, none] = tfidf.vectors([["tea", "dog", "tea", "cat"], ["cat"]])
    assert both == pytest.approx([2 * tea / norm, dog / norm])
    assert none == pytest.approx([0.0, 0.0])


def test_entropy_is_between_certainty_and_ignorance() -> None:
    rows = np.array([[1.0, 0.0, 0.0], [0.2, 0.2, 0.2], [0.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    assert scenario_entropy(rows) == pytest.approx([0.0, 1.0, 1.0, math.log(2) / math.log(3)])
    assert scenario_entropy(np.array([[0.3]])) == pytest.approx([0.0])


def test_probabilities_do_not_depend_on_the_batch() -> None:
    classifier = ScenarioClassifier(40, hidden=100, scenarios=7).double().eval()
    vectors = np.random.default_rng(1).random((300, 40))
    whole = classifier.probabilities(vectors)
    assert all((classifier.probabilities(vectors[row : row + 1])[0] == whole[row]).all() for row in range(300))


SEGMENTS = st.lists(st.tuples(st.integers(0, 5), *[st.integers(0, 3)] * 4), min_size=1, max_size=12)


@given(SEGMENTS)
def test_the_threshold_is_the_best_one(segments: Sequence[tuple[int, int, int, int, int]]) -> None:
    entropies = np.array([row[0] / 5 for row in segments])
    gold = [max(row[1], row[3], 1) for row in segments]
    kept = np.array([(row[1], row[1] + row[2], count) for row, count in zip(segments, gold, strict=True)], dtype=float)
    refused = np.array(
        [(row[3], row[3] + row[4], count) for row, count in zip(segments, gold, strict=True)], dtype=float
    )

    def score(threshold: float) -> float:
        chosen = np.where(entropies[:, None] > threshold, refused, kept).sum(axis=0)
        return float(2 * chosen[0] / (chosen[1] + chosen[2]))

    found = best_threshold(entropies, kept, refused)
    assert 0.0 <= found <= 1.0
    possible = [place / 10 for place in range(11)]
    assert score(found) == pytest.approx(max(map(score, possible)))


@pytest.mark.parametrize(
    ("counts", "priors", "word_prior"),
    [
        (np.ones((2, 4)), np.ones(2), 0.1),
        (np.ones((2, 5)), np.ones(3), 0.1),
        (np.ones((2, 5)), np.zeros(2), 0.1),
        (-np.ones((2, 5)), np.ones(2), 0.1),
        (np.full((2, 5), np.nan), np.ones(2), 0.1),
        (np.ones((2, 5)), np.full(2, np.nan), 0.1),
        (np.ones((2, 5)), np.ones(2), 0.0),
        (np.ones((2, 5)), np.ones(2), float("nan")),
        (np.ones((0, 5)), np.ones(0), 0.1),
    ],
)
def test_impossible_topics_are_refused(
    counts: NDArray[np.float64], priors: NDArray[np.float64], word_prior: float
) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        TopicModel(words=WORDS, counts=counts, priors=priors, word_prior=word_prior)
