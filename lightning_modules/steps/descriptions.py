"""Event sequence descriptions that were written for training: 40 scenarios, 12 descriptions of each."""

from __future__ import annotations

from importlib import resources

from kgscripts.evaluation.step_gold import GoldScenario, GroupedText, grouped_scenarios, read_descriptions

_FILES = ("descriptions_1.txt", "descriptions_2.txt")


def written_texts() -> list[GroupedText]:
    """Every description."""
    folder = resources.files("lightning_modules.steps") / "data"
    return [text for name in _FILES for text in read_descriptions((folder / name).read_text(encoding="utf-8"))]


def written_scenarios() -> list[GoldScenario]:
    """The scenarios of the descriptions, with their events as the shipped extractors read them."""
    return grouped_scenarios(written_texts())
