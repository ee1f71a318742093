"""The training task of each kind of model of scenarios."""

from __future__ import annotations

from typing import Any

from lightning_modules.configuration import Configuration
from lightning_modules.scenarios.detector_task import DetectorTask
from lightning_modules.scenarios.stories import StoryFiles
from lightning_modules.scenarios.tiling_task import TilingTask, check_library
from lightning_modules.training import TrainingTask


def check_needs(configuration: Configuration) -> None:
    """Raises ModelError if a library that a kind of model needs is missing."""
    if configuration.kind == "topic-tiling":
        check_library()


def make_task(configuration: Configuration, files: StoryFiles) -> TrainingTask[Any]:
    """The task of a configuration. Raises as the task of its kind does."""
    return (DetectorTask if configuration.kind == "detector" else TilingTask)(configuration, files)
