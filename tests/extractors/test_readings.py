"""What is read in short texts.

``readings.tsv`` has the kind of a passage, what is compared (events, tools, inferred tools, needs, words, clauses,
measures), a text and what is to be read in it. Lines that begin with ``?`` are not read right; they are here to be
seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from schemas.records import EventMention, Need, PassageKind
from tests.extractors.parses import Found, event_words, read_text

_LINES = Path(__file__).with_name("readings.tsv").read_text(encoding="utf-8").splitlines()
RIGHT = [line.split("\t") for line in _LINES if not line.startswith("?")]


def _each(shown: Callable[[EventMention], str]) -> Callable[[Found], str]:
    return lambda found: "; ".join(filter(None, map(shown, found.events)))


def _inferred(event: EventMention) -> str:
    tools = [tool.lemma for tool in event.tools if tool.inferred]
    return f"{event.action.label} +{'+'.join(tools)}" if tools else ""


def _measures(found: Found) -> str:
    return " ".join(f"{item.kind}:{item.words}:{item.thing}" for item in found.events[0].measures)


SHOWN: Mapping[str, Callable[[Found], str]] = {
    "events": event_words,
    "tools": _each(lambda event: "; ".join(tool.lemma for tool in event.tools)),
    "roles": _each(lambda event: "; ".join(tool.role for tool in event.tools)),
    "inferred": _each(_inferred),
    "words": _each(lambda event: " ".join(filter(None, (event.words, event.phrase)))),
    "clauses": _each(lambda event: event.clause),
    "measures": _measures,
    "quantities": _each(
        lambda event: f"{event.action.object} {''.join(item.words for item in event.measures)}".strip()
    ),
    "needs": lambda found: "; ".join(record.lemma for record in found.records if isinstance(record, Need)),
}


@pytest.mark.parametrize(("kind", "what", "text", "expected"), RIGHT, ids=[row[2] for row in RIGHT])
def test_what_is_read(kind: str, what: str, text: str, expected: str) -> None:
    assert SHOWN[what](read_text(text, kind=PassageKind(kind))) == expected


def test_most_are_read_right() -> None:
    assert len(RIGHT) / len(_LINES) > 0.65
