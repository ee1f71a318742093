"""What the pictures of the commands share: where they are written, and how wide text is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

PICTURE_FORMATS = (".svg", ".png")
_METADATA = {".svg": {"Date": None, "Creator": "kgscripts"}, ".png": {"Software": None}}


def check_picture(picture: Path) -> None:
    """Raise ConfigurationError, before the work begins, if the picture cannot be written."""
    if picture.suffix.lower() not in PICTURE_FORMATS:
        raise ConfigurationError(
            "unknown picture format", where=str(picture), remedy=f"use the extension {' or '.join(PICTURE_FORMATS)}"
        )
    if picture.is_dir() or not picture.absolute().parent.is_dir():
        raise ConfigurationError("no file can be written there", where=str(picture), remedy="choose another file")


def text_width(text: str, font: FontProperties) -> float:
    """The width of a text in inches."""
    from matplotlib.textpath import TextToPath

    # In points at 72 dots per inch; words are never parsed as formulas.
    width, _, _ = TextToPath().get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72


def save_picture(figure: Figure, file: Path) -> None:
    """Write a figure as its extension says; equal figures give equal bytes.

    Raises ConfigurationError if the file cannot be written.
    """
    import matplotlib

    try:
        with matplotlib.rc_context({"svg.hashsalt": "kgscripts", "svg.fonttype": "path"}):
            figure.savefig(file, dpi=150, metadata=_METADATA[file.suffix.lower()])
    except OSError as error:
        raise ConfigurationError(
            f"the picture cannot be written: {error.strerror}", where=str(file), remedy="choose another file"
        ) from error
