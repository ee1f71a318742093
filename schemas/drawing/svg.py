"""A small writer of SVG 1.1, with text of known width, and the files that it is written to: SVG, or PNG made of it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree

from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, new_file
from schemas.terminal import printable

FONT = '"DejaVu Sans", Verdana, "Helvetica Neue", Helvetica, Arial, sans-serif'
"""The fonts of all pictures: the one that ships and is on most Linux machines, one as wide, and narrower ones."""
BOLD = 1.14
"""How much wider than other text bold text is, at most."""

# Advances of DejaVu Sans in em, rounded up to 0.02: what fits in it fits in nearly all sans-serif fonts.
_WIDTHS = (
    (0.28, "'ijl"), (0.3, "IJ"), (0.32, " ,."), (0.34, "/:;\\|"), (0.36, "f"), (0.38, "-"), (0.4, "()[]t"),
    (0.42, "!r"), (0.46, '"'), (0.5, "*_`"), (0.54, "?sz"), (0.56, "Lc"), (0.58, "Fk"), (0.6, "vxy"),
    (0.62, "PTYaeo"), (0.64, "$0123456789ESbdghnpqu{}"), (0.66, "K"), (0.7, "ABCRVXZ"), (0.74, "U"), (0.76, "HN"),
    (0.78, "&DG"), (0.8, "OQ"), (0.82, "w"), (0.84, "#+<=>^~"), (0.88, "M"), (0.96, "%"), (0.98, "m"), (1.0, "@W"),
)  # fmt: skip
_ADVANCES = {char: width for width, chars in _WIDTHS for char in chars}
_LOWER_CASE, _OTHER, _WIDE = 0.68, 0.84, 1.4


def legible(text: str) -> str:
    """`text` in one line, without control characters and characters that XML 1.0 (section 2.2) does not allow."""
    return re.sub("[\ufffe\uffff]", "\ufffd", printable(" ".join(text.split())))


def text_width(text: str, size: float) -> float:
    """An upper estimate of the width of `text` in pixels at a font size of `size` pixels."""
    return size * sum(map(_advance, text))


def _advance(char: str) -> float:
    base = unicodedata.normalize("NFD", char)[0]
    if base in _ADVANCES:
        return _ADVANCES[base]
    if unicodedata.east_asian_width(char) in "WF":
        return _WIDE
    return _LOWER_CASE if char.islower() or char.isdigit() else _OTHER


def wrapped(text: str, size: float, width: float, lines: int) -> list[str]:
    """Legible `text` in at most `lines` lines of `width` pixels; the rest is cut with an ellipsis."""
    found = [""]
    for word in legible(text).split():
        joined = f"{found[-1]} {word}".strip()
        if text_width(joined, size) <= width:
            found[-1] = joined
            continue
        if found[-1]:
            found.append("")
        for char in word:
            if found[-1] and text_width(found[-1] + char, size) > width:
                found.append("")
            found[-1] += char
        if len(found) > lines:
            break
    if len(found) <= lines:
        return found
    last = found[lines - 1]
    while last and text_width(last + "…", size) > width:
        last = last[:-1]
    return [*found[: lines - 1], last.rstrip() + "…"]


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


PICTURE_FORMATS = (".svg", ".png")
_FONTS = Path(__file__).parent / "data"
_ZOOM = 2.0
_LONGEST_SIDE = 32_000
"""In pixels of a PNG; many programs refuse more than 2^15."""


def check_picture(picture: Path, inputs: Iterable[str | Path]) -> None:
    """Raise ConfigurationError, before the work begins, if the picture cannot be written or is one of the inputs."""
    if picture.suffix.lower() not in PICTURE_FORMATS:
        raise ConfigurationError(
            "unknown picture format", where=str(picture), remedy=f"use the extension {' or '.join(PICTURE_FORMATS)}"
        )
    check_outputs(picture, inputs=inputs)


def save_picture(svg: Svg, file: Path) -> None:
    """Write a picture in the format that the extension of its file names; equal pictures give equal bytes.

    Characters that DejaVu Sans lacks are drawn in a PNG with what fonts the machine has.

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    with new_file(file) as temporary:
        if file.suffix.lower() == ".svg":
            temporary.write_text(svg.document(), encoding="utf-8")
        else:
            temporary.write_bytes(_png(svg))


def _png(svg: Svg) -> bytes:
    from resvg_py import svg_to_bytes

    return svg_to_bytes(
        svg_string=svg.document(),
        zoom=min(_ZOOM, _LONGEST_SIDE / max(svg.width, svg.height)),
        font_files=[str(file) for file in sorted(_FONTS.glob("*.ttf"))],
    )
