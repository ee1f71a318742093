"""Choosing the set of state changes to predict: the one with the highest expected agreement with the answers of a
person.

Two answer sets for one step seldom agree word by word, so the most probable changes are not the best answer. As in
minimum-Bayes-risk decoding (Kumar and Byrne 2004), answer sets are sampled, and changes are chosen one by one that
raise the expected agreement with these samples. Half of the samples are drawn from the network, the others are the
changes of the most similar training steps. Each change of a sample can be matched by one choice only, so that
near-copies of a safe change gain nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from kgscripts.reproductions.openpi.composer.beam import Candidate
from kgscripts.reproductions.openpi.composer.neighbours import Neighbour
from kgscripts.text.porter import stem
from schemas.changes import Change, PredictedChange

_share = [validators.instance_of(float), validators.ge(0.0), validators.le(1.0)]
_positive = [validators.instance_of(float), validators.gt(0.0)]
_count = [validators.instance_of(int), validators.ge(1)]

Words = tuple[str, ...]
Scores = NDArray[np.float64]

_DIGITS = 9


@frozen(kw_only=True)
class SelectionSettings:
    """The settings of the choice; the defaults were chosen on how-tos of OpenPI's train split that training left
    out."""

    network_share: float = field(default=0.7, validator=[*_share, validators.gt(0.0)])
    """The network's weight in the probability of a change; the neighbours have the rest."""
    sharpness: float = field(default=0.9, validator=[*_positive, validators.lt(math.inf)])
    """The power to which the network's probabilities are raised."""
    neighbour_sets: float = field(default=0.5, validator=_share)
    """The weight of the neighbours' sets among the samples."""
    drawn_sets: int = field(default=64, validator=[*_count, validators.le(500)])
    """The number of sets that are drawn from the network."""
    candidates: int = field(default=100, validator=[*_count, validators.le(500)])
    """The number of candidates: the most probable changes."""
    changes: int = field(default=9, validator=[*_count, validators.le(100)])
    """The most changes of a step."""
    no_change: float = field(default=0.2, validator=_share)
    """Nothing is predicted if "no change" has this probability."""


def select(
    candidates: Sequence[Candidate],
    counts: NDArray[np.float64],
    neighbours: Sequence[Neighbour],
    settings: SelectionSettings,
) -> list[PredictedChange]:
    """The changes that are chosen for a step, most probable first.

    `counts` are the probabilities of 0, 1, 2, ... changes. The probability of a change is its expected agreement with
    the most similar change of an imagined set. No two have the same entity, attribute and after-state.
    """
    unchanged = (counts[0] + sum(one.weight for one in neighbours if not one.changes)) / 2
    if unchanged > settings.no_change or not candidates or not counts[1:].any():
        return []
    pool = _Pool.of(candidates, neighbours, settings)
    places, sizes, weights = _imagined(pool, counts, neighbours, settings)
    agreement = np.where(places >= 0, pool.agreement[:, places], 0.0)
    best = agreement.max(axis=2)
    matched = np.zeros(places.shape)
    open_ = np.ones(len(agreement), dtype=bool)
    rows = np.arange(len(places))
    chosen: list[int] = []
    reached = 0.0
    while open_.any() and len(chosen) < settings.changes:
        gains = np.maximum(agreement - matched, 0.0)
        gained = gains.max(axis=2)
        expected = np.where(open_, (2 * (matched.sum(axis=1) + gained) / (len(chosen) + 1 + sizes)) @ weights, 0.0)
        expected = expected.round(_DIGITS)
        place = int(expected.argmax())
        if expected[place] <= reached:
            break
        reached = float(expected[place])
        chosen.append(place)
        columns = gains[place].argmax(axis=1)
        matched[rows, columns] = np.where(gained[place] > 0, agreement[place, rows, columns], matched[rows, columns])
        open_ &= pool.differ(place)
    # Two decimals: the last bits of a network differ between processors.
    logs = [min(0.0, round(math.log(float(best[place] @ weights)), 2)) for place in chosen]
    predictions = [
        PredictedChange(change=pool.changes[place], log_probability=log)
        for place, log in zip(chosen, logs, strict=True)
    ]
    return sorted(predictions, key=lambda one: -one.log_probability)


