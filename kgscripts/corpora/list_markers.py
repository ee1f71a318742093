"""Markers of list items, and steps that are numbered within a line."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from functools import lru_cache

from kgscripts.text.lexicon import classes_of, verbs
from kgscripts.text.plain_words import BULLET

COUNT = r"(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
"""The number of a step, in digits or words."""
_NUMBER_OF_STEP = re.compile(
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
    candidates: dict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    first: tuple[str, int] | None = None
    for match in _NUMBER_OF_STEP.finditer(text):
        form, number = _form(match)
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()].rstrip(" \t")
        begins = not before or _AFTER_SENTENCE.search(before) is not None
        clear = form in (")", "step", "sign") or text[match.end() : match.end() + 2].strip()[:1].isupper()
        if begins or (clear and not _GOES_ON.search(before)):
            # Negative within a sentence: those at the beginning of one are preferred below.
            candidates[form, number].append((match.start() if begins else -match.start(), match.end()))
        if first is None and begins and (not before or number == 1):
            first = form, number
    spans: list[tuple[int, int]] = []
    while first is not None:
        after = spans[-1][1] if spans else -1
        places = [(start, end) for start, end in candidates[first] if abs(start) > after or not spans]
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


_ORDER = r"(?:\d{1,3}|[A-Za-z]|[ivx]{2,4}|[IVX]{2,4})"
_MARKER = re.compile(
    rf"(?:[*+~»–—-][ \t]+(?:\[[ xX]\][ \t]+)?|\[ ?\][ \t]*|[=-]>[ \t]*|[–+-](?=[A-Z])|\*(?=[^\W\d_])"
    rf"|{BULLET}+\ufe0f?[ \t]*(?:\[[ xX]\][ \t]+)?|\d\ufe0f?\u20e3[ \t]*|\#\d{{1,3}}[ \t]+"
    r"|\#?\d{1,3}(?:\.[)–-]|[.:°])(?:[ \t]+|(?=[^\W\d_]))"
    r"|\d{1,3}[ \t]*[/–—-][ \t]+(?!\d)|\d{1,3}[/–-](?=[A-Z])"
    rf"|\(?{_ORDER}\)[ \t]*|\[{_ORDER}\][ \t]*)(?=\S)"
)
_LETTER = re.compile(r"(?:[A-Za-z]|[ivxIVX]{2,4})\.[ \t]+(?=\S)")
_NUMBER = re.compile(r"\d{1,3}[ \t]+(?=\S)")
LONE = re.compile(r"[*+–—•=-]|[(\[]?\d{1,3}[.):/\]]?")
"""A line that is a marker and nothing else: its item is in the next lines."""
_PHRASE_OF_VERB = re.compile(
    r"\S+\s+(?:the|a|an|your|it|them|in|into|on|onto|up|off|out|down|over|with|together|all|until|to)\b", re.IGNORECASE
)


def list_marker(text: str, start: int, end: int) -> re.Match[str] | None:
    """The marker that a line begins with. Numbers alone and letters with a full stop are markers only before a command
    ("1 Pour the milk"), and in a text that has "A." and "B."."""
    if marker := _MARKER.match(text, start, end):
        return marker
    if (marker := _NUMBER.match(text, start, end)) and commands(text[marker.end() : end]):
        return marker
    marker = _LETTER.match(text, start, end)
    return marker if marker and end - start < len(text) and _is_lettered(text) else None


def commands(line: str) -> bool:
    """Whether a line begins like an instruction: with an everyday verb and another word."""
    first, _, rest = line.partition(" ")
    word = first.lower()
    return word in verbs("action") and bool(rest) and (not classes_of(word) or bool(_PHRASE_OF_VERB.match(line)))


@lru_cache(maxsize=2)
def _is_lettered(text: str) -> bool:
    """Whether items of a text are counted by letters, or by Roman numerals."""
    letters = {match[1].lower() for match in re.finditer(r"^[ \t]*([a-bA-B]|[iI]{1,2})\.[ \t]+\S", text, re.MULTILINE)}
    return {"a", "b"} <= letters or {"i", "ii"} <= letters
