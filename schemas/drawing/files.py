"""Where pictures are written: the formats, and the PNG that is made of the SVG."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from schemas.drawing.svg import Svg
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, new_file

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
