"""Texts whose steps people have put into groups: those of one group are the same step of their scenario.

DeScript has them as gold paraphrase sets (Wanzare et al., LREC 2016).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from kgscripts.corpora.files import find_files
from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import DamagedSourceError, open_source
from kgscripts.corpora.xml_records import XmlRecord, scenario_of_file, xml_records
from schemas.errors import InputError
from schemas.records import Discard, Document, Passage, PassageKind

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

    The steps of a set are a group, unless the set is of no step; the labels of scenarios are resolved.

    Raises
    ------
    InputError
        With file and line, for XML that is malformed or has entities, for an item without its attributes, and for a
        file without sets.
    """
    texts: list[GroupedText] = []
    for listed in find_files([path]):
        file = evolve(listed, name=listed.path.name)
        scenario = resolve(scenario_of_file(file.name))
        scripts: dict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
        with open_source(file) as source:
            try:
                for number, record in enumerate(xml_records(source, "label")):
                    if isinstance(record, Discard):
                        raise InputError(record.detail, where=record.where, remedy="give gold paraphrase sets")
                    for script, slot, group, text in _items(record, number, file.name):
                        scripts[script][slot] = group, text
            except DamagedSourceError as error:
                raise InputError(error.detail, where=f"{file.name}:{error.line}", remedy="get it again") from error
        name = f"{file.path.parent.name}/{file.name}"
        for script, slots in sorted(scripts.items()):
            steps = [slots[slot] for slot in sorted(slots)]
            document = listed_document(f"{name}#{script}", scenario, [text for _, text in steps])
            groups = [(place, group) for place, (group, _) in enumerate(steps) if group]
            texts.append(GroupedText(scenario, name, document, groups))
    return texts


def _items(label: XmlRecord, number: int, file: str) -> Iterator[tuple[str, int, str, str]]:
    """The steps of a set: the description, the place in it, the group ("" for none) and the text of each."""
    event, where = label.element.get("event", ""), f"{file}:{label.line}"
    if not event:
        raise InputError("a <label> without event", where=where)
    for item in label.element.iter("item"):
        slot, steps, script, text = (item.get(key, "") for key in ("slot", "total_slots", "script", "original"))
        if not (slot.isdecimal() and steps.isdecimal() and script and text.strip()):
            detail = "an <item> lacks script, original, or a number as slot or total_slots"
            raise InputError(f"{detail}, in the set that begins here", where=where)
        # A script is known by its number within its source.
        group = "" if event.startswith(_UNRELATED) else str(number)
        yield f"{item.get('source', '')}-{script}", int(slot), group, text.strip()


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
    texts: list[GroupedText] = []
    scenario, steps = "", list[tuple[str, str]]()
    for line in [*content.splitlines(), ""]:
        if not line.strip() or line.startswith("# "):
            if steps:
                groups = [(place, group) for place, (group, _) in enumerate(steps)]
                document = listed_document(f"{scenario}#{len(texts)}", scenario, [text for _, text in steps])
                texts.append(GroupedText(scenario, _WRITTEN, document, groups))
            steps = []
            scenario = line.removeprefix("# ").strip() or scenario
        else:
            group, _, text = line.partition(":")
            steps.append((group.strip(), text.strip()))
    return texts
