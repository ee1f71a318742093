"""JSON arrays are read as JSON lines are."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.corpora.jsonl import array_values
from kgscripts.corpora.source import source_of
from schemas.records import Discard, DiscardReason
from tests.corpora.documents import read

RECORDS = [{"id": n, "title": "Tea", "steps": ["Boil it, {now}.", 'Say "]".']} for n in range(3)]


@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a"])
def test_an_array_gives_what_lines_give(indent: int | None, name: str, tmp_path: Path) -> None:
    lines, _ = read(tmp_path, "lines.jsonl", "\n".join(map(json.dumps, RECORDS)))
    items, discards = read(tmp_path, name, json.dumps(RECORDS, indent=indent))
    assert not discards
    assert [(item.text, item.passages) for item in items] == [(line.text, line.passages) for line in lines]


GOOD = '{"id": 1, "text": "I ran."}'


@pytest.mark.parametrize(
    ("content", "documents", "faults"),
    [
        ("[]", 0, [(DiscardReason.EMPTY, 1)]),
        (f"[{GOOD}", 1, [(DiscardReason.MALFORMED, 1)]),
        (f"[{GOOD},\n{{bad}}]", 1, [(DiscardReason.MALFORMED, 2)]),
        (f"[{GOOD},\n7,\n{GOOD.replace('1', '2')}]", 2, [(DiscardReason.MALFORMED, 2)]),
        (f"[{GOOD},\n{GOOD}]", 1, [(DiscardReason.DUPLICATE_ID, 2)]),
        (f'[{GOOD},\n{{"id": 2, "text": ""}}]', 1, [(DiscardReason.EMPTY, 2)]),
        (f'[{GOOD},\n{{"id": 2, "text": 3}}]', 1, [(DiscardReason.MALFORMED, 2)]),
        ("[{" * 100_000, 0, [(DiscardReason.MALFORMED, 1)]),
        (f'[{GOOD},\n{{"id": 2, "text": "{"a" * 5_000_000}"}}]', 1, [(DiscardReason.TOO_LONG, 2)]),
    ],
)
def test_bad_arrays(content: str, documents: int, faults: list[tuple[DiscardReason, int]], tmp_path: Path) -> None:
    found, discards = read(tmp_path, "a.json", content)
    assert len(found) == documents
    assert [(item.reason, int(item.where.rpartition(":")[2])) for item in discards] == faults


@settings(max_examples=50)
@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.lists(st.integers()), min_size=1, max_size=3),
        max_size=4,
    ),
    st.booleans(),
)
def test_the_values_are_those_that_json_gives(values: list[Any], indented: bool) -> None:
    data = json.dumps(values, indent=1 if indented else None).encode()
    found = [value for _, value in array_values(source_of("a", io.BytesIO(data)))]
    assert not any(isinstance(value, Discard) for value in found)
    assert found == values
