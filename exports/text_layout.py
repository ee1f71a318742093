"""Text in a picture: which characters are allowed, and how wide it is in a font that is not known."""

from __future__ import annotations

import re
import unicodedata

from schemas.terminal import printable

# Advances in em, rounded up from DejaVu Sans, the widest of the usual sans-serif fonts: what fits in it fits in all.
_ADVANCES = {
    **dict.fromkeys("ijlI|'!.,:;", 0.34),
    **dict.fromkeys(' ftr()[]{}/\\-`"', 0.42),
    **dict.fromkeys("mwMW@%", 1.0),
}
_LOWER_CASE, _OTHER, _WIDE = 0.64, 0.8, 1.4


def legible(text: str) -> str:
    """`text` in one line, without control characters and characters that XML 1.0 (section 2.2) does not allow."""
    return re.sub("[\ufffe\uffff]", "\ufffd", printable(" ".join(text.split())))


def text_width(text: str, size: float) -> float:
    """An upper estimate of the width of `text` in pixels at a font size of `size` pixels."""
    return size * sum(map(_advance, text))


def _advance(char: str) -> float:
    if char in _ADVANCES:
        return _ADVANCES[char]
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
