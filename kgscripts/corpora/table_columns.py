"""What the columns of a table hold, by its header: steps or texts, their order, tools, supplies, scenarios."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter

from kgscripts.corpora.blocks import Block, Kind, one_line
from kgscripts.corpora.needs import is_needs_heading, item_spans, names_ingredients, names_tools

GUESSED: dict[str, tuple[str, ...]] = {
    "step": (
        *("step", "action", "event", "instruction", "step text", "description", "sentence", "direction", "what to do"),
    ),
    "text": ("text", "story", "body", "content", "narrative"),
    "order": (
        *("order", "number", "step number", "step no", "step id", "index", "position", "no", "nr", "rank", "#"),
        *("step #", "step nr", "sequence"),
    ),
    "scenario": ("scenario", "activity", "task", "goal", "topic", "script", "recipe"),
    "title": ("title", "name"),
    "source": ("source", "author", "participant", "document", "doc", "worker", "writer", "id", "text id", "story id"),
    "tools": ("tool", "equipment", "utensil", "tool used", "instrument"),
    "supplies": ("ingredient", "material", "need", "needed"),
}
"""The header words by which a column is recognised, by what it holds."""
_DELIMITERS = ("\t", ",", ";", "|")
COUNT = re.compile(r"(?:step|stage|no|nr|number)?[ .#]*\d{1,4}(?:\.\d{1,4})*[ .):]*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<!\S)-?\d{1,9}|\d{1,9}")
_NOTHING = re.compile(r"[-–—/\s]*|none|n/?a|no", re.IGNORECASE)
MOST_ABOVE = 10
"""The header is one of the first lines, below a title and what a spreadsheet writes above it."""


def has_known_header(lines: Sequence[str]) -> bool:
    """Whether one of the first lines is a header in which steps or texts, and something else, are recognised."""
    return any(is_header(line.split(delimiter_of(line))) for line in lines[:MOST_ABOVE])


class TableColumns:
    """What the columns of a table hold.

    `places` has the place of each key of `GUESSED`: the first that one of its words names.
    A column of steps that has only numbers is their order, if another column may have the steps.
    """

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        plain = [plain_name(name) for name in names]
        self.places: dict[str, int] = {}
        counts: list[int] = []
        for key in GUESSED:
            candidates = [at for at in _named(names, plain, key) if at not in self.places.values()]
            if key == "step":
                counts = [at for at in candidates if _are_counts(rows, at)]
                candidates = [at for at in candidates if at not in counts]
            if candidates:
                self.places[key] = candidates[0]
        if "step" in self.places:
            self.places.pop("text", None)
        elif counts and "text" in self.places:
            self.places["step"] = self.places.pop("text")
        if counts:
            self.places.setdefault("order", counts[0])
        self.are_food = "supplies" in self.places and names_ingredients(names[self.places["supplies"]])
        self.unread = [name.strip() for at, name in enumerate(names) if at not in self.places.values() and name.strip()]

    def of(self, row: Sequence[str], key: str) -> str:
        """The cell of a row in a column, "" if there is none."""
        place = self.places.get(key, len(row))
        return row[place].strip() if place < len(row) else ""

    def ordered(self, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
        """The rows in the order of their numbers ("2", "2.", "Step 2", "1.10"); one without stays behind the one above
        it. Rows of which most have none stay as they are."""
        numbers = [tuple(map(int, _NUMBER.findall(self.of(row, "order")))) for row in rows]
        if 2 * sum(map(bool, numbers)) < len(rows):
            return list(rows)
        filled: list[tuple[int, ...]] = []
        for number in numbers:
            filled.append(number or (filled[-1] if filled else ()))
        return [row for _, row in sorted(zip(filled, rows, strict=True), key=itemgetter(0))]

    def things(self, rows: Sequence[Sequence[str]], key: str) -> list[str]:
        """The things that the cells of a column list, each once."""
        cells = [one_line(self.of(row, key)) for row in rows if not _NOTHING.fullmatch(self.of(row, key))]
        items = (cell[start:end].strip(" .") for cell in cells for start, end in item_spans(cell))
        return list({item.casefold(): item for item in items if item}.values())


def blocks_of_rows(rows: Sequence[Sequence[str]]) -> tuple[list[Block], list[str]]:
    """The steps of a table in a text, in order, below the things that its columns of tools and supplies name, and the
    names of columns that are not read. There are none without a header that names the steps."""
    columns = TableColumns(rows[0], rows[1:]) if rows and is_header(rows[0]) else None
    if columns is None or "step" not in columns.places:
        return [], []
    held = columns.ordered(rows[1:])
    blocks: list[Block] = []
    for key in ("tools", "supplies"):
        if items := columns.things(held, key):
            heading = "Tools" if key == "tools" else "Ingredients" if columns.are_food else "Materials"
            blocks += [Block(Kind.HEADING, heading, 6), *(Block(Kind.ITEM, item, 1) for item in items)]
    blocks += [Block(Kind.HEADING, "Instructions", 6)] if blocks else []
    steps = (one_line(columns.of(row, "step")) for row in held)
    return [*blocks, *(Block(Kind.ITEM, step, 1, ordered=True) for step in steps if step)], columns.unread


def plain_name(name: str) -> str:
    """A name in the header in lower case and the singular, without signs: "Tool(s)", "Step_No.", "stepNumber"."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\([^()]*\)", "", name))
    words = re.sub(r"[_\-.:\"]+", " ", name).lower().split()
    return " ".join(word[:-1] if word.endswith("s") and len(word) > 3 else word for word in words)


def _named(names: Sequence[str], plain: Sequence[str], key: str) -> list[int]:
    """The places of the columns that a key's words name, in the order of the words."""
    places = [at for word in GUESSED[key] for at, name in enumerate(plain) if name == word]
    if key in ("tools", "supplies"):
        things = [(at, re.sub("[()]", "", name)) for at, name in enumerate(names)]
        places += [at for at, name in things if is_needs_heading(name) and names_tools(name) is (key == "tools")]
    return places


def is_header(names: Sequence[str]) -> bool:
    """Whether steps or texts, and something else, are recognised in a header."""
    plain = [plain_name(name) for name in names]
    known = {key for key in GUESSED if _named(names, plain, key)}
    return len(known) > 1 and not known.isdisjoint({"step", "text"})


def _are_counts(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether a column has nothing but numbers of steps."""
    cells = [cell for row in rows if place < len(row) and (cell := row[place].strip())]
    return bool(cells) and all(map(COUNT.fullmatch, cells))


def delimiter_of(header: str) -> str:
    """The sign that separates most columns of a header."""
    return max(_DELIMITERS, key=header.count)
