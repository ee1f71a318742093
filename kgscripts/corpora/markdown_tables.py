"""Tables of Markdown as lists: a step a row with its tools, or a list of needed things."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgscripts.corpora.needs import is_needs_heading, names_tools

TABLE = re.compile(
    r"^(?P<header>[^|\n]*\|[^\n]*)\n[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?[ \t\r]*\n"
    r"(?P<rows>(?:[^|\n]*\|[^\n]*(?:\n|\Z))+)",
    re.MULTILINE,
)
_STEP = re.compile(r"(?:steps?|actions?|instructions?|descriptions?|directions?|tasks?|what to do)", re.IGNORECASE)
_NOT = re.compile(r"(?:do not|do ?n['’]?t|never|avoid|not|wrong|bad)s?", re.IGNORECASE)
_COUNTS = re.compile(r"(?:step)?[ \t.#]*\d{0,3}[ \t.:)]*", re.IGNORECASE)
_TIME = re.compile(r"(?:time|duration|how long|minutes|mins?|hours|seconds)\b.*", re.IGNORECASE)


def without_tables(text: str) -> str:
    """The text with lists in the place of its tables of steps and of needed things; other tables stay.

    A step has behind it what other columns of its row name: "Pour the milk using cup for 2 minutes.". Of a table with a
    column of what not to do, the cells of the others are a list.
    """
    return TABLE.sub(lambda table: "\n".join(_lines(table)) + "\n", text) if "|" in text else text


def _lines(table: re.Match[str]) -> Iterator[str]:
    names, *rows = (_cells(line) for line in (table["header"], *table["rows"].splitlines()))
    known = [place for place, name in enumerate(names) if _STEP.fullmatch(name)]
    steps = [place for place in known if not all(_COUNTS.fullmatch(row[place]) for row in rows if row[place:])]
    if steps:
        for number, row in enumerate((row for row in rows if row[steps[0] :]), 1):
            step = row[steps[0]]
            others = [_named(name, cell) for name, cell in zip(names, row, strict=False) if cell != step]
            yield (
                f"{number}. {' '.join([step.rstrip('. '), *filter(None, others)])}."
                if any(others)
                else f"{number}. {step}"
            )
    elif is_needs_heading(names[0]):
        yield f"{names[0]}\n"
        yield from (f"- {' '.join(reversed(row[:2]))}" for row in rows)
    elif wrong := {place for place, name in enumerate(names) if _NOT.fullmatch(name)}:
        yield from (f"- {cell}" for row in rows for place, cell in enumerate(row) if cell and place not in wrong)
    else:
        yield table[0].rstrip("\n")


def _named(name: str, cell: str) -> str:
    """What a cell beside a step adds to it, by the name of its column; nothing if it counts the steps or is empty."""
    if not any(map(str.isalnum, cell)) or (_COUNTS.fullmatch(cell) and not _TIME.fullmatch(name)):
        return ""
    if _TIME.fullmatch(name):
        return f"for {cell} {name.lower()}" if cell.isdigit() else f"for {cell}"
    return f"using {cell}" if names_tools(name) else f"({name}: {cell})"


def _cells(line: str) -> Sequence[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
