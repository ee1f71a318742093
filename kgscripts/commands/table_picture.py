"""Pictures of state tables like Figure 1 of the OpenPI paper: entities with their attributes by steps."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import FancyBboxPatch, Rectangle

from kgscripts.commands.picture import save_picture, text_width
from kgscripts.lookup.tracking import StateRow, StateTable
from schemas.terminal import printable

# All lengths are in inches, from the upper left corner.
_MARGIN = 0.35
_NAMES, _COLUMN = 1.75, 1.55
_PADDING = 0.09
_LINE = 0.165
_GAP = 0.12
"""Above the attributes of an entity."""
_TITLE = FontProperties(family="DejaVu Sans", size=13, weight="bold")
_BOLD = FontProperties(family="DejaVu Sans", size=9, weight="bold")
_TEXT = FontProperties(family="DejaVu Sans", size=9)
_CHANGED, _REMAINS, _INK, _FAINT = "#cfe3f5", "#f3f3f3", "#1a1a1a", "#8a8a8a"
_MOST_LINES = 7


@frozen
class _Row:
    """A row with its wrapped texts; `entity` is "" below the first row of an entity."""

    row: StateRow
    entity: list[str]
    attribute: list[str]
    cells: list[list[str]]

    @property
    def height(self) -> float:
        lines = max([len(self.attribute), *map(len, self.cells)])
        return lines * _LINE + 2 * _PADDING


def draw_table(table: StateTable, file: Path) -> None:
    """Draw a state table to `file` (.svg or .png); equal tables give equal bytes.

    The steps are columns. A change is a blue cell with the value before and after; in the steps behind it, a grey cell
    shows the value that remains.

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    procedure, rows = table.procedure, _rows(table)
    heads = [_wrapped(f"{number}. {text}", _COLUMN) for number, text in enumerate(procedure.steps, 1)]
    nothing = [] if rows else ["no change"]
    head = max(map(len, heads)) * _LINE + 2 * _PADDING
    body = sum(row.height + (_GAP + len(row.entity) * _LINE if row.entity else 0) for row in rows)
    title = _wrapped(procedure.title or procedure.id, _NAMES + len(heads) * _COLUMN, _TITLE)
    top = _MARGIN + len(title) * 1.6 * _LINE
    width = 2 * _MARGIN + _NAMES + len(heads) * _COLUMN
    height = top + head + body + len(nothing) * 2 * _LINE + _MARGIN
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    for number, line in enumerate(title):
        _write(axes, [line], _MARGIN, _MARGIN + number * 1.6 * _LINE, _TITLE)
    for step, lines in enumerate(heads):
        _write(axes, lines, _left(step) + _PADDING, top + _PADDING, _TEXT)
    y = top + head
    axes.plot([_MARGIN, width - _MARGIN], [y, y], color=_INK, linewidth=1)
    _write(axes, nothing, _MARGIN, y + _LINE, _TEXT, _FAINT)
    for row in rows:
        if row.entity:
            _write(axes, row.entity, _MARGIN, y + _GAP, _BOLD)
            y += _GAP + len(row.entity) * _LINE
        _draw_row(axes, row, y)
        y += row.height
    save_picture(figure, file)


def _rows(table: StateTable) -> list[_Row]:
    found: list[_Row] = []
    entity = ""
    for row in table.rows():
        cells = [row.cell(step, "→") for step in range(len(row.changes))]
        name = _wrapped(row.entity, _NAMES + _COLUMN, _BOLD) if row.entity != entity else []
        attribute = _wrapped(row.attribute, _NAMES - _PADDING)
        found.append(_Row(row, name, attribute, [_wrapped(cell, _COLUMN) for cell in cells]))
        entity = row.entity
    return found


def _draw_row(axes: Axes, row: _Row, top: float) -> None:
    _write(axes, row.attribute, _MARGIN + 2 * _PADDING, top + _PADDING, _TEXT)
    for step, (lines, changes) in enumerate(zip(row.cells, row.row.changes, strict=True)):
        x = _left(step)
        if changes:
            box = (x + 0.03, top + 0.03)
            style = "round,pad=0,rounding_size=0.05"
            shape = FancyBboxPatch(
                box, _COLUMN - 0.06, row.height - 0.06, boxstyle=style, facecolor=_CHANGED, linewidth=0
            )
            axes.add_patch(shape)
        elif lines:
            axes.add_patch(
                Rectangle((x, top + 0.03), _COLUMN, row.height - 0.06, facecolor=_REMAINS, linewidth=0, zorder=0)
            )
        _write(axes, lines, x + _PADDING, top + _PADDING, _TEXT, _INK if changes else _FAINT)


def _left(step: int) -> float:
    return _MARGIN + _NAMES + step * _COLUMN


def _write(axes: Axes, lines: list[str], x: float, top: float, font: FontProperties, colour: str = _INK) -> None:
    for number, line in enumerate(lines):
        y = top + number * _LINE + 0.12
        axes.text(x, y, line, fontproperties=font, color=colour, parse_math=False)


def _wrapped(text: str, width: float, font: FontProperties = _TEXT) -> list[str]:
    """The text in at most `_MOST_LINES` lines that fit into a width with its padding; [] for ""."""
    lines: list[str] = []
    for word in printable(" ".join(text.split())).split():
        if lines and _fits(f"{lines[-1]} {word}", width, font):
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for char in word:
            if lines[-1] and not _fits(lines[-1] + char, width, font):
                lines.append("")
            lines[-1] += char
        if len(lines) > _MOST_LINES:
            return [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1][:-1]}…"]
    return lines


def _fits(text: str, width: float, font: FontProperties) -> bool:
    return text_width(text, font) <= width - 2 * _PADDING
