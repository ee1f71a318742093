"""What the detector learns from: passages that were written for it, and stories; documents are made of them."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib import resources

from attrs import field, frozen

from kgscripts.corpora.scenario_documents import LabelledStory
from schemas.scenario_documents import NONE

_FILES = ("passages_1.jsonl", "passages_2.jsonl", "passages_3.jsonl", "passages_none.jsonl")
_MOST_PASSAGES = 6
_CUTS = (1, 2, 2, 3, 3, 4, 5, 6)
"""Lengths of what is cut out of a story."""

Sentences = tuple[str, ...]


@frozen
class Passage:
    """Consecutive sentences about a scenario, or about none (`NONE`)."""

    scenario: str
    sentences: Sentences


@frozen
class MadeDocument:
    """Sentences with the scenario of each, or `NONE`."""

    sentences: Sequence[str]
    labels: Sequence[str]


def written_passages() -> list[Passage]:
    """The passages that were written for training: eight of each listed scenario, and 420 of none."""
    found = []
    for name in _FILES:
        text = (resources.files("lightning_modules.scenarios") / "data" / name).read_text(encoding="utf-8")
        for line in text.splitlines():
            record = json.loads(line)
            found.append(Passage(record.get("scenario", NONE), tuple(record["sentences"])))
    return found


@frozen
class DocumentMaker:
    """Makes documents like natural stories: short passages about a few scenarios, returns, and what is about none."""

    passages: Sequence[Passage]
    stories: Sequence[LabelledStory]
    story_share: float
    _written: Mapping[str, list[Sentences]] = field(init=False)
    _told: Mapping[str, list[Sentences]] = field(init=False)

    @_written.default
    def _by_scenario(self) -> Mapping[str, list[Sentences]]:
        found: dict[str, list[Sentences]] = defaultdict(list)
        for passage in self.passages:
            found[passage.scenario].append(passage.sentences)
        return found

    @_told.default
    def _stories_by_scenario(self) -> Mapping[str, list[Sentences]]:
        found: dict[str, list[Sentences]] = defaultdict(list)
        for story in self.stories:
            found[story.scenario].append(tuple(story.sentences))
        return found

    def make(self, draw: random.Random) -> MadeDocument:
        """One document; all random choices come from `draw`."""
        scenarios = sorted(name for name in self._written if name != NONE)
        sentences: list[str] = []
        labels: list[str] = []
        used: list[str] = []
        for _ in range(draw.randint(2, _MOST_PASSAGES)):
            parts = [(NONE, self._about_none(draw))] if draw.random() < 0.5 else []
            scenario = draw.choice(used) if used and draw.random() < 0.25 else draw.choice(scenarios)
            used.append(scenario)
            for label, own in [*parts, (scenario, self._about(scenario, draw))]:
                sentences += own
                labels += [label] * len(own)
        return MadeDocument(sentences, labels)

    def _about(self, scenario: str, draw: random.Random) -> Sentences:
        told = self._told.get(scenario)
        if told and draw.random() < self.story_share:
            return _cut(draw.choice(told), draw.choice(_CUTS), draw)
        written = self._written[scenario]
        passage = draw.choice(written)
        chance = draw.random()
        if chance < 0.4:
            return _cut(passage, draw.choice((1, 2)), draw)
        return passage + draw.choice(written) if chance < 0.6 else passage

    def _about_none(self, draw: random.Random) -> Sentences:
        written = self._written[NONE]
        passage = draw.choice(written)
        return passage + draw.choice(written) if draw.random() < 0.3 else passage


def _cut(sentences: Sentences, length: int, draw: random.Random) -> Sentences:
    """Consecutive sentences, at most so many."""
    start = draw.randrange(max(1, len(sentences) - length + 1))
    return sentences[start : start + length]
