"""The markers of lists as people write them: "1.", "1/", "[1]", "①", "a)", "B.", "•", "✓", with or without a blank."""

from __future__ import annotations

import re
from functools import lru_cache

from kgscripts.text.lexicon import classes_of, verbs
from kgscripts.text.plain_words import BULLET

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
    if found := _MARKER.match(text, start, end):
        return found
    if (found := _NUMBER.match(text, start, end)) and commands(text[found.end() : end]):
        return found
    found = _LETTER.match(text, start, end)
    return found if found and end - start < len(text) and _is_lettered(text) else None


def commands(line: str) -> bool:
    """Whether a line begins like an instruction: with an everyday verb and another word."""
    first, _, rest = line.partition(" ")
    word = first.lower()
    return word in verbs("action") and bool(rest) and (not classes_of(word) or bool(_PHRASE_OF_VERB.match(line)))


@lru_cache(maxsize=2)
def _is_lettered(text: str) -> bool:
    """Whether items of a text are counted by letters, or by Roman numerals."""
    found = {match[1].lower() for match in re.finditer(r"^[ \t]*([a-bA-B]|[iI]{1,2})\.[ \t]+\S", text, re.MULTILINE)}
    return {"a", "b"} <= found or {"i", "ii"} <= found
