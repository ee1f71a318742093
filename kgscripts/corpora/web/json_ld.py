"""JSON-LD of a page as plain objects; no context is loaded and nothing is fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml.etree import _Element

Item = Mapping[str, Any]

_WRAPPING = re.compile(
    r"\A\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)+|(?://\s*)?(?:-->|\]\]>)\s*\Z"
)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_MOST_VALUES = 200_000
_MOST_CHARACTERS = 4 * 1024 * 1024
_DECODER = json.JSONDecoder(strict=False)


def json_ld(tree: _Element) -> list[Item]:
    """All objects of a page's JSON-LD in document order, outer before inner: those of lists, of ``@graph``, of values.

    Scripts that are no JSON are skipped; line breaks in strings, commas at the end of lists, comments around a script
    and several values in one script are accepted, since pages have them.
    """
    found: list[Item] = []
    for script in tree.iter("script"):
        if "ld+json" in (script.get("type") or "").lower():
            found += objects_of(script.text or "")
    return found


def objects_of(text: str) -> list[Item]:
    """All objects of a text of JSON-LD, outer before inner; none if it is no JSON."""
    return [item for value in _values(text) for item in _objects(value)]


def _values(text: str) -> Iterator[Any]:
    text = _WRAPPING.sub("", text[:_MOST_CHARACTERS]).strip().rstrip(";")
    for attempt in (text, _TRAILING_COMMA.sub("", text)):
        values, position = [], 0
        try:
            while position < len(attempt):
                value, position = _DECODER.raw_decode(attempt, position)
                values.append(value)
                while position < len(attempt) and attempt[position] in " \t\r\n,;":
                    position += 1
        except (ValueError, RecursionError):
            if not values:
                continue
        yield from values
        return


def _objects(value: Any) -> Iterator[Item]:
    """The objects in a value, depth first. It is not recursive, since values can be nested deeply."""
    waiting = [value]
    for _ in range(_MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)
