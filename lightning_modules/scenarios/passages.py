"""What the detector learns from: passages and stories that were written for it, and stories of corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import groupby

from attrs import frozen

from kgscripts.reproductions.scenarios.documents import read_scenario_documents
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
        for own, places in groupby(range(len(labels)), key=labels.__getitem__):
            if len(own) <= 1:
                yield Passage(own[0] if own else NONE, tuple(story.sentences[place] for place in places))


def _lines(name: str) -> list[str]:
    return _data(name).read_text(encoding="utf-8").splitlines()


def _data(name: str) -> Traversable:
    return resources.files("lightning_modules.scenarios") / "data" / name
