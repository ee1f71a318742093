"""Where the steps of a script are drawn: boxes with chips, from top to bottom, free steps side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from exports.views.layered_layout import Edge, Extent, Layout, lay_out, ports
from exports.views.text_size import BOLD, text_width, wrapped
from kgscripts.scripts.reading import least_order
from kgscripts.scripts.types import Change, Part, Script, Step, shown_name, well_supported

_WIDTH, _PADDING = 232.0, 14.0
_INNER = _WIDTH - 2 * _PADDING
_TITLE, _LINE, _MOST_LINES = 14.0, 19.0, 3
_CHIP, _CHIP_HEIGHT, _CHIP_GAP, _CHIP_PADDING = 11.0, 20.0, 5.0, 8.0
_MOST_CHIPS = 3
_NOTE_LINE = 17.0
_ACROSS, _GAP_X, _GAP_Y = 4, 30.0, 34.0
_APART, _ARROWHEAD = 18.0, 9.0
_LEVELS = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60)
"""The numbers of steps that can be drawn; what is beyond the last is listed."""


def boxes(script: Script) -> list[dict[str, Any]]:
    """The box of each step: its height, the lines of its title, and its chips (kind, text, x, y, width)."""
    return [_box(step) for step in script.steps]


def levels(script: Script, salience: Mapping[str, int], heights: Sequence[float]) -> list[dict[str, Any]]:
    """Drawings of the most salient steps, from few to many.

    Each has the steps with their places, the arrows between them with their points, and its size. `salience` has the
    salience ranks of the steps by IRI.
    """
    place = {step.iri: number for number, step in enumerate(script.steps)}
    order = sorted(place, key=lambda iri: (salience[iri], iri))
    counts = [count for count in _LEVELS if count < len(order)]
    if len(order) <= _LEVELS[-1]:
        counts.append(len(order))
    pairs = {(pair.before, pair.after): pair for pair in script.precedes}
    drawings = []
    for count in counts or [0]:
        drawn = set(order[:count])
        edges = list(least_order(list(place), script.order, drawn))
        extents = {
            iri: Extent(left=_WIDTH / 2, right=_WIDTH / 2, height=heights[place[iri]]) for iri in place if iri in drawn
        }
        layout = lay_out(extents, edges, across=_ACROSS, gap_x=_GAP_X, gap_y=_GAP_Y)
        ends = ports(layout, lambda _: _WIDTH, _APART)
        drawings.append(
            {
                "steps": [[place[iri], _near(x - _WIDTH / 2), _near(y)] for iri, (x, y) in layout.nodes.items()],
                "arrows": [
                    {
                        "ends": [place[edge[0]], place[edge[1]]],
                        "way": [_near(number) for point in _way(layout, edge, ends[edge], extents) for number in point],
                        "share": round(pairs[edge].probability, 2) if edge in pairs else None,
                        "required": edge in pairs and pairs[edge].required,
                    }
                    for edge in edges
                ],
                "width": _near(layout.width),
                "height": _near(layout.height),
                "support": min((step.support for step in script.steps if step.iri in drawn), default=0),
            }
        )
    return drawings


def _box(step: Step) -> dict[str, Any]:
    lines = wrapped(step.label_text, _TITLE * BOLD, _INNER, _MOST_LINES)
    top = _PADDING + len(lines) * _LINE
    if step.optional:
        return {"height": top + _PADDING, "lines": lines, "chips": []}
    top += _NOTE_LINE
    chips: list[tuple[str, str, float, float, float]] = []
    for kind, parts in (("tool", step.tools), ("participant", step.participants), ("change", step.changes)):
        x, row = 0.0, 0
        for text in _chip_texts(step, parts):
            width = text_width(text, _CHIP) + 2 * _CHIP_PADDING
            if x and x + width > _INNER:
                x, row = 0.0, row + 1
            y = top + 6 + row * (_CHIP_HEIGHT + _CHIP_GAP)
            chips.append((kind, text, _near(_PADDING + x), _near(y), _near(width)))
            x += width + _CHIP_GAP
        if parts:
            top += (row + 1) * (_CHIP_HEIGHT + _CHIP_GAP)
    return {"height": _near(top + _PADDING), "lines": lines, "chips": chips}


def _chip_texts(step: Step, parts: Sequence[Part]) -> Iterator[str]:
    """The texts of the chips: the best supported, and how many more there are."""
    shown = (well_supported(step, parts) or parts)[:_MOST_CHIPS]
    for part in shown:
        yield wrapped(_chip_text(part), _CHIP, _INNER - 2 * _CHIP_PADDING, 1)[0]
    if len(parts) > len(shown):
        yield f"+{len(parts) - len(shown)}"


def _chip_text(part: Part) -> str:
    if isinstance(part, Change):
        mark = "" if part.level == "certain" else "?"
        return f"{part.entity}: {part.before or '…'} → {part.after}{mark}"
    return shown_name(part)


def _way(
    layout: Layout, edge: Edge, ends: tuple[float, float], extents: Mapping[str, Extent]
) -> list[tuple[float, float]]:
    """The points of an arrow: straight from the first to the second, a curve to the third, and so on."""
    start, end = ends
    way = list(layout.ways[edge])
    way[0], way[-1] = (start, way[0][1]), (end, way[-1][1] - _ARROWHEAD)
    bottom = layout.nodes[edge[0]][1] + extents[edge[0]].height
    return [(start, bottom), *way, (end, layout.nodes[edge[1]][1])]


def _near(number: float) -> float:
    return round(number, 1)
