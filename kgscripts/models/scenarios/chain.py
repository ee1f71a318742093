"""Segments from the probabilities of sentences: a chain of labels, and the scenarios of each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from schemas.scenario_documents import NONE, DetectedSegment
from schemas.scenario_scheme import concept_scheme

_RANKED = 5
_BROADER_SHARE = 0.2
"""The factor by which the share of a scenario is raised in the ranking if it is broader than the first one: shopping
for clothes is also going shopping."""

_number = [validators.instance_of(float), validators.ge(-100.0), validators.le(100.0)]


@frozen(kw_only=True)
class DetectorSettings:
    """The settings of the detector besides its weights. Raises ValueError or TypeError for values that are out of
    range."""

    scenarios: tuple[str, ...] = field(
        converter=tuple[str, ...],
        validator=[validators.min_len(1), validators.deep_iterable(validators.instance_of(str))],
    )
    withheld: tuple[str, ...] = field(converter=tuple[str, ...], default=())
    """Scenarios that it knows but does not report: their sentences have the label `NONE`."""
    others: tuple[str, ...] = field(converter=tuple[str, ...], default=())
    """Activities that are no listed scenarios: it knows them, so as not to take them for one that is; their sentences
    have the label `NONE`."""
    none_bias: float = field(default=-1.5, validator=_number)
    """Added to the log probability of `NONE`, since training texts have more of it than a user wants to see."""
    change_cost: float = field(default=0.5, validator=[*_number, validators.ge(0.0)])
    """The cost of a change of label, in nats."""
    floor: float = field(default=0.0, validator=[*_number, validators.ge(0.0), validators.le(1.0)])
    """A segment has no scenario if the first of its ranking has a smaller share there."""
    second_share: float = field(default=0.15, validator=[*_number, validators.ge(0.0), validators.le(1.0)])
    """A segment has a second scenario if that is broader than the first and has at least this part of its share."""

    def __attrs_post_init__(self) -> None:
        if len(set(self.scenarios)) < len(self.scenarios) or NONE in self.scenarios:
            raise ValueError("a scenario that is listed twice, or that is none")
        if not set(self.withheld) < set(self.scenarios):
            raise ValueError("withheld scenarios that are unknown, or all")

    @property
    def labels(self) -> list[str]:
        """The labels of sentences: the scenarios that are reported and, last, `NONE`."""
        return [scenario for scenario in self.scenarios if scenario not in self.withheld] + [NONE]


def label_scores(scores: NDArray[np.float64], settings: DetectorSettings) -> NDArray[np.float64]:
    """Log probabilities of `settings.labels`, (sentences, labels), from those of all scenarios, the other activities
    and, last, `NONE`."""
    if not settings.withheld and not settings.others:
        return scores
    reported = [scenario not in settings.withheld for scenario in settings.scenarios]
    withheld = ~np.array([*reported, *(False for _ in settings.others), False])
    none = np.logaddexp.reduce(scores[:, withheld], axis=1, keepdims=True)
    return np.concatenate([scores[:, ~withheld], none], axis=1).round(4)


def detected_segments(scores: NDArray[np.float64], settings: DetectorSettings) -> list[DetectedSegment]:
    """The segments of a text with these `label_scores` of its sentences."""
    scores = biased(scores, settings)
    chain = best_chain(scores, settings.change_cost)
    return [segment(scores[start:end], start, settings, chain[start]) for start, end in runs(chain)]


def biased(scores: NDArray[np.float64], settings: DetectorSettings) -> NDArray[np.float64]:
    """Scores with the bias of `NONE`."""
    bias = np.zeros(scores.shape[1])
    bias[-1] = settings.none_bias
    return scores + bias


def segment(
    scores: NDArray[np.float64], start: int, settings: DetectorSettings, label: int | None = None
) -> DetectedSegment:
    """The segment of sentences with these `biased` scores, (sentences, labels), the first of which is at `start`.

    Its first scenario is `label`, by default the one that is most probable for all of its sentences. Shares are mean
    probabilities, so that the second scenario may be one that some of the sentences are about.
    """
    names = settings.labels
    mean = scores.mean(axis=0)
    first = int(mean.argmax()) if label is None else label
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = (shares / shares.sum(axis=1, keepdims=True)).mean(axis=0)
    shares[first] = shares.max()
    broader = [names.index(label) for label in _broader().get(names[first], ()) if label in names]
    second = [place for place in broader if shares[place] >= settings.second_share * shares[first]]
    ranks = shares.copy()
    ranks[broader] += _BROADER_SHARE
    ranks[first] = ranks.max()
    others = [place for place in np.argsort(-ranks, kind="stable") if place != first]
    ranking = [(names[place], round(float(ranks[place] / ranks.sum()), 4)) for place in (first, *others)[:_RANKED]]
    is_none = names[first] == NONE or ranking[0][1] < settings.floor
    return DetectedSegment(
        start=start,
        end=start + len(scores),
        ranking=ranking,
        scenarios=[] if is_none else [names[place] for place in (first, *second[:1])],
    )


@cache
def _broader() -> Mapping[str, tuple[str, ...]]:
    return {concept.label: concept.broader for concept in concept_scheme() if concept.broader}


def best_chain(scores: NDArray[np.float64], change_cost: float) -> list[int]:
    """The sequence of labels with the highest sum of `scores` (sentences, labels), less the cost of each change."""
    if not len(scores):
        return []
    sums = scores[0]
    came_from = []
    for row in scores[1:]:
        best = int(sums.argmax())
        changes = sums < sums[best] - change_cost
        came_from.append(np.where(changes, best, np.arange(len(sums))))
        sums = np.where(changes, sums[best] - change_cost, sums) + row
    label = int(sums.argmax())
    chain = [label]
    for places in reversed(came_from):
        label = int(places[label])
        chain.append(label)
    return chain[::-1]


def runs(chain: Sequence[int]) -> list[tuple[int, int]]:
    """The maximal stretches of one label, as start and end."""
    edges = [place for place in range(len(chain)) if not place or chain[place] != chain[place - 1]]
    return list(pairwise([*edges, len(chain)]))
