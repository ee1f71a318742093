"""The gold paraphrase sets of DeScript (Wanzare et al., LREC 2016): descriptions that mean the same event.

``<scripts><label type="PARAPHRASE" event="get_tree"><item source="2" script="17" slot="1" total_slots="8"
original="Get a sapling"/>...</label></scripts>``; the file's name is the scenario. Each of the folders ``first`` and
``second`` has half of the descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from attrs import field, frozen

from kgscripts.corpora.descript import scenario_of_file
from kgscripts.corpora.files import find_files
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import DamagedSourceError, open_source
from kgscripts.corpora.xml_records import xml_records
from schemas.errors import InputError
from schemas.records import Discard


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
