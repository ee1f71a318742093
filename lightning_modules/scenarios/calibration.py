"""What a detector of scenarios gets after its weights: activities that are not listed, and a least confidence."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from attrs import evolve

from kgscripts.models.checkpoint import check_place, load_checkpoint, save_checkpoint
from kgscripts.models.registry import find_checkpoint
from kgscripts.models.scenarios.detector import ScenarioDetector, load_detector
from kgscripts.models.scenarios.list import read_scenario_list
from kgscripts.reproductions.scenarios.confidence import best_floor, scored_documents
from schemas.scenario_documents import ScenarioDocument


def calibrated(detector: ScenarioDetector, documents: Sequence[ScenarioDocument]) -> ScenarioDetector:
    """The detector with the activities that ship for it, and with the floor that is best on the documents.

    The activities (``data/other_activities.jsonl``) were written for this: they are no listed scenarios, and a detector
    that does not know them takes them for some that are.
    """
    with resources.as_file(resources.files("kgscripts.training") / "data" / "other_activities.jsonl") as path:
        activities = read_scenario_list(path)
    found = detector.with_others(activities)
    return found.with_floor(best_floor(scored_documents(documents, found)))


def calibrate(name_or_directory: str, documents: Sequence[ScenarioDocument], out: Path) -> ScenarioDetector:
    """Write the checkpoint of a detector that is `calibrated`, and return the detector.

    Scores of the old checkpoint are left out, since they are those of another model.

    Raises ModelError if there is no such detector, or the checkpoint cannot be written.
    """
    check_place(out)
    found = calibrated(load_detector(name_or_directory), documents)
    card = load_checkpoint(find_checkpoint(name_or_directory, "scenarios")).card
    save_checkpoint(found.checkpoint(evolve(card, scores=(), slice=())), out)
    return found
