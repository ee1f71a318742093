"""Records of which files are lost: what is still there is used, and what people said is never lost without a word."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kgscripts.editing.correcting import correct_graph, list_corrections
from kgscripts.editing.merging import merge_graphs
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.database import INDEX, INPUTS
from kgscripts.records.opening import open_records
from schemas.corrections import Correction
from schemas.errors import DamagedIndexError, GraphDirectoryError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny

PASTA = "cooking pasta"
CORRECTIONS = [
    Correction(kind="rename", scenario=PASTA, step="boil water", name="heat it", author="Ada", time="2026-03-01"),
    Correction(kind="tool role", thing="pot", role="support", author="Börge", time="2026-03-02T10:00:00Z"),
]
WITHDRAWN = Correction(kind="reject", scenario=PASTA, step="add egg1", withdrawn=True, author="Ada", time="2026-03-03")


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("stories")
    files = [folder / f"story_{number}.txt" for number in range(4)]
    for number, file in enumerate(files):
        text = f"---\nscenario: {PASTA}\n---\nboil the water in the pot with the pot. add the egg{number}.\n"
        file.write_text(text, encoding="utf-8")
    files[3].write_bytes(b"\xff\xfe\x00")  # of this one the graph only says that it cannot be read
    return files


@pytest.fixture(scope="module")
def made(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read by several builds, corrected twice; a source was removed."""
    directory = tmp_path_factory.mktemp("made") / "graph"
    build_graph(stories[:2], directory, extractors=tiny())
    correct_graph(directory, CORRECTIONS[:1])
    build_graph(stories[2:], directory, extractors=tiny())
    correct_graph(directory, [CORRECTIONS[1], WITHDRAWN])
    remove_source(directory, stories[0])
    return directory


@pytest.fixture
def graph(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "graph")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").touch()
    return tmp_path / "log"


def _page(path: Path, number: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(number * 4096)
        stream.write(b"\xa5" * 4096)


def _foreign_path(path: Path) -> None:
    with closing(sqlite3.connect(path)) as index:
        index.execute("UPDATE shard_file SET kind = '../../victim' WHERE kind = 'document'")
        index.commit()


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def _link(path: Path) -> None:
    path.rename(path.parent / "elsewhere")
    path.symlink_to("elsewhere")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "something else": lambda path: path.write_bytes(b"no index" * 1000),
    "a folder": _folder,
    "a link": _link,
    "a page": lambda path: _page(path, 3),
    "names of files elsewhere": _foreign_path,
}


def _until_mended(command: Callable[[], object]) -> None:
    """Damage deep inside of the index is found where it is read: then the same call goes on the second time."""
    try:
        command()
    except DamagedIndexError:
        command()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_made_anew(
    damage: str, graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected, corrections = graph_bytes(graph), list_corrections(graph)
    assert len(corrections) == 3
    DAMAGES[damage](graph / "records" / INDEX)
    _until_mended(lambda: build_graph(stories[2], graph, extractors=tiny(log=log)))
    assert "kept: texts 2, corrections 3" in caplog.text
    assert list((graph / "records").glob("*.damaged")) == []
    assert log.read_text() == ""
    assert graph_bytes(graph) == expected
    assert list_corrections(graph) == corrections


def test_every_command_makes_it_anew(graph: Path, stories: list[Path], tmp_path: Path) -> None:
    new = Correction(kind="reject", scenario=PASTA, step="add egg2", author="Ada", time="2026-04-01")
    expected = tmp_path / "expected"
    shutil.copytree(graph, expected)
    correct_graph(expected, [new])
    remove_source(expected, stories[1])
    index = graph / "records" / INDEX
    index.unlink()
    assert len(list_corrections(graph)) == 3
    index.unlink()
    correct_graph(graph, [new])
    index.unlink()
    remove_source(graph, stories[1])
    assert graph_bytes(graph) == graph_bytes(expected)
    other = tmp_path / "other"
    build_graph(stories[0], other, extractors=tiny())
    index.unlink()
    merge_graphs([graph, other], tmp_path / "both")
    merge_graphs([expected, other], tmp_path / "both expected")
    assert graph_bytes(tmp_path / "both") == graph_bytes(tmp_path / "both expected")


def test_without_the_list_of_inputs_they_must_be_named(
    graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = graph_bytes(graph)
    (graph / "records" / INDEX).unlink()
    (graph / "records" / INPUTS).write_bytes(b"PAR1")
    with pytest.raises(GraphDirectoryError, match="inputs") as caught:
        correct_graph(graph, [])
    assert "with all of them; its corrections are kept" in str(caught.value.remedy)
    with pytest.raises(GraphDirectoryError, match="inputs"):
        remove_source(graph, stories[1])
    build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "name all of them" in caplog.text
    assert log.read_text() == ""
    assert graph_bytes(graph) == expected


@pytest.mark.parametrize("everything", [True, False], ids=["all records", "the index and the corrections"])
def test_corrections_come_back_from_the_graph(
    everything: bool, graph: Path, stories: list[Path], caplog: pytest.LogCaptureFixture
) -> None:
    expected = graph_bytes(graph)
    if everything:
        shutil.rmtree(graph / "records")
        with pytest.raises(GraphDirectoryError, match="inputs"):
            correct_graph(graph, [])
    else:
        (graph / "records" / INDEX).unlink()
        for path in graph.glob("records/correction/*.parquet"):
            path.write_bytes(path.read_bytes()[:-9])
    build_graph(stories[1:], graph, extractors=tiny())
    assert "taken from the graph: 2" in caplog.text
    assert graph_bytes(graph) == expected
    assert list_corrections(graph) == CORRECTIONS


def test_a_damaged_file_of_corrections_is_replaced_from_the_graph(graph: Path) -> None:
    expected = graph_bytes(graph)
    (path,) = graph.glob("records/correction/*.parquet")
    path.write_bytes(path.read_bytes()[::-1])
    with pytest.raises(GraphDirectoryError, match="corrections is damaged") as caught:
        correct_graph(graph, [])
    assert "taken from the graph" in str(caught.value.remedy)
    correct_graph(graph, [])
    assert graph_bytes(graph) == expected
    assert list_corrections(graph) == CORRECTIONS


def test_shards_of_an_older_version_are_used_where_they_say_enough(
    graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They have no list of readings: a shard is what its name says if every reading gave something."""
    expected = graph_bytes(graph)
    shutil.rmtree(graph / "records" / "reading-list")
    (graph / "records" / INDEX).unlink()
    build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "corrections 3" in caplog.text
    assert graph_bytes(graph) == expected


def test_damaged_shards_beside_a_lost_index_are_read_again(
    graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = graph_bytes(graph)
    (graph / "records" / INDEX).unlink()
    for path in graph.glob("records/event_mention/*.parquet"):
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "damaged shards, whose texts are read again: " in caplog.text
    assert log.read_text() != ""
    assert graph_bytes(graph) == expected


def test_a_build_by_newer_extractors_that_did_not_end_takes_nothing_away(graph: Path, stories: list[Path]) -> None:
    """Until a graph is made of their readings, the older ones are those that it is made of."""
    with pytest.raises(KeyboardInterrupt):
        build_graph(stories[2], graph, extractors=tiny(version="2", interrupt_at="egg1"))
    correct_graph(graph, [])
    before = graph_bytes(graph)
    correct_graph(graph, [])
    assert graph_bytes(graph) == before
    build_graph(stories[1:], graph, extractors=tiny(version="2"))
    with open_records(graph) as store:
        assert [entry.models[0].version for entry in store.extractors.all().values() if entry.name == "tiny"] == ["2"]
