"""Draw an arrow along the path that the layout computed."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.drawing.svg import Element, Move, Point, Svg

GAP_Y = 46.0
"""Pixels between two layers: room for a curve and an arrowhead, and at a fold for a turn."""
ARROWHEAD = 7.0
"""Length of an arrowhead in pixels."""
_ROUND = 10.0


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
