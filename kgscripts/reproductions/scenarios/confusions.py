"""Which scenarios are confused, and whether these are related (Wanzare, Roth and Pinkal 2019, section 5.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import log2
from statistics import StatisticsError, correlation

from attrs import frozen

from kgscripts.reproductions.scenarios.counts import LabelScore, Outcome
from schemas.scenario_documents import NONE


@frozen(kw_only=True)
class Confusion:
    """A gold scenario that was missed in sentences for which another one was predicted, with the PMI of both."""

    gold: str
    predicted: str
    sentences: int
    pmi: float


@frozen(kw_only=True)
class Confusions:
    """All confusions of two scenarios, most sentences first, and in how many sentences one is confused with None."""

    pairs: tuple[Confusion, ...]
    scenario_as_none: int
    none_as_scenario: int

    def share(self, first: int) -> float:
        """The share of the `first` most frequent pairs in all confusions of two scenarios."""
        total = sum(pair.sentences for pair in self.pairs)
        return sum(pair.sentences for pair in self.pairs[:first]) / total if total else 0.0


def pair_pmi(documents: Sequence[Iterable[str]]) -> dict[tuple[str, str], float]:
    """The pointwise mutual information of each two scenarios that share a document, both ways round.

    It is relative to the documents (equation 1), in bits: Table 7 has values that natural logarithms cannot reach (3.96
    for a scenario of 16 in 504 documents). `documents` are the gold scenarios of each.
    """
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for scenarios in documents:
        distinct = sorted(set(scenarios))
        single.update(distinct)
        both.update(combinations(distinct, 2))
    found = {pair: log2(len(documents) * count / (single[pair[0]] * single[pair[1]])) for pair, count in both.items()}
    return found | {(other, one): value for (one, other), value in found.items()}


def count_confusions(outcomes: Sequence[Outcome], pmi: Mapping[tuple[str, str], float]) -> Confusions:
    """Count the sentences in which one label was missed and another one predicted.

    As in Table 7, the PMI of two scenarios that share no document is 0.
    """
    counts = Counter((gold, wrong) for outcome in outcomes for gold in outcome.missed for wrong in outcome.wrong)
    pairs = [
        Confusion(gold=gold, predicted=predicted, sentences=count, pmi=pmi.get((gold, predicted), 0.0))
        for (gold, predicted), count in counts.items()
        if NONE not in (gold, predicted)
    ]
    return Confusions(
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.sentences, pair.gold, pair.predicted))),
        scenario_as_none=sum(NONE in outcome.wrong for outcome in outcomes),
        none_as_scenario=sum(NONE in outcome.missed for outcome in outcomes),
    )


def correlate(scores: Mapping[str, LabelScore], pmi: Mapping[tuple[str, str], float]) -> dict[str, float]:
    """Pearson correlations of the scores of the gold scenarios with their PMI and their numbers of sentences.

    They are left out where one side is constant. The paper does not say how a scenario gets a PMI. Here, it is the
    highest one with another scenario, or 0 if the scenario shares no document with another one.
    """
    highest: dict[str, float] = {}
    for (scenario, _), value in pmi.items():
        highest[scenario] = max(value, highest.get(scenario, value))
    chosen = {name: label for name, label in scores.items() if name != NONE}
    related = [highest.get(name, 0.0) for name in chosen]
    sentences = [float(label.sentences) for label in chosen.values()]
    precision, recall, f1 = ([label.score[index] for label in chosen.values()] for index in range(3))
    found = {
        "recall with PMI": _pearson(recall, related),
        "F1 with PMI": _pearson(f1, related),
        "precision with sentences": _pearson(precision, sentences),
        "F1 with sentences": _pearson(f1, sentences),
    }
    return {name: value for name, value in found.items() if value is not None}


def _pearson(one: Sequence[float], other: Sequence[float]) -> float | None:
    try:
        return correlation(one, other)
    except StatisticsError:
        return None
