"""Pictures of plans: a table of the steps with what they need, require and change."""

from __future__ import annotations

from collections.abc import Sequence

from kgscripts.planning.plan import Plan, step_parts
from schemas.drawing.svg import BOLD, Svg, wrapped

# All lengths are in pixels, from the upper left corner.
_MARGIN, _PADDING = 34, 8
_TEXT, _TITLE = 12, 17
_LINE = _TEXT * 1.25
_MOST_LINES = 12
_COLUMNS = (("step", 190), ("at hand", 140), ("after", 60), ("requires", 250), ("changes", 250))
"""The name and the width of each column; what a step uses up is a change."""
_STYLE = """
text { fill: #1a1a1a }
.bold { font-weight: bold }
.faint { fill: #737373 }
.row { fill: #f3f3f3 }
"""


def draw_plan(plan: Plan) -> Svg:
    """Draw the steps of a plan as rows; "(by 2)" names the step that brings a condition about."""
    numbers = plan.numbers()
    rows = []
    for step in plan.steps:
        parts = {kind: text for kind, text, _ in step_parts(step, numbers)}
        gone = f"uses up {parts['uses up']}" if parts["uses up"] else ""
        changes = "; ".join(filter(None, (parts["changes"], gone)))
        label = f"{numbers[step.id]}. {step.label}"
        rows.append([label, parts["at hand"], parts["after"], parts["requires"], changes])
    cells = [[_wrapped(text, width) for text, (_, width) in zip(row, _COLUMNS, strict=True)] for row in rows]
    heights = [max(map(len, row)) * _LINE + 2 * _PADDING for row in cells]
    width = 2 * _MARGIN + sum(width for _, width in _COLUMNS)
    title = wrapped(plan.title, _TITLE * BOLD, width - 2 * _MARGIN, _MOST_LINES)
    y = _MARGIN + len(title) * _TITLE * 1.25 + _PADDING
    height = y + _LINE + 2 * _PADDING + sum(heights) + _MARGIN
    svg = Svg(width=width, height=height, title=plan.title, style=_STYLE)
    svg.text(svg.root, title, _MARGIN, _MARGIN, size=_TITLE, kind="bold", anchor="start")
    _write(svg, [[name] for name, _ in _COLUMNS], y + _PADDING, "faint")
    y += _LINE + 2 * _PADDING
    for number, (row, high) in enumerate(zip(cells, heights, strict=True)):
        if number % 2 == 0:
            svg.rect(svg.root, _MARGIN, y, width - 2 * _MARGIN, high, radius=5, kind="row")
        _write(svg, row, y + _PADDING)
        y += high
    return svg


def _write(svg: Svg, row: Sequence[Sequence[str]], top: float, kind: str = "") -> None:
    x = float(_MARGIN)
    for lines, (_, width) in zip(row, _COLUMNS, strict=True):
        svg.text(svg.root, lines, x + _PADDING, top, size=_TEXT, kind=kind, anchor="start")
        x += width


def _wrapped(text: str, width: float) -> list[str]:
    return wrapped(text, _TEXT, width - 2 * _PADDING, _MOST_LINES) if text else []
