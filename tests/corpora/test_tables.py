"""CSV and TSV with a header."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.corpora.formats import read_source
from kgscripts.corpora.source import source_of
from schemas.records import DiscardReason, Document, PassageKind
from tests.corpora.documents import passages, read

TEA = 'Task,Worker,Step_No,Action\ntea,a,2,"Pour it, slowly"\ntea,a,1,Boil water\ntea,b,1,"Fill\nit"\negg,a,1,Peel it\n'


def test_rows_of_one_scenario_and_source_are_one_text(tmp_path: Path) -> None:
    documents, discards = read(tmp_path, "a.csv", TEA)
    assert not discards
    assert [(item.name, item.scenario, passages(item, PassageKind.STEP)) for item in documents] == [
        ("a.csv#tea a", "tea", ["Boil water", "Pour it, slowly"]),
        ("a.csv#tea b", "tea", ["Fill it"]),
        ("a.csv#egg a", "egg", ["Peel it"]),
    ]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.csv", "scenario;step\ntea;Boil it\ntea;Pour it\n", [["Boil it", "Pour it"]]),
        ("a.tsv", "scenario\tstep\ntea\tBoil it\n", [["Boil it"]]),
        ("a.csv", "scenario,step,text\ntea,2,Pour it\ntea,1,Boil it\n", [["Boil it", "Pour it"]]),
        ("a.csv", "id,story\n1,I ran.\n2,I sat.\n", [["I ran."], ["I sat."]]),
        ("a.csv", "story\nI ran.\n\nI sat.\n", [["I ran."], ["I sat."]]),
        ("a.csv", "author,text\nx,I ran.\nx,I sat.\n", [["I ran.", "I sat."]]),
        ("a.csv", '\ufeff"Step","Order"\nBoil it,b\nPour it,a\n', [["Boil it", "Pour it"]]),
        ("a.tsv", "cook it\tboil it\n", [["cook it", "boil it"]]),  # pairs have no header
    ],
)
def test_columns_are_guessed(name: str, content: str, texts: list[list[str]], tmp_path: Path) -> None:
    documents, discards = read(tmp_path, name, content)
    assert not discards
    assert [passages(item) for item in documents] == texts


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("No,Action\nStep 2,Pour it\nStep 1,Boil it\nStep 3,Drink it\n", "a.csv"),
        ("No.;Step\n2.;Pour it\n1.;Boil it\n10.;Drink it\n", "a.csv"),
        ("Step #,Steps\n2),Pour it\n(1),Boil it\n3),Drink it\n", "a.csv"),
        ("order,step\n1.2,Pour it\n1.1,Boil it\n1.10,Drink it\n", "a.csv"),
        ("order,step\n1,Boil it\n,Pour it\n2,Drink it\n", "a.csv"),
        ("order,step\n3,Drink it\n-1,Boil it\n2,Pour it\n", "a.csv"),
        ("Step,Action\n2,Pour it\n1,Boil it\n3,Drink it\n", "a.csv"),
        ("Step,What to do\nStep 2,Pour it\nStep 1,Boil it\nStep 3,Drink it\n", "a.csv"),
        ("stepNumber,stepText\n2,Pour it\n1,Boil it\n3,Drink it\n", "a.csv"),
        ("sep=;\nno;step\n1;Boil it\n2;Pour it\n3;Drink it\n", "a.csv"),
        ('\ufeff"sep=;"\nno;step\n1;Boil it\n2;Pour it\n3;Drink it\n', "a.csv"),
        ("sep=\\t\nno\tstep\n1\tBoil it\n2\tPour it\n3\tDrink it\n", "a.tsv"),
        ("\n \n;;\nno;step;\n1;Boil it;\n2;Pour it;\n3;Drink it;\n", "a.csv"),
        ("Tea, green or black\n\nno;step\n1;Boil it\n2;Pour it\n3;Drink it\n", "a.csv"),
        ("no,step\r1,Boil it\r2,Pour it\r3,Drink it\r", "a.csv"),
    ],
)
def test_tables_as_spreadsheets_write_them(content: str, name: str, tmp_path: Path) -> None:
    (document,), discards = read(tmp_path, name, content)
    assert not discards
    assert passages(document, PassageKind.STEP) == ["Boil it", "Pour it", "Drink it"]


def test_a_line_above_the_header_is_the_title(tmp_path: Path) -> None:
    (document,), _ = read(tmp_path, "a.csv", "How to make tea\nno,step\n1,Boil it\n")
    assert document.title == "How to make tea"


@pytest.mark.parametrize("tools", ["Tools", "tool(s) needed", "Equipment", "TOOL", "Tools required", "Utensils"])
@pytest.mark.parametrize("supplies", ["Ingredients", "materials", "Supplies", "You will need", "Things needed"])
def test_tools_and_supplies_of_steps_are_needs(tools: str, supplies: str, tmp_path: Path) -> None:
    header = f"scenario,step,{tools},{supplies}\n"
    rows = 'tea,Boil it,"kettle, stove",2 cups water\ntea,Pour it,a cup and kettle,-\negg,Peel it,,n/a\n'
    (tea, egg), discards = read(tmp_path, "a.csv", header + rows)
    assert not discards
    assert passages(tea, PassageKind.STEP) == ["Boil it", "Pour it"]
    assert [tea.text[span.start : span.end] for span in tea.declared.tools] == ["kettle", "stove", "a cup"]
    assert [tea.text[span.start : span.end] for span in tea.declared.supplies] == ["2 cups water"]
    assert (passages(egg), egg.scenario, list(egg.declared.spans())) == (["Peel it"], "egg", [])


@pytest.mark.parametrize("name", ["Minutes", "Time (min)", "Duration", "Notes", "Remarks", "Comment", "Rating"])
def test_columns_that_are_not_read_are_named(name: str, tmp_path: Path) -> None:
    (document,), (discard,) = read(tmp_path, "a.csv", f"step,{name}\nBoil it,5\n")
    assert passages(document) == ["Boil it"]
    assert (discard.reason, discard.where) == (DiscardReason.UNREAD_COLUMN, "a.csv:1")
    assert f"not read: {name}" in discard.detail


def test_a_cell_of_any_length(tmp_path: Path) -> None:
    story = "I ran. " * 30_000
    (document,), discards = read(tmp_path, "a.csv", f"id,story\n1,{story}\n")
    assert (document.text, discards) == (story.strip(), [])


def test_a_quote_that_is_not_closed(tmp_path: Path) -> None:
    (document,), (discard,) = read(tmp_path, "a.csv", 'step\nBoil it\n"Pour it\nDrink it\n')
    assert passages(document) == ["Boil it"]
    assert (discard.where, discard.reason) == ("a.csv:3", DiscardReason.MALFORMED)


@pytest.mark.parametrize(
    ("limit", "content"),
    [
        ("MOST_CELLS", "scenario,step\n" + "tea,Boil it\n" * 9),
        ("MAX_BYTES", "scenario,step\n" + "tea,Boil it\n" * 9),
        ("MOST_COLUMNS", "scenario,step" + ",a" * 9 + "\ntea,Boil it\n"),
    ],
)
def test_a_table_beyond_a_limit(limit: str, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"kgscripts.corpora.tables.{limit}", 9)
    documents, (discard,) = read(tmp_path, "a.csv", content)
    assert (documents, discard.reason) == ([], DiscardReason.TOO_LONG)


@pytest.mark.parametrize(
    ("content", "reason", "line"),
    [
        ("", DiscardReason.EMPTY, 1),
        ("step\n", DiscardReason.EMPTY, 1),
        ("What;How\na;b\n", DiscardReason.MALFORMED, 1),
        ("scenario,step\na,b,c\n", DiscardReason.MALFORMED, 2),
        ("scenario,step\ntea,\n", DiscardReason.EMPTY, 2),
        ("scenario,step\ntea,\x81\n".encode("latin-1"), DiscardReason.UNDECODABLE, 2),
        ('scenario,step\ntea,"' + "x" * 200_000, DiscardReason.MALFORMED, 2),
        ("scenario,step\ntea," + "x" * 5_000_000, DiscardReason.TOO_LONG, 2),
    ],
)
def test_bad_tables(content: str | bytes, reason: DiscardReason, line: int, tmp_path: Path) -> None:
    documents, discards = read(tmp_path, "a.csv", content)
    assert not documents
    assert (discards[0].reason, discards[0].where) == (reason, f"a.csv:{line}")


_CELL = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=["Cc", "Zl", "Zp"]), max_size=9
)


@settings(max_examples=50)
@given(st.lists(st.tuples(_CELL, _CELL, _CELL)))
def test_no_cell_is_lost(rows: list[tuple[str, str, str]]) -> None:
    """What Python's own writer writes is read, whatever is in the cells."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("scenario", "source", "step"), *rows])
    source = source_of("a.csv", io.BytesIO(written.getvalue().encode()))
    found = [item for item in read_source(source, "table") if isinstance(item, Document)]
    lines = [line for item in found for line in item.text.split("\n")]
    expected = [" ".join(step.split()) for _, _, step in rows if step.strip()]
    assert sorted(line for line in lines if line) == sorted(expected)
