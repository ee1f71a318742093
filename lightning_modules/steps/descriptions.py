"""Event sequence descriptions that were written for training: 12 descriptions of each scenario."""

from __future__ import annotations

from importlib import resources

from kgscripts.corpora.grouped_steps import GroupedText, read_descriptions
from kgscripts.evaluation.steps.gold import GoldScenario, grouped_scenarios


def written_texts() -> list[GroupedText]:
    """Every description."""
    folder = resources.files("lightning_modules.steps") / "data"
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return [text for file in files for text in read_descriptions(file.read_text(encoding="utf-8"))]


def written_scenarios() -> list[GoldScenario]:
    """The scenarios of the descriptions, with their events as the shipped extractors read them."""
    return grouped_scenarios(written_texts())
