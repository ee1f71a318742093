"""Documents that the detector learns from, made of passages and stories.

Stories without a label get one from passages that resemble them.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby

import attrs
import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.reproductions.scenarios.documents import LabelledStory, read_scenario_documents
from lightning_modules.task_settings import DetectorTrainingSettings
from schemas.scenario_documents import NONE, ScenarioDocument

Sentences = tuple[str, ...]


@frozen
class Passage:
    """Consecutive sentences about a scenario, or about none (`NONE`)."""

    scenario: str
    sentences: Sentences


def written_passages() -> list[Passage]:
    """The passages that were written for training: 32 of each listed scenario, and 420 of none."""
    lines = (line for name in ("passages.jsonl", "passages_none.jsonl") for line in _lines(name))
    return [Passage(record.get("scenario", NONE), tuple(record["sentences"])) for record in map(json.loads, lines)]


def written_stories() -> list[ScenarioDocument]:
    """The labelled stories that were written for training."""
    with resources.as_file(_data("stories.jsonl")) as path:
        return read_scenario_documents(path)


def story_passages(stories: Sequence[ScenarioDocument]) -> Iterator[Passage]:
    """The longest stretches of stories with the same labels, if these are one scenario or none."""
    for story in stories:
        labels = story.labels()
        for names, places in groupby(range(len(labels)), key=labels.__getitem__):
            if len(names) <= 1:
                yield Passage(names[0] if names else NONE, tuple(story.sentences[place] for place in places))


def _lines(name: str) -> list[str]:
    return _data(name).read_text(encoding="utf-8").splitlines()


def _data(name: str) -> Traversable:
    return resources.files("lightning_modules.scenarios") / "data" / name


_MOST_PASSAGES = 6
_CUTS = (1, 2, 2, 3, 3, 4, 5, 6)
"""Lengths of the parts that are cut out of a story."""
_LONG_PASSAGES = (2, 4)
_LONG = (3, 12)
"""How many passages a document of long ones has, and how many sentences each."""


@frozen
class MadeDocument:
    """Sentences with the scenario of each, or `NONE`."""

    sentences: Sequence[str]
    labels: Sequence[str]


def _grouped(passages: Iterable[Passage]) -> Mapping[str, list[Sentences]]:
    groups: dict[str, list[Sentences]] = defaultdict(list)
    for passage in passages:
        groups[passage.scenario].append(passage.sentences)
    return groups


@frozen
class DocumentMaker:
    """Makes documents; all random choices come from the given generator.

    They are written stories, documents like them (short passages about a few scenarios, returns, and passages about
    none), and documents of long passages, in the shares that the settings have.
    """

    passages: Sequence[Passage]
    written: Sequence[ScenarioDocument]
    stories: Sequence[LabelledStory]
    settings: DetectorTrainingSettings

    @cached_property
    def _passages(self) -> Mapping[str, list[Sentences]]:
        return _grouped([*self.passages, *story_passages(self.written)])

    @cached_property
    def _scenarios(self) -> Sequence[str]:
        return sorted(self._passages.keys() - {NONE})

    @cached_property
    def _told(self) -> Mapping[str, list[Sentences]]:
        return _grouped(Passage(story.scenario, tuple(story.sentences)) for story in self.stories)

    @cached_property
    def _told_scenarios(self) -> Sequence[str]:
        return sorted(self._told)

    def make(self, draw: random.Random) -> MadeDocument:
        """One document."""
        kind = draw.random()
        if self.written and kind < self.settings.written_share:
            story = draw.choice(self.written)
            return MadeDocument(story.sentences, [draw.choice(names) if names else NONE for names in story.labels()])
        if kind > 1 - self.settings.long_share:
            return self._of_long_passages(draw)
        return self._of_passages(draw)

    def _of_passages(self, draw: random.Random) -> MadeDocument:
        parts: list[Passage] = []
        used: list[str] = []
        for _ in range(draw.randint(2, _MOST_PASSAGES)):
            if draw.random() < 0.5:
                parts.append(Passage(NONE, self._about_none(draw)))
            scenario = draw.choice(used) if used and draw.random() < 0.25 else draw.choice(self._scenarios)
            used.append(scenario)
            parts.append(Passage(scenario, self._about(scenario, draw)))
        return _joined(parts)

    def _of_long_passages(self, draw: random.Random) -> MadeDocument:
        parts: list[Passage] = []
        for _ in range(draw.randint(*_LONG_PASSAGES)):
            if draw.random() < 0.3:
                none = [sentence for _ in range(draw.randint(1, 3)) for sentence in self._about_none(draw)]
                parts.append(Passage(NONE, tuple(none)))
            with_stories = self._told_scenarios
            scenario = draw.choice(with_stories if with_stories and draw.random() < 0.5 else self._scenarios)
            length = draw.randint(*_LONG)
            if scenario in self._told:
                sentences = draw.choice(self._told[scenario])
            else:
                sentences = ()
                while len(sentences) < length:
                    sentences += draw.choice(self._passages[scenario])
            parts.append(Passage(scenario, _cut(sentences, length, draw)))
        return _joined(parts)

    def _about(self, scenario: str, draw: random.Random) -> Sentences:
        stories = self._told.get(scenario)
        if stories and draw.random() < self.settings.story_share:
            return _cut(draw.choice(stories), draw.choice(_CUTS), draw)
        passages = self._passages[scenario]
        passage = draw.choice(passages)
        chance = draw.random()
        if chance < 0.4:
            return _cut(passage, draw.choice((1, 2)), draw)
        return passage + draw.choice(passages) if chance < 0.6 else passage

    def _about_none(self, draw: random.Random) -> Sentences:
        passages = self._passages[NONE]
        passage = draw.choice(passages)
        return passage + draw.choice(passages) if draw.random() < 0.3 else passage


def _joined(parts: Sequence[Passage]) -> MadeDocument:
    return MadeDocument(
        [sentence for part in parts for sentence in part.sentences],
        [part.scenario for part in parts for _ in part.sentences],
    )


def _cut(sentences: Sentences, length: int, draw: random.Random) -> Sentences:
    """At most this number of consecutive sentences."""
    start = draw.randrange(max(1, len(sentences) - length + 1))
    return sentences[start : start + length]


Vectors = Callable[[Sequence[str]], NDArray[np.float64]]
"""Unit vectors of sentences, (sentences, size)."""

_PART = 8
"""Sentences of the parts of labelled stories, as passages are short too."""
_SHRINKAGE = 0.4
"""How much the common covariance is drawn to that of independent features of equal variance."""


def labelled_by_passages(
    stories: Sequence[LabelledStory],
    passages: Iterable[Passage],
    labelled: Iterable[LabelledStory],
    vectors: Vectors,
    share: float,
) -> list[LabelledStory]:
    """The share of `stories` whose scenario is clearest, with it, as passages and labelled stories tell.

    The mean vectors of passages are taken to be normally distributed about that of their scenario, all with one
    covariance (linear discriminant analysis); a story is the clearer, the more likely its scenario is than the next.
    """
    known = [*_vectors_by_scenario(passages, labelled, vectors)]
    scenarios = sorted({scenario for scenario, _ in known})
    if not stories or len(scenarios) < 2 or not share:
        return []
    places = np.array([scenarios.index(scenario) for scenario, _ in known])
    rows = np.stack([vector for _, vector in known])
    means = np.stack([rows[places == place].mean(axis=0) for place in range(len(scenarios))])
    spread = np.atleast_2d(np.cov((rows - means[places]).T))
    size = len(spread)
    covariance = (1 - _SHRINKAGE) * spread + (_SHRINKAGE * np.trace(spread) / size + 1e-9) * np.eye(size)
    weights = np.linalg.solve(covariance, means.T)
    bias = -0.5 * np.einsum("kd,dk->k", means, weights)
    scores = np.stack([_mean(vectors(story.sentences)) for story in stories]) @ weights + bias
    ranked = np.sort(scores, axis=1)
    margins = ranked[:, -1] - ranked[:, -2]
    clearest = sorted(np.argsort(-margins, kind="stable")[: round(share * len(stories))])
    return [attrs.evolve(stories[place], scenario=scenarios[int(scores[place].argmax())]) for place in clearest]


def _vectors_by_scenario(
    passages: Iterable[Passage], labelled: Iterable[LabelledStory], vectors: Vectors
) -> Iterable[tuple[str, NDArray[np.float64]]]:
    for passage in passages:
        if passage.scenario != NONE:
            yield passage.scenario, _mean(vectors(passage.sentences))
    for story in labelled:
        for start in range(0, len(story.sentences), _PART):
            yield story.scenario, _mean(vectors(story.sentences[start : start + _PART]))


def _mean(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The direction of the sum of unit vectors."""
    total = rows.sum(axis=0)
    mean: NDArray[np.float64] = total / max(float(np.linalg.norm(total)), 1e-9)
    return mean
