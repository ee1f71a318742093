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

from kgscripts.corpora.scenario_documents import LabelledStory
from kgscripts.models.registry import load
from lightning_modules.scenarios import detector_task
from lightning_modules.scenarios.configuration import read_configuration
from lightning_modules.scenarios.detector_task import DetectorTask
from lightning_modules.scenarios.passages import DocumentMaker, Passage, written_passages
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.training import train
from schemas.scenario_documents import NONE, LabelledSegment, ScenarioDocument
from schemas.scenario_scheme import concept_scheme
from tests.training.corpus import CPU

STORY = LabelledStory(id="s", scenario="taking a shower", sentences=("I undressed.", "I got wet.", "I used soap."))


def test_each_listed_scenario_has_eight_passages() -> None:
    passages = written_passages()
    counts = Counter(passage.scenario for passage in passages)
    assert counts.pop(NONE) == 420
    assert counts == {concept.label: 8 for concept in concept_scheme()}
    assert all(1 <= len(passage.sentences) <= 4 for passage in passages)


def test_documents_are_made_of_whole_sentences_and_depend_on_the_seed_alone() -> None:
    passages = written_passages()
    maker = DocumentMaker(passages, [STORY], 1.0)
    known: dict[str, set[str]] = {}
    for item in (*passages, Passage(STORY.scenario, tuple(STORY.sentences))):
        for sentence in item.sentences:
            known.setdefault(sentence, set()).add(item.scenario)
    documents = [maker.make(random.Random(seed)) for seed in range(400)]
    for document in documents:
        assert len(document.sentences) == len(document.labels) >= 2
        assert all(
            label in known[sentence] for sentence, label in zip(document.sentences, document.labels, strict=True)
        )
    assert documents == [maker.make(random.Random(seed)) for seed in range(400)]
    labels = Counter(label for document in documents for label in document.labels)
    assert 0.15 < labels[NONE] / labels.total() < 0.45
    told = [sentence for document in documents for sentence in document.sentences if sentence in STORY.sentences]
    assert told, "stories are cut into passages too"


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

    def vectors(texts: Sequence[str]) -> NDArray[np.int8]:
        """Random ones for each text, and much the same for texts that begin alike."""

        def of(text: str) -> NDArray[np.float64]:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
            return np.random.default_rng(seed).normal(size=384)

        rows = np.stack([2 * of(text.split()[0]) + of(text) for text in texts])
        units: NDArray[np.float64] = 400 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units.round().clip(-127, 127).astype(np.int8)

    monkeypatch.setattr(detector_task, "quantised_vectors", vectors)
    monkeypatch.setattr("kgscripts.models.scenario_detector.quantised_vectors", vectors)
    monkeypatch.setattr(detector_task, "written_passages", lambda: passages)
    story = attrs.evolve(STORY, sentences=tuple(sentences[:2]))
    files = StoryFiles(["stories.xml"], [story], "d.jsonl", [development])
    configuration = read_configuration("detector")
    settings = attrs.evolve(configuration.training, epochs=6, documents=96)
    losses: list[float] = []
    task = DetectorTask(configuration, files)
    train(task, settings, tmp_path / "model", hardware=CPU, report=lambda epoch: losses.append(epoch.train_loss))
    assert losses[-1] < losses[0] / 2
    model = load("scenarios", tmp_path / "model")
    [found] = model.detect([development.sentences])
    assert [(item.start, item.end, item.scenarios) for item in found] == [
        (0, 2, (scenarios[0],)),
        (2, 4, (scenarios[1],)),
        (4, 5, ()),
    ]
