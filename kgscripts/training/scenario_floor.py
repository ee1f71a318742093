"""The floor of a detector of scenarios: the confidence below which a segment has no scenario."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from kgscripts.evaluation.scenarios.confidence import best_floor, scored_documents
from kgscripts.models.checkpoint import check_place, load_checkpoint, save_checkpoint
from kgscripts.models.registry import find_checkpoint
from kgscripts.models.scenarios.detector import load_detector
from schemas.scenario_documents import ScenarioDocument


def with_floor(name_or_directory: str, documents: Sequence[ScenarioDocument], out: Path) -> float:
    """Write the checkpoint of a detector with the floor that is best on the documents, and return the floor.

    Scores on its card are kept only if the floor stays the same, since they are those of another model otherwise.

    Raises ModelError if there is no such detector, or the checkpoint cannot be written.
    """
    check_place(out)
    detector = load_detector(name_or_directory)
    floor = best_floor(scored_documents(documents, detector))
    checkpoint = load_checkpoint(find_checkpoint(name_or_directory, "scenarios"))
    card = checkpoint.card if floor == detector.settings.floor else evolve(checkpoint.card, scores=(), slice=())
    save_checkpoint(evolve(checkpoint, settings={**checkpoint.settings, "floor": floor}, card=card), out)
    return floor
