"""Event sequence descriptions that were written for training: 40 scenarios, 12 descriptions of each.

A file has ``# scenario`` lines; below, a description is a block of lines ``group: step``, with an empty line between
descriptions. Steps of one scenario with the same group are the same step.
"""

from __future__ import annotations

from importlib import resources

from kgscripts.evaluation.step_gold import GoldScenario, GroupedText, grouped_scenarios, listed_document

_FILES = ("descriptions_1.txt", "descriptions_2.txt")
ANNOTATION = "written"


def written_texts() -> list[GroupedText]:
    """Every description."""
    folder = resources.files("lightning_modules.steps") / "data"
    return [text for name in _FILES for text in read_descriptions((folder / name).read_text(encoding="utf-8"))]


def read_descriptions(content: str) -> list[GroupedText]:
    """The descriptions of a file."""
    found: list[GroupedText] = []
    scenario, steps = "", list[tuple[str, str]]()
    for line in [*content.splitlines(), ""]:
        if not line.strip() or line.startswith("# "):
            if steps:
                groups = [(place, group) for place, (group, _) in enumerate(steps)]
                document = listed_document(f"{scenario}#{len(found)}", scenario, [text for _, text in steps])
                found.append(GroupedText(scenario, ANNOTATION, document, groups))
            steps = []
            scenario = line.removeprefix("# ").strip() or scenario
        else:
            group, _, text = line.partition(":")
            steps.append((group.strip(), text.strip()))
    return found


def written_scenarios() -> list[GoldScenario]:
    """The scenarios of the descriptions, with their events as the shipped extractors read them."""
    return grouped_scenarios(written_texts())
