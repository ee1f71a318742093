"""CSV and TSV with a header: the rows of one scenario and source are one text."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from attrs import define, field

from kgscripts.corpora.blocks import one_line
from kgscripts.corpora.how_tos import HowTo, Section, document_of_how_to
from kgscripts.corpora.lines import passages_of, steps_of
from kgscripts.corpora.plain_text import joined_lines, paragraph_spans
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, text_lines
from kgscripts.corpora.table_columns import MOST_ABOVE, TableColumns, delimiter_of, is_header
from schemas.records import Discard, DiscardReason, Document, PassageKind

_SEPARATOR = re.compile(r'"?sep=(\\t|.)"?', re.IGNORECASE)
"""The first line by which spreadsheets say what separates cells."""
MOST_CELLS = 500_000
"""The most cells of a table: with `MAX_BYTES` they bound the memory that it takes."""
MOST_COLUMNS = 1_000
MAX_BYTES = 32 * 1024 * 1024


def read_table(source: Source) -> Iterator[Document | Discard]:
    """Yield the texts of a table, in the order of their first rows, and discards of rows and columns not read.

    Columns are guessed from the header, above which a title may stand. With a column of steps, the
    rows of one scenario and source are one text, ordered by the column of the order if it has numbers; a column of
    texts gives a text a row, or the paragraphs of one if a column names their source. A table of more than `MOST_CELLS`
    cells or `MAX_BYTES` is a discard.
    """
    # The limit is that of the process, 131,072 characters, and less than a long story has.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_RECORD_BYTES))
    try:
        yield from _Table(source).read()
    except csv.Error as error:  # in the header
        yield source.discard(DiscardReason.MALFORMED, 1, f"{error}")


@define
class _Table:
    """The rows of a table."""

    source: Source
    _title: str = ""
    _faults: list[Discard] = field(factory=list)
    _is_at_end: bool = False

    def read(self) -> Iterator[Document | Discard]:
        """Yield the texts, and what could not be read."""
        lines = self._lines()
        names, header, delimiter, rest = self._header(lines)
        if len(names) > MOST_COLUMNS:
            detail = f"a table of more than {MOST_COLUMNS:,} columns; keep those with steps, tools and scenarios"
            yield self.source.discard(DiscardReason.TOO_LONG, header, detail)
            return
        texts: dict[str, list[tuple[int, list[str]]]] = {}
        rows: list[tuple[int, list[str]]] = []
        cells = size = 0
        for item in self._rows(csv.reader(rest, delimiter=delimiter), header, len(names)) if names else ():
            if isinstance(item, Discard):
                yield item
                continue
            cells, size = cells + len(item[1]), size + sum(map(len, item[1]))
            if cells > MOST_CELLS or size > MAX_BYTES:
                detail = f"a table of more than {MOST_CELLS:,} cells or {MAX_BYTES:,} characters; split it"
                yield self.source.discard(DiscardReason.TOO_LONG, item[0], detail)
                return
            rows.append(item)
        yield from self._faults
        columns = TableColumns(names, [row for _, row in rows])
        if names and not {"step", "text"} & set(columns.places):
            detail = f"no column of steps or texts among {', '.join(names)[:200]}; call it step or text"
            yield self.source.discard(DiscardReason.MALFORMED, header, detail)
            return
        for line, row in rows:
            texts.setdefault(_name(columns, row, line), []).append((line, row))
        for name, of_text in texts.items():
            document = self._document(self.source.label(name), columns, [row for _, row in of_text])
            yield document or self.source.discard(DiscardReason.EMPTY, of_text[0][0], "no text")
        if columns.unread and texts:
            detail = f"not read: {', '.join(columns.unread)[:200]}; to read one, call it tools, for example"
            yield self.source.discard(DiscardReason.UNREAD_COLUMN, header, detail)

    def _header(self, lines: Iterator[str]) -> tuple[list[str], int, str, Iterator[str]]:
        """The header, its line (from 1), the separator, and the lines below; no names in an empty table.

        The header is the first line with known names, else the first that is not blank. What is above is the title.
        """
        first = list(islice(lines, MOST_ABOVE))
        said = next((match[1] for line in first if (match := _SEPARATOR.fullmatch(line.strip()))), "")
        signs = ["\t" if said == "\\t" else said or delimiter_of(line) for line in first]
        heads = [
            next(csv.reader([line], delimiter=sign), [])[: MOST_COLUMNS + 1]
            for line, sign in zip(first, signs, strict=True)
        ]
        filled = [
            at
            for at, head in enumerate(heads)
            if any(map(str.strip, head)) and not _SEPARATOR.fullmatch(first[at].strip())
        ]
        if not filled:
            return [], 1, ",", lines
        place = next((at for at in filled if is_header(heads[at])), filled[0])
        self._title = one_line(" ".join(heads[filled[0]])) if filled[0] < place else ""
        return heads[place], place + 1, signs[place], chain(first[place + 1 :], lines, self._end())

    def _rows(self, rows: Any, header: int, width: int) -> Iterator[tuple[int, list[str]] | Discard]:
        """The rows that are not blank, each with its first line."""
        while True:
            line = header + rows.line_num + 1
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                yield self.source.discard(DiscardReason.MALFORMED, line, f"{error}")
                continue
            # Spreadsheets fill up each row to the width of the widest.
            while len(cells) > width and not cells[-1].strip():
                cells.pop()
            if self._is_at_end:  # every row but one with an open quote is complete at the end of a line
                detail = "a quote that is not closed, so that all lines from here on are one cell"
                yield self.source.discard(DiscardReason.MALFORMED, line, detail)
            elif len(cells) > width:
                detail = f"{len(cells)} columns instead of {width}"
                yield self.source.discard(DiscardReason.MALFORMED, line, detail)
            elif any(map(str.strip, cells)):
                yield line, cells

    def _document(self, name: str, columns: TableColumns, rows: Sequence[Sequence[str]]) -> Document | None:
        rows = columns.ordered(rows)
        title, scenario = (one_line(columns.of(rows[0], key)) for key in ("title", "scenario"))
        title = title or (not scenario and self._title) or ""
        if "step" not in columns.places:
            text = "\n\n".join(columns.of(row, "text") for row in rows)
            passages = passages_of(text, paragraph_spans(text))
        else:
            text, spans = joined_lines([one_line(columns.of(row, "step")) for row in rows])
            passages = steps_of(text, spans)
            tools, supplies = (columns.things(rows, key) for key in ("tools", "supplies"))
            steps = [text[item.start : item.end] for item in passages if item.kind is PassageKind.STEP]
            if steps and (tools or supplies):
                supplies += [text[item.start : item.end] for item in passages if item.kind is PassageKind.NEEDS]
                how_to = HowTo(
                    title=title, tools=tools, supplies=supplies, food=columns.are_food, sections=[Section(steps=steps)]
                )
                return document_of_how_to(how_to, name=name, format="table", scenario=scenario)
        if not passages:
            return None
        return Document(name=name, format="table", text=text, title=title, scenario=scenario, passages=passages)

    def _lines(self) -> Iterator[str]:
        for _, line in text_lines(self.source):
            if isinstance(line, Discard):
                self._faults.append(line)
                # An empty row in its place, so that the numbers of the lines below stay right.
                yield "\n"
            else:
                # Some programs end lines by a carriage return alone.
                yield from (f"{part}\n" for part in line.split("\r"))

    def _end(self) -> Iterator[str]:
        """No more lines."""
        self._is_at_end = True
        yield from ()


def _name(columns: TableColumns, row: Sequence[str], line: int) -> str:
    """The name of the text that a row belongs to."""
    scenario = one_line(columns.of(row, "scenario") or columns.of(row, "title"))
    source = one_line(columns.of(row, "source"))
    if "step" not in columns.places and not source:
        return f"{scenario} {line}".strip()
    return f"{scenario} {source}".strip() or "1"
