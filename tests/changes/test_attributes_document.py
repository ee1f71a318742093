"""The page on attributes has a row for each attribute, with values that the vocabulary keeps as they are."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from attrs import frozen

from kgscripts.changes.attributes import attributes, in_vocabulary

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "attributes.md"
VALUES = ROOT / "kgscripts" / "changes" / "data" / "values.txt"
_ROW = re.compile(
    r"\| (?P<name>[a-z ]+?)(?: \((?P<broader>[a-z ]+)\))? \| (?P<definition>[^|]+)"
    r" \| `(?P<first>[^`|]+)`, `(?P<second>[^`|]+)` \| [^`:|]+: `[^`:|]+: (?P<example>[^`:|]+)` \|"
)


@frozen
class Row:
    """A row of the table: an attribute, what it is, its typical values, and those of its example, before and after."""

    name: str
    broader: str
    definition: str
    pairs: tuple[tuple[str, str], ...]
    example: tuple[str, str]


@cache
def rows() -> tuple[Row, ...]:
    """The rows, without the head of the table."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    return tuple(_row(line) for line in lines[2:])


def _row(line: str) -> Row:
    match = _ROW.fullmatch(line)
    assert match is not None, line
    pairs = (_pair(match["first"]), _pair(match["second"]))
    return Row(match["name"], match["broader"] or "", match["definition"], pairs, _pair(match["example"]))


def _pair(change: str) -> tuple[str, str]:
    before, after = change.split(" -> ")
    return before, after


def _values() -> dict[str, set[str]]:
    """The values of each attribute that has some, without their other wordings."""
    sections = VALUES.read_text(encoding="utf-8").split("\n[")[1:]
    return {
        name: {line.partition(": ")[0] for line in content.splitlines() if line}
        for name, content in (section.split("]\n") for section in sections)
    }


def test_every_attribute_has_one_row_in_the_order_of_the_file() -> None:
    written = [(row.name, row.broader) for row in rows()]
    assert written == [(attribute.name, attribute.broader) for attribute in attributes().values()]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_a_definition_is_a_sentence_that_names_attributes(row: Row) -> None:
    assert re.fullmatch(r"[A-Z][^.]+\.", row.definition)
    others = re.findall(r"\*(.+?)\*", row.definition)
    assert set(others) <= attributes().keys() - {row.name}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_values_differ_and_are_of_the_attribute_in_their_usual_wording(row: Row) -> None:
    for before, after in (*row.pairs, row.example):
        assert before != after
        assert in_vocabulary(row.name, before, after) == (row.name, before, after)
    assert len(set(row.pairs)) == len(row.pairs)


@pytest.mark.parametrize(("name", "values"), _values().items())
def test_the_first_pair_of_an_attribute_with_values_is_of_these(name: str, values: set[str]) -> None:
    (row,) = [row for row in rows() if row.name == name]
    assert set(row.pairs[0]) <= values
