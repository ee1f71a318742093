"""A small writer of SVG 1.1: shapes and text, one after the other, on white paper, with two decimals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias
from xml.etree import ElementTree

from schemas.drawing.text_layout import FONT, legible

Element: TypeAlias = ElementTree.Element
Point: TypeAlias = tuple[float, float]
Move: TypeAlias = "tuple[str, *tuple[Point, ...]]"
"""An SVG path command with its points."""
# White paper, so that a reader with a dark page shows dark text on white too.
_STYLE = f"""
text {{ font-family: {FONT} }}
.paper {{ fill: #ffffff }}
"""


class Svg:
    """A drawing of `width` by `height` pixels, with a title for those who cannot see it and a CSS `style`."""

    def __init__(self, *, width: float, height: float, title: str, style: str) -> None:
        self.width, self.height = width, height
        size = {"width": _number(width), "height": _number(height)}
        box = {"viewBox": f"0 0 {_number(width)} {_number(height)}", "role": "img"}
        self.root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, **box})
        ElementTree.SubElement(self.root, "title").text = legible(title)
        ElementTree.SubElement(self.root, "style").text = _STYLE + style
        self.rect(self.root, 0, 0, width, height, radius=14, kind="paper")

    def group(self, parent: Element, *, kind: str = "", tip: str = "", move: Point | None = None) -> Element:
        """A group of the CSS class `kind` with a tooltip, its origin moved."""
        group = ElementTree.SubElement(parent, "g", {"class": kind} if kind else {})
        if move:
            group.set("transform", f"translate({_point(move)})")
        if tip:
            ElementTree.SubElement(group, "title").text = legible(tip)
        return group

    def rect(
        self,
        parent: Element,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        radius: float = 0,
        kind: str = "",
    ) -> None:
        """A rectangle with round corners."""
        numbers = {"x": x, "y": y, "width": width, "height": height}
        numbers |= {"rx": radius} if radius else {}
        rect = ElementTree.SubElement(parent, "rect", {name: _number(value) for name, value in numbers.items()})
        if kind:
            rect.set("class", kind)

    def text(
        self,
        parent: Element,
        lines: Sequence[str],
        x: float,
        top: float,
        *,
        size: float,
        kind: str = "",
        anchor: str = "middle",
    ) -> None:
        """Lines below each other, the first below `top`, each 1.25 `size` high."""
        for number, line in enumerate(lines):
            baseline = top + (number * 1.25 + 0.97) * size
            attributes = {"x": _number(x), "y": _number(baseline), "font-size": _number(size), "text-anchor": anchor}
            text = ElementTree.SubElement(parent, "text", attributes | ({"class": kind} if kind else {}))
            text.text = legible(line)

    def path(self, parent: Element, moves: Iterable[Move], *, width: float) -> None:
        """A line."""
        d = " ".join(f"{command}{' '.join(map(_point, points))}" for command, *points in moves)
        ElementTree.SubElement(parent, "path", {"d": d, "stroke-width": _number(width)})

    def polygon(self, parent: Element, points: Iterable[Point]) -> None:
        """A filled shape."""
        ElementTree.SubElement(parent, "polygon", {"points": " ".join(map(_point, points))})

    def document(self) -> str:
        """The text of the file."""
        ElementTree.indent(self.root, " ")
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def _point(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"
