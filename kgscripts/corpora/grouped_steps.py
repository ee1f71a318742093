"""Texts whose steps people have put into groups: those of one group are the same step of their scenario."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from attrs import field, frozen

from kgscripts.corpora.descript_gold import ParaphraseSet, read_paraphrase_sets
from kgscripts.corpora.files import find_files
from kgscripts.corpora.plain_text import joined_lines
from schemas.records import Document, Passage, PassageKind

_UNRELATED = ("UnrelEv", "other_")
"""Beginnings of the events of sets that are no step."""
_WRITTEN = "written"


@frozen
class GroupedText:
    """A text of a scenario whose steps have groups: pairs of a step's place among the passages and its group."""

    scenario: str
    annotation: str
    document: Document
    groups: Sequence[tuple[int, str]] = field(factory=list)


def paraphrase_texts(path: str | Path) -> list[GroupedText]:
    """The descriptions of the gold paraphrase sets in a file or folder; each file is an annotation of its own.

    Raises
    ------
    InputError
        As `read_paraphrase_sets` does.
    """
    texts: list[GroupedText] = []
    for file in find_files([path]):
        texts += _scripts(f"{file.path.parent.name}/{file.path.name}", read_paraphrase_sets(file.path))
    return texts


def _scripts(name: str, sets: Sequence[ParaphraseSet]) -> list[GroupedText]:
    """The descriptions whose steps are in the sets of a file; steps of unrelated sets have no group."""
    scripts: dict[str, dict[int, tuple[int, str]]] = defaultdict(dict)
    for number, one in enumerate(sets):
        for item in one.descriptions:
            scripts[item.script][item.slot] = (number, item.text)
    found = []
    for script, slots in sorted(scripts.items()):
        ordered = [slots[slot] for slot in sorted(slots)]
        groups = [
            (place, str(number))
            for place, (number, _) in enumerate(ordered)
            if not sets[number].event.startswith(_UNRELATED)
        ]
        document = listed_document(f"{name}#{script}", sets[0].scenario, [text for _, text in ordered])
        found.append(GroupedText(sets[0].scenario, name, document, groups))
    return found


def listed_document(name: str, scenario: str, steps: Sequence[str]) -> Document:
    """A document of steps, one a line."""
    text, spans = joined_lines(steps)
    passages = [Passage(kind=PassageKind.STEP, start=start, end=end) for start, end in spans]
    return Document(name=name, format="descript", text=text, scenario=scenario, passages=passages)


def read_descriptions(content: str) -> list[GroupedText]:
    """The descriptions of a file whose steps have groups.

    It has ``# scenario`` lines; below, a description is a block of lines ``group: step``, with an empty line between
    descriptions. Steps of one scenario with the same group are the same step.
    """
    found: list[GroupedText] = []
    scenario, steps = "", list[tuple[str, str]]()
    for line in [*content.splitlines(), ""]:
        if not line.strip() or line.startswith("# "):
            if steps:
                groups = [(place, group) for place, (group, _) in enumerate(steps)]
                document = listed_document(f"{scenario}#{len(found)}", scenario, [text for _, text in steps])
                found.append(GroupedText(scenario, _WRITTEN, document, groups))
            steps = []
            scenario = line.removeprefix("# ").strip() or scenario
        else:
            group, _, text = line.partition(":")
            steps.append((group.strip(), text.strip()))
    return found
