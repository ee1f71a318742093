"""Pictures of state tables like Figure 1 of the OpenPI paper: entities with their attributes by steps."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kgscripts.lookup.tracking import StateRow, StateTable
from schemas.drawing.svg import Svg
from schemas.drawing.text_layout import BOLD, wrapped

# All lengths are in pixels, from the upper left corner.
_MARGIN = 34
_NAMES, _COLUMN = 168, 149
_PADDING = 8
_TEXT, _TITLE = 12, 17
_LINE = _TEXT * 1.25
_GAP = 10
"""Above an entity."""
_MOST_LINES = 7
_STYLE = """
text { fill: #1a1a1a }
.bold { font-weight: bold }
.faint { fill: #737373 }
.changed { fill: #cfe3f5 }
.remains { fill: #f3f3f3 }
path { stroke: #1a1a1a }
"""


@frozen
class _Row:
    """A row with its wrapped texts; `entity` is empty below the first row of an entity."""

    row: StateRow
    entity: Sequence[str]
    attribute: Sequence[str]
    cells: Sequence[Sequence[str]]

    @property
    def height(self) -> float:
        return max(map(len, [self.attribute, *self.cells])) * _LINE + 2 * _PADDING

    @property
    def heading(self) -> float:
        """The height of the entity above the row."""
        return _GAP + len(self.entity) * _LINE if self.entity else 0


def draw_table(table: StateTable) -> Svg:
    """Draw a state table.

    The steps are columns. A change is a blue cell with the value before and after; in the steps behind it, a grey cell
    shows the value that remains.
    """
    procedure, rows = table.procedure, _rows(table)
    heads = [_wrapped(f"{number}. {text}", _COLUMN) for number, text in enumerate(procedure.steps, 1)]
    width = 2 * _MARGIN + _NAMES + len(heads) * _COLUMN
    title = wrapped(procedure.title or procedure.id, _TITLE * BOLD, width - 2 * _MARGIN, _MOST_LINES)
    top = _MARGIN + len(title) * _TITLE * 1.25 + _PADDING
    y = top + max(map(len, heads)) * _LINE + 2 * _PADDING
    height = y + sum(row.heading + row.height for row in rows) + (0 if rows else 2 * _LINE) + _MARGIN
    svg = Svg(width=width, height=height, title=procedure.title or procedure.id, style=_STYLE)
    svg.text(svg.root, title, _MARGIN, _MARGIN, size=_TITLE, kind="bold", anchor="start")
    for step, lines in enumerate(heads):
        _write(svg, lines, _left(step) + _PADDING, top + _PADDING)
    svg.path(svg.root, [("M", (_MARGIN, y)), ("L", (width - _MARGIN, y))], width=1)
    if not rows:
        _write(svg, ["no change"], _MARGIN, y + _LINE, "faint")
    for row in rows:
        if row.entity:
            _write(svg, row.entity, _MARGIN, y + _GAP, "bold")
        _draw_row(svg, row, y + row.heading)
        y += row.heading + row.height
    return svg


def _rows(table: StateTable) -> list[_Row]:
    found: list[_Row] = []
    entity = ""
    for row in table.rows():
        cells = [row.cell(step, "→") for step in range(len(row.changes))]
        name = _wrapped(row.entity, _NAMES + _COLUMN, BOLD) if row.entity != entity else []
        attribute = _wrapped(row.attribute, _NAMES - _PADDING)
        found.append(_Row(row, name, attribute, [_wrapped(cell, _COLUMN) for cell in cells]))
        entity = row.entity
    return found


def _draw_row(svg: Svg, row: _Row, top: float) -> None:
    _write(svg, row.attribute, _MARGIN + 2 * _PADDING, top + _PADDING)
    for step, (lines, changes) in enumerate(zip(row.cells, row.row.changes, strict=True)):
        x = _left(step)
        if changes:
            svg.rect(svg.root, x + 3, top + 3, _COLUMN - 6, row.height - 6, radius=5, kind="changed")
        elif lines:
            svg.rect(svg.root, x, top + 3, _COLUMN, row.height - 6, kind="remains")
        _write(svg, lines, x + _PADDING, top + _PADDING, "" if changes else "faint")


def _left(step: int) -> float:
    return _MARGIN + _NAMES + step * _COLUMN


def _write(svg: Svg, lines: Sequence[str], x: float, top: float, kind: str = "") -> None:
    svg.text(svg.root, lines, x, top, size=_TEXT, kind=kind, anchor="start")


def _wrapped(text: str, width: float, weight: float = 1) -> list[str]:
    """The text in at most `_MOST_LINES` lines that fit into a width with its padding; [] for ""."""
    return wrapped(text, _TEXT * weight, width - 2 * _PADDING, _MOST_LINES) if text else []
