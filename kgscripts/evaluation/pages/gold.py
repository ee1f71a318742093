"""Pages with what is right for each: a folder of saved pages and ``pages.jsonl``."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from kgscripts.corpora.json_records import json_object, string, strings
from kgscripts.corpora.source import numbered_lines
from schemas.errors import InputError

LIST = "pages.jsonl"


@frozen
class GoldPage:
    """A saved page with its title, ingredients and instructions, and its equipment, None where it was not noted."""

    path: Path
    title: str
    ingredients: tuple[str, ...]
    instructions: tuple[str, ...]
    equipment: tuple[str, ...] | None


def read_gold_pages(folder: Path) -> list[GoldPage]:
    """The pages of a folder, as its ``pages.jsonl`` lists them.

    Raises
    ------
    InputError
        If there is no such list, or a line of it is no page with ``file``, ``title``, ``ingredients`` and
        ``instructions``, or its file is missing.
    """
    found = []
    for where, line in numbered_lines(folder / LIST):
        try:
            record = json_object(line)
            path = folder / Path(string(record, "file")).name
            equipment = tuple(strings(record, "equipment")) if record.get("equipment") is not None else None
            found.append(
                GoldPage(
                    path,
                    string(record, "title"),
                    tuple(strings(record, "ingredients")),
                    tuple(strings(record, "instructions")),
                    equipment,
                )
            )
        except InputError as error:
            raise InputError(
                error.message, where=where, remedy="list file, title, ingredients, instructions"
            ) from error
        if not path.is_file():
            raise InputError(f"the page {path.name} is missing", where=where, remedy="put it beside the list")
    if not found:
        raise InputError("no page in the list", where=str(folder / LIST), remedy="list one page a line")
    return found
