"""The results of queries, which are tables, with the formats that they are printed in; and of exports."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import field, frozen

from schemas.errors import without_extra
from schemas.terminal import console, finite, json_text, printable

if TYPE_CHECKING:
    import pandas as pd

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value] | None"


class ResultFormat(StrEnum):
    """The formats of a printed result."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    TSV = "tsv"


@frozen(kw_only=True)
class ExportReport:
    """The result of an export: number of `nodes` and `relations`, and `details` that depend on the target."""

    nodes: int
    relations: int
    target: str
    details: dict[str, str | int | float] = field(factory=dict)


_SHOWN_ROWS = 50


@frozen(kw_only=True, repr=False)
class Table:
    """The rows of a result. IRIs are plain strings; nodes and lists of a Cypher result keep their structure."""

    columns: tuple[str, ...] = field(converter=tuple[str, ...])
    rows: tuple[tuple[Value, ...], ...] = field(converter=tuple[Any, ...])

    def __repr__(self) -> str:
        return f"Table({', '.join(map(repr, self.columns))}: {len(self.rows):,} rows)"

    def _repr_html_(self) -> str:
        """What a notebook shows: the first `_SHOWN_ROWS` rows."""

        def line(cells: Iterable[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in cells) + "</tr>"

        rows = "".join(line(map(as_text, row), "td") for row in self.rows[:_SHOWN_ROWS])
        more = len(self.rows) - _SHOWN_ROWS
        left = f"<small>{more:,} more rows</small>" if more > 0 else ""
        return f"<table>{line(self.columns, 'th')}{rows}</table>{left}"

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas data frame. Raises ConfigurationError without pandas, which the extra `frames` has."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise without_extra(error) or error from error
        return pd.DataFrame.from_records(list(self.rows), columns=list(self.columns))

    def as_json(self) -> dict[str, object]:
        """The table for `json.dumps`: not a number and infinity, which JSON lacks, are ``"NaN"`` and ``"Infinity"``."""
        return {"columns": self.columns, "rows": [finite(row) for row in self.rows]}

    def render(self, form: ResultFormat, width: int | None = None) -> str:
        """The table as text that ends in a newline; `width` in characters wraps a `ResultFormat.TABLE`."""
        if form is ResultFormat.JSON:
            return json_text(self.as_json()) + "\n"
        if form is ResultFormat.TABLE:
            return self._table(width)
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter="," if form is ResultFormat.CSV else "\t", lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([as_text(value) for value in row] for row in self.rows)
        return stream.getvalue()

    def _table(self, width: int | None) -> str:
        # Importing rich takes a tenth of a second; the other formats do not need it.
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="")
        for position, column in enumerate(self.columns):
            numeric = all(isinstance(row[position], int | float | None) for row in self.rows)
            table.add_column(Text(printable(column)), justify="right" if numeric else "left", overflow="fold")
        for row in self.rows:
            table.add_row(*(Text(printable(as_text(value))) for value in row))
        shown = [self.columns, *(map(as_text, row) for row in self.rows)]
        natural = 4 + sum(3 + 2 * max(len(printable(text)) for text in column) for column in zip(*shown, strict=True))
        screen = console(width=width or max(natural, 20))
        with screen.capture() as captured:
            screen.print(table)
        return "\n".join(line.rstrip() for line in captured.get().split("\n")).strip("\n") + "\n"


def as_text(value: Value) -> str:
    """A value as the text of a cell: empty for null, JSON for structures."""
    value = finite(value)
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
