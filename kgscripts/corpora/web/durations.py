"""Durations of pages: ISO 8601 as it is written there, normalised, and in words."""

from __future__ import annotations

import re

_ISO = re.compile(
    r"P(?:(\d{1,6}(?:[.,]\d+)?)Y)?(?:(\d{1,6}(?:[.,]\d+)?)M)?(?:(\d{1,6}(?:[.,]\d+)?)W)?(?:(\d{1,6}(?:[.,]\d+)?)D)?"
    r"(?:T(?:(\d{1,6}(?:[.,]\d+)?)H)?(?:(\d{1,6}(?:[.,]\d+)?)M)?(?:(\d{1,7}(?:[.,]\d+)?)S)?)?",
    re.IGNORECASE,
)
_SECONDS = (31_536_000, 2_592_000, 604_800, 86_400, 3_600, 60, 1)
_UNITS = (("D", "day", 86_400), ("H", "hour", 3_600), ("M", "minute", 60), ("S", "second", 1))


def duration_of(value: str) -> tuple[str, str] | None:
    """A duration as ISO 8601 in days, hours, minutes and seconds, and in words; None for another text and for zero."""
    match = _ISO.fullmatch(value.strip())
    if match is None:
        return None
    numbers = [float(part.replace(",", ".")) if part else 0.0 for part in match.groups()]
    seconds = round(sum(number * unit for number, unit in zip(numbers, _SECONDS, strict=True)))
    parts: list[tuple[str, str, int]] = []
    for letter, word, unit in _UNITS:
        count, seconds = divmod(seconds, unit)
        if count:
            parts.append((letter, f"{count} {word}{'s' * (count > 1)}", count))
    if not parts:
        return None
    days = "".join(f"{count}{letter}" for letter, _, count in parts if letter == "D")
    clock = "".join(f"{count}{letter}" for letter, _, count in parts if letter != "D")
    return f"P{days}" + (f"T{clock}" if clock else ""), " ".join(words for _, words, _ in parts)
