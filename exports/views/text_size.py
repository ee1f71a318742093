"""Text of known width: how wide it is drawn at most, and the lines into which it is broken."""

from __future__ import annotations

import re
import unicodedata

from schemas.terminal import printable

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
    rows = [""]
    for word in legible(text).split():
        joined = f"{rows[-1]} {word}".strip()
        if text_width(joined, size) <= width:
            rows[-1] = joined
            continue
        if rows[-1]:
            rows.append("")
        for char in word:
            if rows[-1] and text_width(rows[-1] + char, size) > width:
                rows.append("")
            rows[-1] += char
        if len(rows) > lines:
            break
    if len(rows) <= lines:
        return rows
    last = rows[lines - 1]
    while last and text_width(last + "…", size) > width:
        last = last[:-1]
    return [*rows[: lines - 1], last.rstrip() + "…"]
