"""What the pictures of the commands share: where they are written, and how wide text is."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs, new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

PICTURE_FORMATS = (".svg", ".png")
_METADATA = {".svg": {"Date": None, "Creator": "kgscripts"}, ".png": {"Software": None}}


def check_picture(picture: Path, inputs: Iterable[str | Path]) -> None:
    """Raise ConfigurationError, before the work begins, if the picture cannot be written or is one of the inputs."""
    if picture.suffix.lower() not in PICTURE_FORMATS:
        raise ConfigurationError(
            "unknown picture format", where=str(picture), remedy=f"use the extension {' or '.join(PICTURE_FORMATS)}"
        )
    check_outputs(picture, inputs=inputs)


def text_width(text: str, font: FontProperties) -> float:
    """The width of a text in inches."""
    from matplotlib.textpath import TextToPath

    # In points at 72 dots per inch; words are never parsed as formulas.
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def save_picture(figure: Figure, file: Path) -> None:
    """Write a figure as its extension says; equal figures give equal bytes.

    Raises StoreError if the file cannot be written.
    """
    import matplotlib

    with new_file(file) as temporary, matplotlib.rc_context({"svg.hashsalt": "kgscripts", "svg.fonttype": "path"}):
        figure.savefig(temporary, dpi=150, metadata=_METADATA[file.suffix.lower()])
