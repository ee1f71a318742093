"""A scenario's script as a picture: its steps from top to bottom, with their tools beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from exports.views.layered_layout import Edge, Extent, Layout, lay_out, ports
from exports.views.script_tree import needs_text
from kgscripts.scripts.types import Part, Script, Step, shown_name, well_supported
from schemas.drawing.svg import BOLD, Element, Move, Point, Svg, text_width, wrapped
from schemas.errors import ConfigurationError

GAP_Y = 46.0
"""Pixels between two layers: room for a curve and an arrowhead, and at a fold for a turn."""
ARROWHEAD = 7.0
"""Length of an arrowhead in pixels."""
_ROUND, _PORTS = 10.0, 16.0


def draw_arrow(svg: Svg, parent: Element, way: Sequence[Point], share: float, alleys: Sequence[float] = ()) -> None:
    """Straight from the first point to the second, a curve to the third, straight to the fourth, and so on.

    Where the way leads upwards, to the head of the next column, it follows the last of the `alleys` before it.
    """
    *_, (x, y) = way
    moves: list[Move] = [("M", way[0])]
    for number, (a, b) in enumerate(zip(way, [*way[1:-1], (x, y - ARROWHEAD)], strict=False)):
        middle = (a[1] + b[1]) / 2
        if number % 2 == 0:
            moves.append(("L", b))
        elif a[1] < b[1]:
            moves.append(("C", (a[0], middle), (b[0], middle), b))
        else:
            moves += _around(a, b, max(alley for alley in alleys if alley < b[0]))
    group = svg.group(parent, kind="before")
    svg.path(group, moves, width=1.2 + 2.4 * share)
    svg.polygon(
        group,
        [(x, y - 1), (x - ARROWHEAD * 0.6, y - 1 - ARROWHEAD * 1.2), (x + ARROWHEAD * 0.6, y - 1 - ARROWHEAD * 1.2)],
    )


def _around(a: Point, b: Point, alley: float) -> list[Move]:
    """Down from the foot of a column, up the `alley` beside it, and down to the head of the next: round corners."""
    low, high = a[1] + GAP_Y / 2, b[1] + ARROWHEAD - GAP_Y / 2
    way = [a, (a[0], low), (alley, low), (alley, high), (b[0], high), b]
    moves: list[Move] = []
    for before, corner, after in zip(way, way[1:], way[2:], strict=False):
        moves += [("L", _towards(corner, before)), ("Q", corner, _towards(corner, after))]
    return [*moves, ("L", b)]


def _towards(corner: Point, other: Point) -> Point:
    """The point `_ROUND` pixels, or half the way, from `corner` towards `other`, which is level or plumb with it."""
    x, y = other[0] - corner[0], other[1] - corner[1]
    share = min(0.5, _ROUND / max(abs(x), abs(y)))
    return (corner[0] + x * share, corner[1] + y * share)


MOST_STEPS = 150
"""The most steps that fit into a readable picture."""

_MARGIN, _GAP_X = 36.0, 32.0
_ACROSS, _TALL = 4, 800.0
_SMALLEST, _LARGEST = 12.0, 17.0
"""Font sizes of a step with hardly any support and of the step with the most support."""
_LINE_WIDTH, _MOST_LINES = 12.0, 3
"""The width of a line in font sizes, and the most lines of a label."""
_TOOL_SIZE, _TOOL_HEIGHT, _TOOL_GAP, _TOOL_REACH, _MOST_TOOLS = 11.0, 20.0, 5.0, 16.0, 5
_LEGEND_SIZE = 11.0
_NOTE_SIZE, _NOTE_WIDTH, _NOTE_LINES = 13.0, 640.0, 4
_MOST_CHANGES = 6
_LEGEND = (
    ("step", 52.0, "step (larger: in more texts)", (0.0, 0.0)),
    ("step essential", 30.0, "essential", (0.0, 28.0)),
    ("step optional", 30.0, "optional (often left out)", (124.0, 28.0)),
    ("before", 28.0, "comes before (thicker: more texts)", (310.0, 0.0)),
    ("tool", 30.0, "tool", (310.0, 28.0)),
)
"""CSS class, width in pixels, meaning and position of each entry of the legend."""
_LEGEND_WIDTH, _LEGEND_HEIGHT = 560.0, 47.0
_STYLE = """
text { fill: #1e1b4b }
.title { font-weight: bold }
.note { fill: #64748b }
.step rect { fill: #e0e7ff; stroke: #6366f1; stroke-width: 1.5 }
.essential rect { stroke-width: 3 }
.optional rect { fill: #ffffff; stroke-dasharray: 5 4 }
.tool rect { fill: #fef3c7; stroke: #d97706 }
.tool path { fill: none; stroke: #d97706 }
.tool text { fill: #78350f }
.before path { fill: none; stroke: #94a3b8; stroke-linecap: round; stroke-linejoin: round }
.before polygon { fill: #94a3b8 }
"""


@frozen(kw_only=True)
class _Box:
    """A step as it is drawn: `lines` of text of `size` pixels in a box, with the words and tips of its tools' pills."""

    lines: Sequence[str]
    size: float
    tools: Sequence[str]
    tips: Sequence[str]

    @property
    def width(self) -> float:
        return max(text_width(line, self.size) for line in self.lines) + 2 * self.size

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * 1.25 + self.size

    @property
    def extent(self) -> Extent:
        reach = max((_pill_width(tool) + _TOOL_REACH for tool in self.tools), default=0)
        height = max(self.height, len(self.tools) * (_TOOL_HEIGHT + _TOOL_GAP) - _TOOL_GAP)
        return Extent(left=self.width / 2, right=self.width / 2 + reach, height=height)


def picture(script: Script) -> Svg:
    """Return a picture that shows `script`; the same script gives the same picture.

    Raises
    ------
    ConfigurationError
        If the script has more than `MOST_STEPS` steps.
    """
    if len(script.steps) > MOST_STEPS:
        raise ConfigurationError(
            f"a picture of {len(script.steps)} steps is not readable",
            where=repr(script.label),
            remedy=f"choose a --limit from 1 to {MOST_STEPS}",
        )
    boxes = {step.iri: _box(step, _share(step.support, script)) for step in script.steps}
    before = arrows(script)
    extents = {iri: box.extent for iri, box in boxes.items()}
    layout = lay_out(extents, before, across=_ACROSS, gap_x=_GAP_X, gap_y=GAP_Y, tall=_TALL)
    title = wrapped(script.label, 24 * BOLD, 640, 2)
    counts = f"{len(script.steps)} steps read in {script.support} texts"
    notes = [counts if not script.left_out else f"{counts}; {len(script.left_out)} more are not shown"]
    if script.needs:
        notes += wrapped(needs_text(script.needs, script.needs_left_out), _NOTE_SIZE, _NOTE_WIDTH, _NOTE_LINES)
    width = max(
        layout.width,
        max(text_width(line, 24 * BOLD) for line in title),
        *(text_width(note, _NOTE_SIZE) for note in notes),
        _LEGEND_WIDTH,
    )
    top = _MARGIN + len(title) * 30 + 28 + len(notes) * _NOTE_SIZE * 1.25
    svg = Svg(
        width=width + 2 * _MARGIN,
        height=top + layout.height + 40 + _LEGEND_HEIGHT + _MARGIN,
        title=script.label,
        style=_STYLE,
    )
    svg.text(svg.root, title, _MARGIN, _MARGIN, size=24, kind="title", anchor="start")
    svg.text(svg.root, notes, _MARGIN, _MARGIN + len(title) * 30 + 4, size=_NOTE_SIZE, kind="note", anchor="start")
    left = _MARGIN + (width - layout.width) / 2
    _draw_arrows(svg, svg.group(svg.root, move=(left, top)), before, layout, boxes)
    drawing = svg.group(svg.root, move=(left, top))
    for step in script.steps:
        _draw_step(svg, drawing, step, boxes[step.iri], layout.nodes[step.iri])
    _draw_legend(svg, svg.group(svg.root, move=(_MARGIN, top + layout.height + 40)))
    return svg


def arrows(script: Script) -> dict[Edge, float]:
    """The arrows to draw, with their support relative to the largest; 0 for an arrow that only follows from others."""
    support = {(pair.before, pair.after): pair.support for pair in script.precedes}
    return {edge: _share(support.get(edge, 0), script) for edge in script.order}


def _share(support: int, script: Script) -> float:
    """`support` as a share of the largest support of a step, 0 to 1."""
    most = max((step.support for step in script.steps), default=1)
    return min(1.0, max(0.0, support / max(1, most)))


def _box(step: Step, share: float) -> _Box:
    size = round(_SMALLEST + (_LARGEST - _SMALLEST) * share, 1)
    told = well_supported(step, step.tools)
    shown = told if len(step.tools) == len(told) <= _MOST_TOOLS else told[: _MOST_TOOLS - 1]
    tools = [wrapped(shown_name(tool), _TOOL_SIZE, 140, 1)[0] for tool in shown]
    tips = [_told(tool) for tool in shown]
    if hidden := [tool for tool in step.tools if tool not in shown]:
        tools.append(f"{len(hidden)} more")
        tips.append(", ".join(map(_told, hidden)))
    return _Box(
        lines=wrapped(step.label_text, size, size * _LINE_WIDTH, _MOST_LINES), size=size, tools=tools, tips=tips
    )


def _pill_width(text: str) -> float:
    return text_width(text, _TOOL_SIZE) + _TOOL_HEIGHT


def _draw_step(svg: Svg, parent: Element, step: Step, box: _Box, at: Point) -> None:
    x, y = at
    middle = y + box.extent.height / 2
    kind = "step essential" if step.essential else "step optional" if step.optional else "step"
    tip = "; ".join([_told(step), *map(_told, step.changes[:_MOST_CHANGES])])
    group = svg.group(parent, kind=kind, tip=tip)
    svg.rect(group, x - box.width / 2, middle - box.height / 2, box.width, box.height, radius=9)
    svg.text(group, box.lines, x, middle - box.height / 2 + box.size / 2, size=box.size)
    first = middle - (len(box.tools) * (_TOOL_HEIGHT + _TOOL_GAP) - _TOOL_GAP) / 2
    for number, text in enumerate(box.tools):
        corner = (x + box.width / 2 + _TOOL_REACH, first + number * (_TOOL_HEIGHT + _TOOL_GAP))
        _draw_tool(svg, parent, text, corner, box.tips[number], start=(x + box.width / 2, middle))


def _told(what: Part) -> str:
    return f"{what.label_text}: {what.support} source{'' if what.support == 1 else 's'}, {what.probability:.0%}"


def _draw_tool(svg: Svg, parent: Element, text: str, corner: Point, tip: str, start: Point) -> None:
    x, y = corner
    group = svg.group(parent, kind="tool", tip=tip)
    end, bend = (x, y + _TOOL_HEIGHT / 2), (start[0] + x) / 2
    svg.path(group, [("M", start), ("C", (bend, start[1]), (bend, end[1]), end)], width=1)
    svg.rect(group, x, y, _pill_width(text), _TOOL_HEIGHT, radius=_TOOL_HEIGHT / 2)
    svg.text(group, [text], x + _pill_width(text) / 2, y + (_TOOL_HEIGHT - _TOOL_SIZE * 1.25) / 2, size=_TOOL_SIZE)


def _draw_arrows(
    svg: Svg, parent: Element, before: Mapping[Edge, float], layout: Layout, boxes: Mapping[str, _Box]
) -> None:
    ends = ports(layout, lambda node: boxes[node].width, _PORTS)
    for edge, share in before.items():
        start, end = edge
        way = [(x, y) for x, y in layout.ways[edge]]
        way[0] = (ends[edge][0], way[0][1])
        way[-1] = (ends[edge][1], way[-1][1] - ARROWHEAD)
        bottom = layout.nodes[start][1] + (boxes[start].extent.height + boxes[start].height) / 2
        top = layout.nodes[end][1] + (boxes[end].extent.height - boxes[end].height) / 2
        draw_arrow(svg, parent, [(way[0][0], bottom), *way, (way[-1][0], top)], share, layout.alleys)


def _draw_legend(svg: Svg, parent: Element) -> None:
    for kind, width, meaning, at in _LEGEND:
        sample = svg.group(parent, kind=kind, move=at)
        if kind == "before":
            for x, share in ((7.0, 0.0), (21.0, 1.0)):
                draw_arrow(svg, sample, [(x, -1), (x, 20)], share)
        elif kind == "step":
            svg.rect(sample, 0, 4, 18, 11, radius=3)
            svg.rect(sample, 22, 0, width - 22, 19, radius=5)
        else:
            svg.rect(sample, 0, 0, width, 19, radius=9.5 if kind == "tool" else 5)
        baseline = (at[0] + width + 8, at[1] + 3)
        svg.text(parent, [meaning], *baseline, size=_LEGEND_SIZE, kind="note", anchor="start")
