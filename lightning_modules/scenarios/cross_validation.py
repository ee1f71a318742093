"""The accuracy of the detector on whole stories that it was not trained on."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import attrs
import numpy as np

from kgscripts.models.registry import load
from kgscripts.models.scenarios.detector import ScenarioDetector
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import RememberedVectors
from kgscripts.reproductions.scenarios.documents import LabelledStory
from kgscripts.reproductions.scenarios.stories import Classifier, StoryAccuracy, named_accuracy, seen_accuracy
from lightning_modules.configuration import Configuration
from lightning_modules.hardware import Hardware
from lightning_modules.scenarios.detector_task import DetectorTask
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.settings import Withheld
from lightning_modules.training import train


def cross_validate(
    files: StoryFiles,
    configuration: Configuration,
    withheld: Withheld,
    *,
    folds: int,
    hardware: Hardware | None = None,
    on_story: Callable[[int], object] | None = None,
) -> StoryAccuracy:
    """The accuracy of detectors on labelled stories, each trained without the stories that it is measured on.

    Raises as `seen_accuracy`, `named_accuracy` and `train` do.
    """
    vectors = RememberedVectors()

    def trained(stories: Sequence[LabelledStory]) -> Classifier:
        kept = {story.id for story in stories}
        known = {story.scenario for story in stories}
        added = sorted({story.scenario for story in files.labelled} - known) if withheld is Withheld.KNOWLEDGE else []
        others = [story for story in files.stories if not story.scenario or story.id in kept]
        task = DetectorTask(configuration, attrs.evolve(files, stories=others), without=added, vectors=vectors)
        with tempfile.TemporaryDirectory() as folder:
            train(task, configuration.training, Path(folder) / "model", hardware=hardware)
            model = load("scenarios", Path(folder) / "model")
        assert isinstance(model, ScenarioDetector)
        return partial(_rank, model.with_scenarios([NewScenario(name) for name in added]) if added else model)

    measure = seen_accuracy if withheld is Withheld.STORIES else named_accuracy
    return measure(files.labelled, trained, folds=folds, on_story=on_story)


def _rank(model: ScenarioDetector, texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """The scenarios of each text, by the mean log probability of its sentences."""
    scenarios = model.settings.labels[:-1]
    means = [model.log_probabilities(text)[:, :-1].mean(axis=0) for text in texts]
    return [[scenarios[place] for place in np.argsort(-mean, kind="stable")] for mean in means]
