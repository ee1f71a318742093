"""The stories that models of scenarios are trained on, and the documents that they are tuned on.

Calibration gives a trained detector activities that are not listed, and a least confidence.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path

from attrs import evolve, frozen

from kgscripts.corpora.scenarios.labels import is_listed, scenario_of
from kgscripts.models.checkpoint import check_place, load_checkpoint, save_checkpoint
from kgscripts.models.registry import find_checkpoint
from kgscripts.models.scenarios.detector import ScenarioDetector, load_detector
from kgscripts.models.scenarios.list import read_scenario_list
from kgscripts.reproductions.scenarios.confidence import best_floor, scored_documents
from kgscripts.reproductions.scenarios.documents import (
    LabelledStory,
    document_line,
    read_scenario_documents,
    stories_of,
    story_documents,
)
from schemas.errors import InputError
from schemas.scenario_documents import ScenarioDocument


def calibrated(detector: ScenarioDetector, documents: Sequence[ScenarioDocument]) -> ScenarioDetector:
    """The detector with the activities that ship for it, and with the floor that is best on the documents.

    The activities (``data/other_activities.jsonl``) were written for this: they are no listed scenarios, and a detector
    that does not know them takes them for some that are.
    """
    with resources.as_file(resources.files("lightning_modules.learning") / "data" / "other_activities.jsonl") as path:
        activities = read_scenario_list(path)
    extended = detector.with_others(activities)
    return extended.with_floor(best_floor(scored_documents(documents, extended)))


def calibrate(name_or_directory: str, documents: Sequence[ScenarioDocument], out: Path) -> ScenarioDetector:
    """Write the checkpoint of a detector that is `calibrated`, and return the detector.

    Scores of the old checkpoint are left out, since they are those of another model.

    Raises ModelError if there is no such detector, or the checkpoint cannot be written.
    """
    check_place(out)
    detector = calibrated(load_detector(name_or_directory), documents)
    card = load_checkpoint(find_checkpoint(name_or_directory, "scenarios")).card
    save_checkpoint(detector.checkpoint(evolve(card, scores=(), slice=())), out)
    return detector


_REMEDY = "give stories with a label of one of the listed scenarios, such as MCScript's labelled-data.xml"
_SHARED = 3
"""Sentences that a document has of a story if it is made of it; fewer may be equal by chance."""


@frozen
class StoryFiles:
    """Stories and development documents, and the names of their files without folders."""

    names: Sequence[str]
    stories: Sequence[LabelledStory]
    """Each text once. Those about a listed scenario have its label, the others none."""
    development_name: str
    development: Sequence[ScenarioDocument]
    withheld: Sequence[str] = ()
    """The scenarios that are no labels, since documents are made of their stories and have no scenario there."""

    @classmethod
    def read(
        cls, paths: Sequence[Path], development: Path, held_out: Sequence[Path] = (), *, limit: int | None = None
    ) -> StoryFiles:
        """Read stories, at most `limit`, without those that the documents are made of.

        A story is left out if a development or held-out document has three of its sentences. If these have no scenario
        there, its scenario is withheld from the labels: all its stories are left out.

        Raises InputError for files that cannot be read, and without any story about a listed scenario.
        """
        documents = read_scenario_documents(development)
        others = [document for path in held_out for document in read_scenario_documents(path)]
        texts = [document for path in paths for document in story_documents(path)][:limit]
        names = [path.name for path in paths]
        # Before the texts are split into sentences, which takes minutes.
        if not any(is_listed(scenario_of(text)) for text in texts):
            raise InputError("no story about a listed scenario", where=", ".join(names), remedy=_REMEDY)
        story_of: dict[tuple[str, ...], LabelledStory] = {}
        for story in stories_of(texts):
            scenario = story.scenario if is_listed(story.scenario) else ""
            if story.sentences and (story.sentences not in story_of or scenario):
                story_of[story.sentences] = evolve(story, scenario=scenario)
        stories, withheld = _without([*documents, *others], list(story_of.values()))
        files = cls(names, stories, development.name, documents, withheld)
        if not files.labelled:
            message = "no story about a listed scenario, beside those held out"
            raise InputError(message, where=", ".join(names), remedy=_REMEDY)
        return files

    @property
    def labelled(self) -> list[LabelledStory]:
        """The stories with a scenario."""
        return [story for story in self.stories if story.scenario]

    @property
    def description(self) -> str:
        """How many stories and documents, and of which files."""
        return (
            f"{len(self.labelled):,} stories with and {len(self.stories) - len(self.labelled):,} without a scenario of "
            f"{', '.join(self.names)}; {len(self.development)} development documents of {self.development_name}"
        )

    @property
    def digest(self) -> str:
        """SHA-256 of the stories and documents."""
        texts = [
            [(story.scenario, story.sentences) for story in self.stories],
            [document_line(document) for document in self.development],
            *([self.withheld] if self.withheld else ()),
        ]
        return sha256(json.dumps(texts).encode()).hexdigest()


def _without(
    documents: Sequence[ScenarioDocument], stories: Sequence[LabelledStory]
) -> tuple[list[LabelledStory], list[str]]:
    """The stories that no document is made of, and whose scenarios none of them withholds; and what they withhold."""
    labels: dict[str, dict[int, bool]] = defaultdict(dict)
    for number, document in enumerate(documents):
        for sentence, of_sentence in zip(document.sentences, document.labels(), strict=True):
            labels[sentence][number] = bool(of_sentence)
    kept: list[LabelledStory] = []
    withheld: set[str] = set()
    for story in stories:
        shared = defaultdict(list)
        for sentence in set(story.sentences):
            for number, labelled in labels.get(sentence, {}).items():
                shared[number].append(labelled)
        parts = [part for part in shared.values() if len(part) >= min(_SHARED, len(story.sentences))]
        if not parts:
            kept.append(story)
        elif not all(any(part) for part in parts):
            withheld.add(story.scenario)
    withheld.discard("")
    return [story for story in kept if story.scenario not in withheld], sorted(withheld)
