"""What cross-validation keeps from training; apart, so that the command line imports nothing else."""

from __future__ import annotations

from enum import StrEnum


class Withheld(StrEnum):
    """What training does not see."""

    STORIES = "stories"
    """A part of the stories of each scenario."""
    SCENARIOS = "scenarios"
    """All stories of a part of the scenarios; what was written about them is seen."""
    KNOWLEDGE = "knowledge"
    """All that is about a part of the scenarios; they are added to the trained model by their names."""
