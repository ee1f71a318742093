"""What a text as a whole is about, given what a model found in its sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

SHORT = 15
"""A text of at most this number of sentences is about one thing, unless it tells as much of another."""
LONGEST = 60
"""A longer text is about more than one thing: it has no scenario as a whole."""
_LEAST_SHARE = 0.15
"""The least share of a short text, by probability, that its scenario has."""
_LEAST_PART = 0.5
"""The part of what the first scenario has, by probability, that another one has at least."""
_LEAST_RUN = 3

Labels = Sequence[Mapping[str, float]]
"""Of each sentence, the probabilities of the scenarios that it is about, the first one first."""


def without_asides(of_sentences: Labels, *, is_whole: bool = False) -> list[Mapping[str, float]]:
    """The labels of a text, without asides where one scenario is what it is about: the text is short, or most of its
    sentences are about that one, or `is_whole` says so of one of at most `LONGEST` sentences. Another scenario is an
    aside if it has few sentences, as a dog's coat or a call in between have. A sentence of an aside joins the scenario
    that goes on around it, with no probability of its own. A whole has no other scenario.

    Nothing is left of a short text that hardly tells of its first scenario.
    """
    first = [next(iter(labels), "") for labels in of_sentences]
    mass = _masses(of_sentences)
    main = main_of(of_sentences)
    most = mass[main]
    counts = Counter(first)
    is_short = len(of_sentences) <= (LONGEST if is_whole else SHORT)
    if not main or not (is_short or 2 * counts[main] >= len(of_sentences)):
        return list(of_sentences)
    if is_short and most < _LEAST_SHARE * len(of_sentences):
        return [{} for _ in of_sentences]
    kept_names = {name for name, share in mass.items() if share >= _LEAST_PART * most and counts[name] >= _LEAST_RUN}
    kept_names = {main} if is_whole else kept_names | {main}
    kept: list[Mapping[str, float]] = []
    for is_aside, run in groupby(
        range(len(of_sentences)), key=lambda place: bool(first[place]) and first[place] not in kept_names
    ):
        places = list(run)
        around = {first[place] for place in (places[0] - 1, places[-1] + 1) if 0 <= place < len(of_sentences)} - {""}
        if is_aside:
            kept += [dict.fromkeys(around, 0.0) if len(around) == 1 else {}] * len(places)
        elif is_whole:
            kept += [{name: sure for name, sure in of_sentences[place].items() if name == main} for place in places]
        else:
            kept += [of_sentences[place] for place in places]
    if is_short and kept_names == {main}:
        about_main = [place for place, name in enumerate(first) if name == main]
        kept[about_main[0] : about_main[-1]] = [
            labels or {main: 0.0} for labels in kept[about_main[0] : about_main[-1]]
        ]
    return kept


def stretches(of_sentences: Labels) -> list[tuple[str, int, int, float]]:
    """The longest stretches of sentences about each scenario, as its name, start, end and mean probability."""
    runs: dict[str, list[tuple[int, int, float]]] = {}
    for place, labels in enumerate(of_sentences):
        for scenario, sure in labels.items():
            of_scenario = runs.setdefault(scenario, [])
            start, mass = place, sure
            if of_scenario and of_scenario[-1][1] == place:
                start, _, before = of_scenario.pop()
                mass += before
            of_scenario.append((start, place + 1, mass))
    return [
        (scenario, start, end, mass / (end - start))
        for scenario, of_scenario in runs.items()
        for start, end, mass in of_scenario
    ]


def main_of(of_sentences: Labels) -> str:
    """The scenario that most of a text is about, by the probabilities of its sentences; "" if there is none."""
    return max(_masses(of_sentences).items(), key=lambda item: (item[1], item[0]), default=("", 0.0))[0]


def _masses(of_sentences: Labels) -> Counter[str]:
    mass: Counter[str] = Counter()
    for labels in of_sentences:
        for name, sure in list(labels.items())[:1]:
            mass[name] += sure  # type: ignore[assignment]
    return mass


def share_of(name: str, of_sentences: Labels) -> float:
    """The mean probability of a scenario over the sentences of a text."""
    return sum(labels.get(name, 0.0) for labels in of_sentences) / max(1, len(of_sentences))


def most_central(vectors: NDArray[np.int8], names: NDArray[np.int8]) -> int:
    """Which of the names is nearest to the middle of the sentences with these vectors; of equal ones the first."""
    middle = _unit(vectors).sum(axis=0)
    return int((_unit(names) @ middle).round(3).argmax())


def _unit(vectors: NDArray[np.int8]) -> NDArray[np.float64]:
    floats = vectors.astype(float)
    lengths: NDArray[np.float64] = np.maximum(np.linalg.norm(floats, axis=1, keepdims=True), 1e-9)
    return floats / lengths
