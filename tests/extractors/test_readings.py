"""What is read in short texts.

``readings.tsv`` has the kind of a passage, what is compared (its events, tools, or inferred tools), a text and what is
to be read in it. Lines that begin with ``?`` are not read right; they are here to be seen.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.records import PassageKind
from tests.extractors.parses import Found, event_words, read_text

_LINES = Path(__file__).with_name("readings.tsv").read_text(encoding="utf-8").splitlines()
_RIGHT = [line.split("\t") for line in _LINES if not line.startswith("?")]


def _shown(found: Found, what: str) -> str:
    if what == "events":
        return event_words(found)
    if what == "tools":
        return "; ".join(tool.lemma for event in found.events for tool in event.tools)
    marked = [(event, [tool.lemma for tool in event.tools if tool.inferred]) for event in found.events]
    return "; ".join(f"{event.action.label} +{'+'.join(tools)}" for event, tools in marked if tools)


@pytest.mark.parametrize(("kind", "what", "text", "expected"), _RIGHT, ids=[row[2] for row in _RIGHT])
def test_what_is_read(kind: str, what: str, text: str, expected: str) -> None:
    assert _shown(read_text(text, kind=PassageKind(kind)), what) == expected


def test_most_are_read_right() -> None:
    assert len(_RIGHT) / len(_LINES) > 0.8
