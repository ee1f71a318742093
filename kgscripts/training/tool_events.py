"""Everyday events with their tools, to train on (``data/events.tsv``)."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from attrs import frozen

from schemas.errors import InputError
from schemas.input_files import open_input

EVENTS = "events.tsv"
_COLUMNS = ["domain", "events", "tools"]
_SEPARATOR = "; "


@frozen
class EventGroup:
    """Events that are done with the same tools; tools by how usual they are, none for events that need none."""

    domain: str
    events: tuple[str, ...]
    tools: tuple[str, ...]


def shipped_events() -> Path:
    """The file of events that were written for this project."""
    return Path(str(resources.files("kgscripts.training") / "data" / EVENTS))


def read_events(path: Path) -> list[EventGroup]:
    """The groups of a file: TSV with the columns domain, events and tools; lists separated by ``; ``, ``-`` for none.

    Raises
    ------
    InputError
        For a file that cannot be read, a row that lacks something, and an event that is listed twice.
    """
    try:
        with open_input(path) as file:
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", where=str(path), remedy="name a TSV file in UTF-8") from error
    rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    if rows[:1] != [_COLUMNS]:
        raise InputError("not the expected columns", where=str(path), remedy=f"begin with {', '.join(_COLUMNS)}")
    known = set[str]()
    return [_group(row, f"{path}:{number}", known) for number, row in enumerate(rows[1:], 2)]


def _group(row: Sequence[str], where: str, known: set[str]) -> EventGroup:
    if len(row) != len(_COLUMNS) or not all(row):
        raise InputError("a row needs a domain, events and tools", where=where, remedy="write - for no tools")
    events = tuple(row[1].split(_SEPARATOR))
    tools = tuple(row[2].split(_SEPARATOR)) if row[2] != "-" else ()
    if twice := sorted({event for event in events if event in known or events.count(event) > 1}):
        raise InputError(f"{twice[0]!r} is listed twice", where=where, remedy="leave one of them out")
    if not all((*events, *tools)) or len(set(tools)) < len(tools):
        raise InputError("an empty entry, or a tool twice", where=where, remedy="separate the entries by '; '")
    known.update(events)
    return EventGroup(row[0], events, tools)
