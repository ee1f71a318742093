"""Texts whose steps people have put into groups: those of one group are the same step of their scenario.

DeScript has them as gold paraphrase sets (Wanzare et al., LREC 2016).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from attrs import field, frozen

from kgscripts.corpora.files import find_files
from kgscripts.corpora.plain_text import joined_lines
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import DamagedSourceError, open_source
from kgscripts.corpora.xml_records import scenario_of_file, xml_records
from schemas.errors import InputError
from schemas.records import Discard, Document, Passage, PassageKind


@frozen(kw_only=True)
class EventDescription:
    """A step of an event sequence description.

    `script` identifies the description within its file, and `slot` is the number of the step, from 1, of `steps`.
    """

    script: str
    slot: int
    steps: int
    text: str


@frozen(kw_only=True)
class ParaphraseSet:
    """Descriptions of one event of a scenario. Several sets of a file can have the same event."""

    file: str
    scenario: str
    event: str
    descriptions: tuple[EventDescription, ...] = field(converter=tuple[EventDescription, ...])


def read_paraphrase_sets(path: str | Path) -> list[ParaphraseSet]:
    """Read the sets of a file or folder, in order; the labels of scenarios are resolved.

    Raises
    ------
    InputError
        With file and line, for XML that is malformed or has entities, for an item without its attributes, and for a
        file without sets.
    """
    found: list[ParaphraseSet] = []
    for file in find_files([path]):
        scenario = resolve(scenario_of_file(file.name))
        with open_source(file) as source:
            try:
                for record in xml_records(source, "label"):
                    if isinstance(record, Discard):
                        raise InputError(record.detail, where=record.where, remedy="give gold paraphrase sets")
                    found.append(
                        ParaphraseSet(
                            file=file.name,
                            scenario=scenario,
                            event=record.element.get("event", ""),
                            descriptions=tuple(_descriptions(record.element, f"{file.name}:{record.line}")),
                        )
                    )
            except DamagedSourceError as error:
                raise InputError(error.detail, where=f"{file.name}:{error.line}", remedy="get it again") from error
    return found


def _descriptions(label: Element, where: str) -> Iterator[EventDescription]:
    if not label.get("event"):
        raise InputError("a <label> without event", where=where)
    for item in label.iter("item"):
        slot, steps, script, text = (item.get(key, "") for key in ("slot", "total_slots", "script", "original"))
        if not (slot.isdecimal() and steps.isdecimal() and script and text.strip()):
            detail = "an <item> lacks script, original, or a number as slot or total_slots"
            raise InputError(f"{detail}, in the set that begins here", where=where)
        # A script is known by its number within its source.
        yield EventDescription(
            script=f"{item.get('source', '')}-{script}", slot=int(slot), steps=int(steps), text=text.strip()
        )


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
