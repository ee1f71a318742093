"""The text around passages, compared with the documents; and records that are missing, damaged, foreign or in use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgscripts.analysis.contexts import MOST_CHARACTERS, Context, Place, context_of, read_contexts
from schemas.graph_directory import locked
from schemas.records import Document
from schemas.script_graph import StoredGraph
from tests.analysis.told import record, told_graph
from tests.graphs import ODD_TEXTS

STORY = "We were hungry. I filled the pot! Then I boiled the water.\n\nNina drained the pasta.  We ate it"
PIECES = st.sampled_from(
    ["word", "a", ". ", "! ", '?" ', "…) ", "。", "\n", "\n\n", "  ", "é", "🍝", "\u202e", "x" * 200, "lang " * 40]
)


def document(text: str, name: str = "story.txt", title: str = "") -> Document:
    return Document(name=name, format="text", text=text, title=title, passages=())


def span(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@st.composite
def passages(draw: st.DrawFn) -> tuple[str, int, int]:
    text = "".join(draw(st.lists(PIECES, max_size=40)))
    start = draw(st.integers(0, len(text)))
    return text, start, draw(st.integers(start, len(text)))


def begins(text: str, place: int) -> int:
    """2 if a sentence or line begins at a place, 1 if a word does."""
    gap = len(text[:place]) - len(text[:place].rstrip())
    closed = text[: place - gap].rstrip("\"'”’)]")
    is_first = place == gap or "\n" in text[place - gap : place] or text[place - 1] in "。！？"
    return 2 if is_first or (gap and closed[-1:] in tuple(".!?…")) else int(gap > 0)


def ends(text: str, place: int) -> int:
    """2 if a sentence or line ends at a place, 1 if a word does."""
    rest = text[place:]
    gap = rest[: len(rest) - len(rest.lstrip())]
    is_last = (gap == rest and not gap) or gap.startswith("\n") or text[place - 1] in "。！？"
    closed = text[:place].rstrip("\"'”’)]")
    return 2 if is_last or (gap and closed[-1:] in tuple(".!?…")) else int(bool(gap))


@given(passages())
@example(("x" * 700, 350, 360))
@example(("One. " + "y " * 200 + "end.", 300, 305))
def test_it_is_the_text_around_the_passage(given: tuple[str, int, int]) -> None:
    text, start, end = given
    found = context_of(text, start, end)
    first, last = start - len(found.before), end + len(found.after)
    assert found.before + text[start:end] + found.after == text[first:last]
    assert max(len(found.before), len(found.after)) <= MOST_CHARACTERS
    assert not found.before[:1].isspace()
    assert not found.after[-1:].isspace()
    least, most = max(0, start - MOST_CHARACTERS), min(len(text), end + MOST_CHARACTERS)
    assert bool(found.before) == bool(text[least:start].strip())
    assert bool(found.after) == bool(text[end:most].strip())


@given(passages())
def test_it_has_as_many_whole_sentences_as_fit(given: tuple[str, int, int]) -> None:
    text, start, end = given
    found = context_of(text, start, end)
    least, most = max(0, start - MOST_CHARACTERS), min(len(text), end + MOST_CHARACTERS)
    for kind in (2, 1):
        starts = [place for place in range(least, start) if not text[place].isspace() and begins(text, place) >= kind]
        if starts:
            assert start - len(found.before) == starts[0]
            break
    else:
        assert start - len(found.before) == least + len(text[least:start]) - len(text[least:start].lstrip())
    if most == len(text):
        assert found.after == text[end:].rstrip()
        return
    for kind in (2, 1):
        lasts = [place for place in range(end + 1, most + 1) if text[end:place].strip() and ends(text, place) >= kind]
        lasts = [place for place in lasts if not text[place - 1].isspace()]
        if lasts:
            assert end + len(found.after) == lasts[-1]
            break
    else:
        assert found.after == text[end:most].rstrip()


def around(graph: StoredGraph, place: Place) -> Context:
    """The context of a passage, empty if it has none."""
    return read_contexts(graph, [place]).get(place, Context("", ""))


def test_a_passage_in_its_text(tmp_path: Path) -> None:
    item = document(STORY, title="A meal")
    graph, _ = told_graph(
        tmp_path / "told", [(item, *span(STORY, "boiled the water")), (item, *span(STORY, "We ate it"))]
    )
    assert around(graph, ("story.txt", 41, "boiled the water")) == Context(
        "We were hungry. I filled the pot! Then I ", ".\n\nNina drained the pasta.  We ate it"
    )


def test_all_passages_of_many_documents(tmp_path: Path) -> None:
    """Documents in several files and several groups of rows, some twice."""
    items = [document(f"{STORY} {number}. {'filler ' * 9_000}", f"{number}.txt") for number in range(40)]
    graph, _ = told_graph(tmp_path / "told", [(item, *span(item.text, "drained")) for item in items])
    record(tmp_path / "told", items[10:30])
    files = [pq.ParquetFile(file) for file in (tmp_path / "told" / "records" / "document").iterdir()]
    assert sorted(file.num_row_groups > 1 for file in files) == [True, True]
    places = [(item.name, span(item.text, "drained")[0], "drained") for item in items]
    found = read_contexts(graph, [*places, ("nothing.txt", 0, "We"), ("0.txt", 1, "We"), ("0.txt", -1, "x")])
    assert found == {
        place: context_of(item.text, *span(item.text, "drained")) for place, item in zip(places, items, strict=True)
    }


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_texts(tmp_path: Path, text: str) -> None:
    item = document(f"{text} the words {text}", name=text, title=text)
    graph, _ = told_graph(tmp_path / "told", [(item, *span(item.text, "the words"))])
    found = around(graph, (text, span(item.text, "the words")[0], "the words"))
    assert f"{found.before}the words{found.after}" in item.text
    assert found.before


def test_sources_of_one_name(tmp_path: Path) -> None:
    """The text around a passage is given where the name does not leave open which it is."""
    texts = ("He sat. She ate. Then", "He ran. She ate. Then", "He lay. She ate. Then")
    items = [document(text, name) for text, name in zip(texts, ("a", "a", "b"), strict=True)]
    graph, _ = told_graph(tmp_path / "told", [(item, *span(item.text, "She ate.")) for item in items])
    places = [("a", 8, "She ate."), ("b", 8, "She ate.")]
    assert read_contexts(graph, places) == {places[1]: Context("He lay. ", " Then")}


def _nothing(_: Path) -> None:
    """The file is removed and nothing is put in its place."""


def _cut(file: Path) -> None:
    file.write_bytes(b"PAR1 and what is left of it PAR1")


def _folder(file: Path) -> None:
    file.mkdir()


def _pipe(file: Path) -> None:
    os.mkfifo(file)


def _foreign(file: Path) -> None:
    pq.write_table(pa.table({"subject": [1, 2], "text": [[1], [2]]}), file)


def _elsewhere(file: Path) -> None:
    outside = file.parents[3] / "outside.parquet"
    pq.write_table(pa.table({"subject": ["a"], "text": ["b"]}), outside)
    file.symlink_to(outside)


def _without_texts(file: Path) -> None:
    pq.write_table(pa.table({"subject": ["0" * 64]}), file)


@pytest.mark.parametrize("damage", [_nothing, _cut, _folder, _pipe, _foreign, _elsewhere, _without_texts])
def test_damaged_records_give_what_can_be_read(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    items = [document(f"{STORY} {number}", f"{number}.txt") for number in range(2)]
    graph, _ = told_graph(tmp_path / "told", [(item, *span(STORY, "Nina")) for item in items])
    (file,) = (tmp_path / "told" / "records" / "document").iterdir()
    file.unlink()
    damage(file)
    record(tmp_path / "told", items[:1])
    if damage is _foreign:
        file.with_stem("f" * 32).write_bytes(file.read_bytes())
    found = [around(graph, (item.name, span(STORY, "Nina")[0], "Nina")) for item in items]
    assert [bool(each.before) for each in found] == [True, False]


def test_without_records(tmp_path: Path) -> None:
    graph, _ = told_graph(tmp_path / "told", [(document(STORY), 0, 2)])
    shutil.rmtree(tmp_path / "told" / "records")
    assert read_contexts(graph, [("story.txt", 0, "We")]) == {}
    assert read_contexts(graph, []) == {}


def test_records_behind_a_link_are_not_read(tmp_path: Path) -> None:
    graph, _ = told_graph(tmp_path / "told", [(document(STORY), 0, 2)])
    records = tmp_path / "told" / "records"
    records.rename(tmp_path / "elsewhere")
    records.symlink_to(tmp_path / "elsewhere")
    assert read_contexts(graph, [("story.txt", 0, "We")]) == {}


def test_a_text_that_is_another_one(tmp_path: Path) -> None:
    """The passage of the graph is not at its place in the document of the records."""
    item = document(STORY)
    graph, _ = told_graph(tmp_path / "told", [(item, 0, 2)])
    assert read_contexts(graph, [("story.txt", 1, "We"), ("story.txt", 0, "we"), ("story.txt", 10**12, "We")]) == {}


def test_a_build_at_work_is_not_waited_for_and_nothing_is_written(tmp_path: Path) -> None:
    directory = tmp_path / "told"
    graph, _ = told_graph(directory, [(document(STORY), 0, 2)])
    before = {file: file.stat().st_mtime_ns for file in directory.rglob("*")}
    with locked(directory):
        assert around(graph, ("story.txt", 0, "We")).after.startswith(" were hungry")
    assert {file: file.stat().st_mtime_ns for file in directory.rglob("*")} == before
