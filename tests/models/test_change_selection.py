"""Which changes are chosen: compared with a slow, plain choice from the same imagined sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.reproductions.openpi.composer.beam import Candidate
from kgscripts.reproductions.openpi.composer.neighbours import Neighbour
from kgscripts.reproductions.openpi.composer.selection import (
    SelectionSettings,
    _imagined,
    _Pool,
    change_stems,
    select,
)
from schemas.changes import Change, PredictedChange

SETTINGS = SelectionSettings(drawn_sets=12, candidates=30, changes=4, no_change=0.9)
COUNTS = np.array([0.1, 0.2, 0.3, 0.4])

_WORDS = st.sampled_from(["egg", "Eggs", "red pan", "wet", "wet wet", "washing", "in pan"])
CHANGE = st.builds(Change, entity=_WORDS, attribute=_WORDS, before=_WORDS, after=_WORDS)
CANDIDATES = st.lists(st.tuples(CHANGE, st.floats(-20, -0.1)), min_size=1, max_size=12)
_WEIGHTED = st.lists(st.tuples(st.lists(CHANGE, max_size=3, unique=True), st.floats(0.01, 1)), max_size=5)
NEIGHBOURS = _WEIGHTED.map(
    lambda found: [Neighbour(weight / sum(one for _, one in found), tuple(own)) for own, weight in found]
)


def agreement(first: Sequence[str], second: Sequence[str]) -> float:
    """The mean of equality, of the geometric mean of the overlaps of words and of pairs, and of that of words."""

    def dice(one: Counter[object], other: Counter[object]) -> np.float32:
        common, total = (one & other).total(), one.total() + other.total()
        return np.float32(2 * common) / np.float32(max(total, 1))

    words = float(dice(Counter(first), Counter(second)))
    pairs = float(dice(Counter({*pairwise(first)}), Counter({*pairwise(second)})))
    equal = words == 1 and (pairs == 1 or len(first) == 1)
    return (float(equal) + math.sqrt(words * pairs) + words) / 3


def slow(
    candidates: Sequence[Candidate], neighbours: Sequence[Neighbour], chosen_by: SelectionSettings
) -> list[tuple[Change, float]]:
    """The chosen changes and the expected agreement of each with its most similar one."""
    pool = _Pool.of(candidates, neighbours, chosen_by)
    places, _, weights = _imagined(pool, COUNTS, neighbours, chosen_by)
    sets = [[change_stems(pool.changes[place]) for place in row if place >= 0] for row in places]
    open_ = list(pool.changes[: chosen_by.candidates])
    matched = [[0.0] * len(own) for own in sets]
    chosen = list[Change]()
    reached = 0.0

    def tried(change: Change) -> list[list[float]]:
        """What would be matched with this change."""
        after = [list(own) for own in matched]
        for own, texts in zip(after, sets, strict=True):
            gains = [agreement(change_stems(change), text) - old for text, old in zip(texts, own, strict=True)]
            best = max(range(len(texts)), key=lambda place: gains[place])
            own[best] += max(0.0, gains[best])
        return after

    def worth(change: Change) -> float:
        parts = (
            weight * 2 * sum(own) / (len(chosen) + 1 + len(own))
            for own, weight in zip(tried(change), weights, strict=True)
        )
        return float(sum(parts))

    while open_ and len(chosen) < chosen_by.changes:
        best = max(open_, key=lambda change: round(worth(change), 9))
        if round(worth(best), 9) <= reached:
            break
        reached = round(worth(best), 9)
        matched = tried(best)
        chosen.append(best)
        open_ = [change for change in open_ if key(change) != key(best)]
    found = []
    for change in chosen:
        near = [max(agreement(change_stems(change), text) for text in own) for own in sets]
        found.append((change, float(np.dot(near, weights))))
    return found


def key(change: Change) -> tuple[str, str, str]:
    return change.entity.lower(), change.attribute.lower(), change.after.lower()


def check(found: Sequence[PredictedChange], most: int) -> None:
    logs = [one.log_probability for one in found]
    assert logs == sorted(logs, reverse=True)
    assert all(math.isfinite(log) and log <= 0 for log in logs)
    assert len({key(one.change) for one in found}) == len(found) <= most


@settings(max_examples=60)
@given(CANDIDATES, NEIGHBOURS)
def test_the_choice_is_that_of_a_plain_search(candidates: list[Candidate], neighbours: list[Neighbour]) -> None:
    everything = attrs.evolve(SETTINGS, no_change=1.0)
    found = select(candidates, COUNTS, neighbours, everything)
    check(found, everything.changes)
    expected = slow(candidates, neighbours, everything)
    assert {one.change for one in found} == {change for change, _ in expected}
    shares = dict(expected)
    # Two decimals are given.
    assert all(math.isclose(one.log_probability, math.log(shares[one.change]), abs_tol=0.00501) for one in found)
    assert found == select(candidates, COUNTS, neighbours, everything)


@settings(max_examples=60)
@given(
    CANDIDATES,
    NEIGHBOURS,
    st.builds(
        SelectionSettings,
        network_share=st.floats(0.1, 1.0),
        sharpness=st.floats(0.1, 5.0),
        neighbour_sets=st.floats(0.0, 1.0),
        drawn_sets=st.integers(1, 3),
        candidates=st.integers(1, 3),
        changes=st.integers(1, 3),
        no_change=st.just(1.0),
    ),
)
def test_any_settings_choose_different_changes(
    candidates: list[Candidate], neighbours: list[Neighbour], chosen_by: SelectionSettings
) -> None:
    check(select(candidates, COUNTS, neighbours, chosen_by), chosen_by.changes)


def test_changes_that_no_imagined_set_comes_near_are_not_chosen() -> None:
    far = Change(entity="egg", attribute="wetness", before="dry", after="wet")
    near = Change(entity="pan", attribute="place", before="shelf", after="stove")
    chosen_by = attrs.evolve(SETTINGS, candidates=1, neighbour_sets=1.0)
    neighbours = [Neighbour(1.0, (near,))]
    assert select([(far, -0.1)], COUNTS, neighbours, chosen_by) == []
    assert [one.change for one in select([(far, -0.1)], COUNTS, neighbours, attrs.evolve(chosen_by, candidates=2))] == [
        near
    ]


EGG = Change(entity="egg", attribute="wetness", before="dry", after="wet")


@pytest.mark.parametrize(
    ("counts", "weight", "is_empty"),
    [
        ([0.4, 0.6], 0.0, False),
        ([0.41, 0.59], 0.0, True),
        ([0.0, 1.0], 0.3, False),
        ([0.0, 1.0], 0.5, True),
        ([0.2, 0.8], 0.1, False),
        ([0.2, 0.8], 0.3, True),
        ([1.0, 0.0], 1.0, True),
    ],
)
def test_no_change(counts: list[float], weight: float, is_empty: bool) -> None:
    """Whether nothing changes is the mean of what network and neighbours say."""
    neighbours = [Neighbour(weight, ()), Neighbour(1 - weight, (EGG,))]
    found = select([(EGG, -1.0)], np.array(counts), neighbours, SelectionSettings(no_change=0.2))
    assert (found == []) == is_empty


def test_nothing_is_chosen_where_the_network_is_certain() -> None:
    counts = np.array([1.0, 0.0, 0.0])
    assert select([(EGG, -1.0)], counts, [Neighbour(1.0, (EGG,))], SelectionSettings(no_change=1.0)) == []


def test_without_candidates_nothing_is_chosen() -> None:
    assert select([], COUNTS, [Neighbour(1.0, (EGG,))], SETTINGS) == []


@pytest.mark.parametrize("neighbours", [[], [Neighbour(0.5, ()), Neighbour(0.5, ())]])
def test_neighbours_that_change_nothing_leave_it_to_the_network(neighbours: list[Neighbour]) -> None:
    found = select([(EGG, -1.0)], COUNTS, neighbours, SETTINGS)
    assert [(one.change, one.log_probability) for one in found] == [(EGG, 0.0)]


def test_a_change_of_a_neighbour_alone_can_be_chosen() -> None:
    other = Change(entity="pan", attribute="place", before="shelf", after="stove")
    found = select([(EGG, -1.0)], COUNTS, [Neighbour(1.0, (other,))], SETTINGS)
    assert {one.change for one in found} == {EGG, other}


def test_changes_with_the_same_stems_are_one() -> None:
    eggs = attrs.evolve(EGG, entity="eggs")
    pool = _Pool.of([(eggs, -2.0), (EGG, -1.0)], [Neighbour(1.0, (eggs,))], SETTINGS)
    assert pool.changes == [EGG]
    assert pool.probabilities.tolist() == [1.0]


@given(CANDIDATES, NEIGHBOURS)
def test_the_pool_mixes_network_and_neighbours(candidates: list[Candidate], neighbours: list[Neighbour]) -> None:
    pool = _Pool.of(candidates, neighbours, SETTINGS)
    total = sum(math.exp(0.9 * log) for _, log in candidates)
    shares: Counter[tuple[str, ...]] = Counter()
    for change, log in candidates:
        shares[change_stems(change)] += 0.7 * math.exp(0.9 * log) / total  # type: ignore[assignment]
    for neighbour in neighbours:
        for change in neighbour.changes:
            shares[change_stems(change)] += 0.3 * neighbour.weight / len(neighbour.changes)  # type: ignore[assignment]
    every = sum(shares.values())
    found = [change_stems(change) for change in pool.changes]
    assert set(found) == shares.keys()
    assert np.allclose(pool.probabilities, [shares[words] / every for words in found])
    assert all(first >= second - 1e-8 for first, second in pairwise(pool.probabilities))
    near = [[agreement(one, other) for other in found] for one in found]
    assert np.allclose(pool.agreement, near)
