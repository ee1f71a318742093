"""Training of the detector of scenarios: the documents that it learns from, and a small run."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
from numpy.typing import NDArray

from kgscripts.models.registry import load
from kgscripts.models.scenarios.detector import ScenarioDetector
from kgscripts.reproductions.scenarios.documents import LabelledStory, read_scenario_documents
from lightning_modules.configuration import read_configuration
from lightning_modules.scenarios import detector_task
from lightning_modules.scenarios.detector_task import DetectorTask
from lightning_modules.scenarios.made_documents import (
    DocumentMaker,
    Passage,
    labelled_by_passages,
    story_passages,
    written_passages,
    written_stories,
)
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.task_settings import DetectorTrainingSettings
from lightning_modules.training import train
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument, concept_scheme
from tests.training.corpus import CPU

NATURAL = Path(__file__).parents[1] / "data"
STORY = LabelledStory(id="s", scenario="taking a shower", sentences=("I undressed.", "I got wet.", "I used soap."))


def test_each_listed_scenario_has_32_passages_and_stories() -> None:
    passages = written_passages()
    counts = Counter(passage.scenario for passage in passages)
    assert counts.pop(NONE) == 420
    assert counts == {concept.label: 32 for concept in concept_scheme()}
    assert all(1 <= len(passage.sentences) <= 6 for passage in passages)
    stories = written_stories()
    told = Counter(label for story in stories for label in {name for own in story.labels() for name in own})
    assert len(stories) == 531
    assert set(told) == set(counts)


def test_what_is_written_has_no_sentence_of_the_documents_that_scores_are_of() -> None:
    written = {sentence for passage in written_passages() for sentence in passage.sentences}
    written |= {sentence for story in written_stories() for sentence in story.sentences}
    for name in ("natural_stories.jsonl", "natural_stories_unseen.jsonl"):
        for document in read_scenario_documents(NATURAL / name):
            shared = [sentence for sentence in document.sentences if sentence in written]
            assert len(" ".join(shared)) < 60, (name, document.id, shared)


def test_passages_of_a_story_have_one_label() -> None:
    story = ScenarioDocument(
        id="s",
        sentences=["a", "b", "c", "d", "e"],
        segments=[
            LabelledSegment(start=1, end=4, scenarios=["taking a bath"]),
            LabelledSegment(start=3, end=4, scenarios=["washing ones hair"]),
        ],
    )
    assert list(story_passages([story])) == [
        Passage(NONE, ("a",)),
        Passage("taking a bath", ("b", "c")),
        Passage(NONE, ("e",)),
    ]


@pytest.mark.parametrize(("written_share", "long_share"), [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.3, 0.3)])
def test_documents_are_made_of_whole_sentences_and_depend_on_the_seed_alone(
    written_share: float, long_share: float
) -> None:
    passages, written = written_passages(), written_stories()
    shares = DetectorTrainingSettings(written_share=written_share, long_share=long_share, story_share=1.0)
    maker = DocumentMaker(passages, written, [STORY], shares)
    known: dict[str, set[str]] = {}
    for item in (*passages, Passage(STORY.scenario, tuple(STORY.sentences))):
        for sentence in item.sentences:
            known.setdefault(sentence, set()).add(item.scenario)
    for story in written:
        for sentence, own in zip(story.sentences, story.labels(), strict=True):
            known.setdefault(sentence, set()).update(own or {NONE})
    documents = [maker.make(random.Random(seed)) for seed in range(400)]
    for document in documents:
        assert len(document.sentences) == len(document.labels) >= 2
        assert all(
            label in known[sentence] for sentence, label in zip(document.sentences, document.labels, strict=True)
        )
    assert documents == [maker.make(random.Random(seed)) for seed in range(400)]
    labels = Counter(label for document in documents for label in document.labels)
    assert 0.1 < labels[NONE] / labels.total() < 0.45
    told = [sentence for document in documents for sentence in document.sentences if sentence in STORY.sentences]
    assert bool(told) == (written_share < 1), "stories are cut into passages too"


def test_stories_without_a_scenario_get_that_of_passages_like_them() -> None:
    def vectors(sentences: Sequence[str]) -> NDArray[np.float64]:
        rows = [np.eye(4)["abcd".index(word[0])] + 0.1 * np.eye(4)[len(word) % 4] for word in sentences]
        return np.stack([row / np.linalg.norm(row) for row in rows])

    passages = [Passage(name, (name, name * 2, name * 3)) for name in "aabb"] + [Passage(NONE, ("d",))]
    stories = [
        LabelledStory(id="1", scenario="", sentences=("bbb", "b", "bbbb")),
        LabelledStory(id="2", scenario="", sentences=("a", "b", "aa", "bb")),
        LabelledStory(id="3", scenario="", sentences=("aaa", "c")),
    ]
    told = [LabelledStory(id="4", scenario="c", sentences=("c", "cc"))]
    found = labelled_by_passages(stories, passages, told, vectors, share=0.7)
    assert [(story.id, story.scenario) for story in found] == [("1", "b"), ("3", "a")]
    assert labelled_by_passages(stories, passages, told, vectors, share=0.0) == []
    assert labelled_by_passages([], passages, told, vectors, share=1.0) == []


def test_a_small_run_learns_and_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenarios = ("taking a shower", "making coffee")
    passages = [
        *(Passage(name, (f"{name} {number}.", f"{name} more {number}.")) for name in scenarios for number in range(4)),
        *(Passage(NONE, (f"none {number}.",)) for number in range(4)),
    ]
    sentences = [sentence for passage in passages for sentence in passage.sentences]
    development = ScenarioDocument(
        id="d",
        sentences=[*passages[0].sentences, *passages[4].sentences, *passages[8].sentences],
        segments=[
            LabelledSegment(start=0, end=2, scenarios=[scenarios[0]]),
            LabelledSegment(start=2, end=4, scenarios=[scenarios[1]]),
        ],
    )

    def vectors(texts: Sequence[str], _: object = None) -> NDArray[np.int8]:
        """Random ones for each text, and much the same for texts that begin alike."""

        def of(text: str) -> NDArray[np.float64]:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
            return np.random.default_rng(seed).normal(size=384)

        rows = np.stack([2 * of(text.split()[0]) + of(text) for text in texts])
        units: NDArray[np.float64] = 400 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units.round().clip(-127, 127).astype(np.int8)

    monkeypatch.setattr("kgscripts.models.scenarios.detector.quantised_vectors", vectors)
    # The activities that ship have no place among vectors that mean nothing.
    calibrated: list[Sequence[ScenarioDocument]] = []

    def calibrating(found: ScenarioDetector, documents: Sequence[ScenarioDocument]) -> ScenarioDetector:
        calibrated.append(documents)
        return found

    monkeypatch.setattr(detector_task, "calibrated", calibrating)
    monkeypatch.setattr(detector_task, "written_stories", list)
    monkeypatch.setattr(detector_task, "written_passages", lambda: passages)
    story = attrs.evolve(STORY, sentences=tuple(sentences[:2]))
    files = StoryFiles(["stories.xml"], [story], "d.jsonl", [development])
    configuration = read_configuration("scenarios", "detector")
    settings = attrs.evolve(configuration.training, epochs=6, documents=96)
    losses: list[float] = []
    task = DetectorTask(configuration, files, vectors=vectors)
    train(task, settings, tmp_path / "model", hardware=CPU, report=lambda epoch: losses.append(epoch.train_loss))
    assert losses[-1] < losses[0] / 2
    assert calibrated
    assert all(documents == [development] for documents in calibrated)
    model = load("scenarios", tmp_path / "model")
    [found] = model.detect([development.sentences])
    assert [(item.start, item.end, item.scenarios) for item in found] == [
        (0, 2, (scenarios[0],)),
        (2, 4, (scenarios[1],)),
        (4, 5, ()),
    ]
