"""Numbered steps within one text: "1. Boil the corn.2. Drain it.", "Step 1: …", "①…"."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict

_MARKER = re.compile(
    r"(?P<step>\b(?:step|stage)[ \t]*(?:no\.?[ \t]*|\#)?(?P<of_step>\d{1,2})\b(?:[ \t]*[.):–—-]+(?!\d))?)"
    r"|(?P<sign>[①-⑳❶-❿➀-➉➊-➓]|\d️?⃣)"
    r"|(?P<alone>(?:(?<=\n)|\A)\d{1,2})(?=\n(?-i:[A-Z])\w+[ ]\w)"
    r"|(?:(?<![\w.,/$€£-])|(?<=[^\W\d_]\.))\(?(?P<number>\d{1,2})"
    r"(?:(?P<close>[.:]?\)|[.:])(?!\d)|(?P<dash>[ \t]?[/–—-])[ \t])",
    re.IGNORECASE,
)
_AFTER_SENTENCE = re.compile(r"(?:[.!?;:)…\n][\"'”’)\]]*\s*|\n\s*)\Z")
_GOES_ON = re.compile(r"\b(?:to|into|in|for|about|by|of|at|or|and|than|least|from|with|until|add|use|take)\s*\Z", re.I)
_SHORTEST = 2
"""The fewest steps of a text that has several."""
_LOOK_BACK = 40
_LONGEST_HEADING = 40


def numbered_steps(text: str) -> list[str]:
    """The steps of a text that counts them, without their numbers, behind what precedes them; else the text itself."""
    spans = number_spans(text)
    if not spans:
        return [text]
    before = text[: spans[0][0]].strip()
    ends = [start for start, _ in spans[1:]] + [len(text)]
    steps = [text[start:end].strip() for (_, start), end in zip(spans, ends, strict=True)]
    is_heading = len(before) <= _LONGEST_HEADING and before.endswith(":")
    return [step for step in [*([] if is_heading else [before]), *steps] if step]


def number_spans(text: str) -> list[tuple[int, int]]:
    """The spans of the numbers of steps in a text: none, or at least two.

    They count up from that at the beginning, or from 1, have one form, and follow a sentence or line. Within a
    sentence, they count only before a capital letter or with a bracket: "Add 2. 5 cups" has none.
    """
    found: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    first: tuple[str, int] | None = None
    for match in _MARKER.finditer(text):
        form, number = _form(match)
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()].rstrip(" \t")
        begins = not before or _AFTER_SENTENCE.search(before) is not None
        clear = form in (")", "step", "sign") or text[match.end() : match.end() + 2].strip()[:1].isupper()
        if begins or (clear and not _GOES_ON.search(before)):
            found[form, number].append((match.start() if begins else -match.start(), match.end()))
        if first is None and begins and (not before or number == 1):
            first = form, number
    spans: list[tuple[int, int]] = []
    while first is not None:
        after = spans[-1][1] if spans else -1
        places = [(start, end) for start, end in found[first] if abs(start) > after or not spans]
        if not places:
            break
        start, end = next((place for place in places if place[0] >= 0), places[0])
        spans.append((abs(start), end))
        first = first[0], first[1] + 1
    return spans if len(spans) >= _SHORTEST else []


def _form(match: re.Match[str]) -> tuple[str, int]:
    """The form of a marker, and its number."""
    if match["step"]:
        return "step", int(match["of_step"])
    if match["alone"]:
        return "alone", int(match["alone"])
    if sign := match["sign"]:
        return "sign", int(unicodedata.numeric(sign[0]))
    return (match["close"] or match["dash"].strip())[-1], int(match["number"])
