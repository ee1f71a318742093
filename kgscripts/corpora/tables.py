"""CSV and TSV with a header: the rows of one scenario and source are one text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field

from kgscripts.corpora.lines import passages_of, steps_of
from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import Source, text_lines
from schemas.arguments import check_type, shown
from schemas.errors import ConfigurationError
from schemas.records import Discard, DiscardReason, Document

Columns = Mapping[str, str]
"""What a column holds (a key of `GUESSED`) -> its name in the header."""

GUESSED: dict[str, tuple[str, ...]] = {
    "step": ("step", "action", "event", "instruction", "step text", "description", "sentence", "direction"),
    "text": ("text", "story", "body", "content", "narrative"),
    "order": ("order", "number", "step number", "step no", "step id", "index", "position", "no", "nr", "rank", "#"),
    "scenario": ("scenario", "activity", "task", "goal", "topic", "script", "recipe"),
    "title": ("title", "name"),
    "source": ("source", "author", "participant", "document", "doc", "worker", "writer", "id", "text id", "story id"),
}
"""The header words by which a column is recognised, by what it holds."""
_DELIMITERS = ("\t", ",", ";", "|")
_INTEGER = re.compile(r"\s*[+-]?\d+\s*")


def parse_columns(option: str) -> Columns:
    """The columns of an option such as ``scenario=Task,step=Action``.

    Raises
    ------
    ConfigurationError
        If a part of it is not ``KEY=NAME`` with a key of `GUESSED`.
    """
    found: dict[str, str] = {}
    for part in option.split(","):
        key, equals, name = part.partition("=")
        if not equals or key.strip() not in GUESSED or not name.strip():
            remedy = f"for example scenario=Task,step=Action; keys are {', '.join(GUESSED)}"
            raise ConfigurationError(f"--columns has {part!r}", remedy=remedy)
        found[key.strip()] = name.strip()
    return found


def check_columns(columns: object) -> None:
    """Raise ConfigurationError unless these are names of columns by keys of `GUESSED`."""
    check_type("columns", columns, (Mapping, type(None)), "give a mapping such as {'step': 'Action'}")
    for key, name in columns.items() if isinstance(columns, Mapping) else ():
        if key not in GUESSED or not isinstance(name, str) or not name.strip():
            remedy = f"give names by their keys: {', '.join(GUESSED)}"
            raise ConfigurationError(f"columns has {shown(key)}: {shown(name)}", remedy=remedy)


def has_known_header(line: str) -> bool:
    """Whether a line is a header in which steps or texts, and something else, are recognised."""
    names = [_plain(name) for name in line.split(_delimiter(line))]
    known = {key for key, words in GUESSED.items() if any(name in words for name in names)}
    return len(known) > 1 and not known.isdisjoint({"step", "text"})


def read_table(source: Source, columns: Columns | None = None) -> Iterator[Document | Discard]:
    """Yield the texts of a table, in the order of their first rows.

    Columns that are not given are guessed from the header. With a column of steps, the rows of one scenario and source
    are one text, ordered by the column of the order if it has numbers; a column of texts gives a text a row, or
    the paragraphs of one if a column names their source.
    """
    table = _Table(source, columns or {})
    yield from table.discards()
    for name, rows in table.texts.items():
        document = _document(source.label(name), rows, steps="step" in table.places)
        line = rows[0].line
        yield document or source.discard(DiscardReason.EMPTY, line, "no text")


@define
class _Row:
    """The cells of a row by what they hold."""

    line: int
    cells: Mapping[str, str]

    def of(self, key: str) -> str:
        return self.cells.get(key, "")


@define
class _Table:
    """The rows of a table, by text."""

    source: Source
    columns: Columns
    texts: dict[str, list[_Row]] = field(factory=dict)
    places: dict[str, int] = field(factory=dict)
    _faults: list[Discard] = field(factory=list)

    def discards(self) -> Iterator[Discard]:
        """Read all rows, and yield what of them could not be read."""
        lines = self._lines()
        header = next(lines, None)
        if header is None:
            return
        rows = csv.reader(lines, delimiter=_delimiter(header))
        try:
            names = next(csv.reader([header], delimiter=_delimiter(header)), [])
        except csv.Error as error:
            yield self.source.discard(DiscardReason.MALFORMED, 1, f"{error}")
            return
        self.places = _places(names, self.columns)
        missing = [name for name in self.columns.values() if _plain(name) not in map(_plain, names)]
        if missing or not {"step", "text"} & set(self.places):
            which = f"no column {missing[0]!r}" if missing else "no column of steps or texts"
            detail = f"{which} among {', '.join(names)[:200]}; name it: --columns scenario=NAME,step=NAME"
            yield self.source.discard(DiscardReason.MALFORMED, 1, detail)
            return
        held: list[_Row] = []
        while True:
            try:
                cells = next(rows)
            except StopIteration:
                break
            except csv.Error as error:
                self._faults.append(self.source.discard(DiscardReason.MALFORMED, rows.line_num + 1, f"{error}"))
                continue
            line = rows.line_num + 1
            if any(map(str.strip, cells)):
                if len(cells) > len(names):
                    detail = f"{len(cells)} columns instead of {len(names)}"
                    self._faults.append(self.source.discard(DiscardReason.MALFORMED, line, detail))
                    continue
                held.append(_Row(line, {key: cells[at] for key, at in self.places.items() if at < len(cells)}))
        self._settle(held)
        for row in held:
            self.texts.setdefault(self._name(row), []).append(row)
        yield from self._faults

    def _settle(self, rows: Sequence[_Row]) -> None:
        """A guessed column of steps that has numbers only is their order, if there is a column of texts."""
        numbers = all(_INTEGER.fullmatch(row.of("step")) for row in rows)
        if "step" in self.columns or not {"step", "text"} <= set(self.places) or not numbers:
            if {"step", "text"} <= set(self.places):
                del self.places["text"]
            return
        self.places = {key: at for key, at in self.places.items() if key not in ("text", "order")}
        for row in rows:
            row.cells = {**row.cells, "order": row.of("step"), "step": row.of("text")}

    def _name(self, row: _Row) -> str:
        scenario = row.of("scenario").strip() or row.of("title").strip()
        if "step" not in self.places and not row.of("source").strip():
            return f"{scenario} {row.line}".strip()
        return f"{scenario} {row.of('source').strip()}".strip() or "1"

    def _lines(self) -> Iterator[str]:
        for _, line in text_lines(self.source):
            if isinstance(line, Discard):
                self._faults.append(line)
                yield "\n"
            else:
                yield f"{line}\n"


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[_\-.:\"]+", " ", name).lower().split())


def _delimiter(header: str) -> str:
    """The sign that separates most columns of a header."""
    return max(_DELIMITERS, key=header.count)


def _places(names: Sequence[str], columns: Columns) -> dict[str, int]:
    """The place of the column for each thing: as given, else the first that one of its words names."""
    plain = [_plain(name) for name in names]
    found = {key: plain.index(_plain(name)) for key, name in columns.items() if _plain(name) in plain}
    for key, words in GUESSED.items():
        if key in found or (key in ("step", "text") and {"step", "text"} & set(columns)):
            continue
        place = next((plain.index(word) for word in words if word in plain), None)
        if place is not None and place not in found.values():
            found[key] = place
    return found


def _document(name: str, rows: Sequence[_Row], *, steps: bool) -> Document | None:
    orders = [row.of("order").strip() for row in rows]
    if all(_is_number(order) for order in orders):
        rows = [row for _, row in sorted(zip(map(float, orders), rows, strict=True), key=lambda pair: pair[0])]
    if steps:
        text, spans = joined_lines([" ".join(row.of("step").split()) for row in rows])
        passages = steps_of(text, spans)
    else:
        text = "\n\n".join(row.of("text") for row in rows)
        passages = passages_of(text, paragraph_spans(text))
    if not passages:
        return None
    title, scenario = (" ".join(rows[0].of(key).split()) for key in ("title", "scenario"))
    return Document(name=name, format="table", text=text, title=title, scenario=scenario, passages=passages)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d{1,9}(?:\.\d{1,6})?", text) is not None