@frozen
class _Pool:
    """All considered changes, most probable first, one for each sequence of stems.

    `agreement` (chosen from, changes) is that of the first ones with all.
    """

    changes: Sequence[Change]
    probabilities: Scores
    words: Mapping[Words, int]
    agreement: Scores

    @classmethod
    def of(cls, candidates: Sequence[Candidate], neighbours: Sequence[Neighbour], settings: SelectionSettings) -> _Pool:
        shares: dict[Words, float] = {}
        changes: dict[Words, Change] = {}
        logs = np.array([score for _, score in candidates])
        powers = np.exp((logs - logs.max()) * settings.sharpness)
        for (change, _), power in sorted(
            zip(candidates, powers / powers.sum(), strict=True), key=lambda pair: -pair[1]
        ):
            words = change_stems(change)
            shares[words] = shares.get(words, 0.0) + settings.network_share * float(power)
            changes.setdefault(words, change)
        for neighbour in neighbours:
            for change in neighbour.changes:
                words = change_stems(change)
                share = (1 - settings.network_share) * neighbour.weight / len(neighbour.changes)
                shares[words] = shares.get(words, 0.0) + share
                changes.setdefault(words, change)
        order = sorted(shares, key=lambda words: (-round(shares[words], _DIGITS), words))
        probabilities = np.array([shares[words] for words in order])
        return cls(
            changes=[changes[words] for words in order],
            probabilities=probabilities / probabilities.sum(),
            words={words: place for place, words in enumerate(order)},
            agreement=_agreement(order, settings.candidates),
        )

    def differ(self, place: int) -> NDArray[np.bool_]:
        """Which candidates differ from a change in entity, attribute or after-state."""
        chosen = _identity(self.changes[place])
        return np.array([_identity(change) != chosen for change in self.changes[: len(self.agreement)]])


@lru_cache(maxsize=100_000)
def change_stems(change: Change) -> Words:
    """The stems of all words of a change, in the order of the sentence."""
    text = f"{change.attribute} {change.entity} {change.before} {change.after}"
    return tuple(stem(word) for word in text.lower().split())


def _identity(change: Change) -> tuple[str, str, str]:
    return change.entity.lower(), change.attribute.lower(), change.after.lower()


def _imagined(
    pool: _Pool, counts: NDArray[np.float64], neighbours: Sequence[Neighbour], settings: SelectionSettings
) -> tuple[NDArray[np.int64], NDArray[np.int64], Scores]:
    """Sets as places in the pool (sets, most changes), padded with -1, their sizes and weights (sets,)."""
    draw = np.random.default_rng(0)  # The same for every step, so that a step has the same changes everywhere.
    share = counts[1:] / counts[1:].sum()
    sizes = draw.choice(len(share), settings.drawn_sets, p=share) + 1
    known = [one for one in neighbours if one.changes]
    sizes = np.concatenate([sizes, np.array([len(one.changes) for one in known], dtype=np.int64)])
    places = np.full((len(sizes), sizes.max()), -1)
    drawn = draw.choice(len(pool.changes), (settings.drawn_sets, sizes.max()), p=pool.probabilities)
    places[: settings.drawn_sets] = np.where(np.arange(sizes.max()) < sizes[: settings.drawn_sets, None], drawn, -1)
    for row, neighbour in enumerate(known, settings.drawn_sets):
        places[row, : sizes[row]] = [pool.words[change_stems(change)] for change in neighbour.changes]
    total = sum(one.weight for one in known)
    of_neighbours = settings.neighbour_sets if known else 0.0
    weights = [(1 - of_neighbours) / settings.drawn_sets] * settings.drawn_sets
    return places, sizes, np.array([*weights, *(of_neighbours * one.weight / total for one in known)])


def _agreement(texts: Sequence[Words], first: int) -> Scores:
    """The agreement of each of the `first` texts with each text, 0 to 1: (first, texts).

    The mean of three measures, which stand for the exact match, BLEU-2 and ROUGE-L of OpenPI's evaluator and are
    products of matrices: equality, the geometric mean of the overlaps (Dice) of words and of pairs of words, and the
    overlap of words.
    """
    words = _overlap([_numbered(text) for text in texts], first)
    pairs = _overlap([list(pairwise(text)) for text in texts], first)
    short = np.array([len(text) < 2 for text in texts])
    equal = np.isclose(words, 1.0) & (np.isclose(pairs, 1.0) | short)
    agreement: Scores = (equal + np.sqrt(words * pairs) + words) / 3
    return agreement


def _numbered(text: Words) -> list[tuple[str, int]]:
    """Each word with the number of times that it occurred before."""
    return [(word, text[:place].count(word)) for place, word in enumerate(text)]


def _overlap(items: Sequence[Sequence[object]], first: int) -> Scores:
    columns: dict[object, int] = {}
    places = [[columns.setdefault(item, len(columns)) for item in own] for own in items]
    contains = np.zeros((len(items), len(columns)), dtype=np.float32)
    rows = np.repeat(np.arange(len(items)), [len(own) for own in places])
    contains[rows, list(chain.from_iterable(places))] = 1
    sizes = contains.sum(axis=1)
    common = contains[:first] @ contains.T
    overlap: Scores = (2 * common / np.maximum(sizes[:first, None] + sizes, 1)).astype(np.float64)
    return overlap
