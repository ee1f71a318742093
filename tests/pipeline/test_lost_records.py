"""Records of which files are lost: what is still there is used, and what people said is never lost without a word."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscripts.editing.correcting import correct_graph, list_corrections
from kgscripts.editing.merging import merge_graphs
from kgscripts.pipeline import build_graph, remove_source
from kgscripts.records.corrections import add_corrections, read_corrections
from kgscripts.records.database import INDEX, INPUTS, SOURCE
from kgscripts.records.opening import open_records
from schemas.corrections import Correction
from schemas.errors import DamagedIndexError, GraphDirectoryError
from schemas.records import Discard, Document, EventMention, Segment, Sentence
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.pipeline.damages import IN_PLACE_OF_AN_INDEX, OF_AN_INDEX
from tests.pipeline.stopping import until_assembly

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
    with until_assembly():
        build_graph(stories[:2], directory, extractors=tiny())
    _record(directory, CORRECTIONS[:1])
    build_graph(stories[2:], directory, extractors=tiny())
    _record(directory, [CORRECTIONS[1], WITHDRAWN])
    remove_source(directory, stories[0])
    return directory


def _record(directory: Path, corrections: list[Correction]) -> None:
    with open_records(directory) as store:
        assert add_corrections(store, corrections) == corrections


_KINDS = (Document, Sentence, EventMention, Segment, Discard)


def _known(directory: Path) -> list[Any]:
    """All that a graph is made of: if it is the same, so is the graph."""
    with open_records(directory) as store:
        extractors = store.extractors.all()
        subjects = {digest: sorted(store.readings.subjects(digest)) for digest in extractors}
        return [
            list(store.inputs.all()),
            extractors,
            subjects,
            [store.read(kind, subjects[SOURCE]) for kind in _KINDS],
            read_corrections(store),
        ]


@pytest.fixture
def graph(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "graph")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log").touch()
    return tmp_path / "log"


def _until_mended(command: Callable[[], object]) -> None:
    """Damage deep inside of the index is found where it is read: then the same call goes on the second time."""
    try:
        command()
    except DamagedIndexError:
        command()


@pytest.mark.parametrize("damage", OF_AN_INDEX)
def test_a_damaged_index_is_made_anew(
    damage: str, graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected, corrections = graph_bytes(graph), list_corrections(graph)
    assert len(corrections) == 3
    OF_AN_INDEX[damage](graph / "records" / INDEX)
    _until_mended(lambda: build_graph(stories[2], graph, extractors=tiny(log=log)))
    assert "kept: texts 2, corrections 3" in caplog.text
    assert list((graph / "records").glob("*.damaged")) == []
    assert log.read_text() == ""
    assert graph_bytes(graph) == expected
    assert list_corrections(graph) == corrections


@pytest.mark.parametrize("damage", IN_PLACE_OF_AN_INDEX)
def test_an_index_is_made_anew_in_place_of_anything(
    damage: str, graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = _known(graph)
    IN_PLACE_OF_AN_INDEX[damage](graph / "records" / INDEX)
    with until_assembly():
        _until_mended(lambda: build_graph(stories[2], graph, extractors=tiny(log=log)))
    assert "kept: texts 2, corrections 3" in caplog.text
    assert list((graph / "records").glob("*.damaged")) == []
    assert log.read_text() == ""
    assert _known(graph) == expected


def test_every_command_makes_it_anew(made: Path, graph: Path, stories: list[Path], tmp_path: Path) -> None:
    new = Correction(kind="reject", scenario=PASTA, step="add egg2", author="Ada", time="2026-04-01")
    expected = shutil.copytree(graph, tmp_path / "expected")
    correct_graph(expected, [new])
    corrected = graph_bytes(expected)
    remove_source(expected, stories[1])
    index = graph / "records" / INDEX
    index.unlink()
    assert len(list_corrections(graph)) == 3
    index.unlink()
    correct_graph(graph, [new])
    assert graph_bytes(graph) == corrected
    index.unlink()
    remove_source(graph, stories[1])
    assert graph_bytes(graph) == graph_bytes(expected)
    index.unlink()
    # The other one still has the source, and lacks the correction.
    merge_graphs([graph, made], tmp_path / "both")
    assert graph_bytes(tmp_path / "both") == corrected


def test_without_the_list_of_inputs_they_must_be_named(
    graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = _known(graph)
    (graph / "records" / INDEX).unlink()
    (graph / "records" / INPUTS).write_bytes(b"PAR1")
    with pytest.raises(GraphDirectoryError, match="inputs") as caught:
        correct_graph(graph, [])
    assert "with all of them; its corrections are kept" in str(caught.value.remedy)
    with pytest.raises(GraphDirectoryError, match="inputs"):
        remove_source(graph, stories[1])
    with until_assembly():
        build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "name all of them" in caplog.text
    assert log.read_text() == ""
    assert _known(graph) == expected


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
    expected = _known(graph)
    shutil.rmtree(graph / "records" / "reading-list")
    (graph / "records" / INDEX).unlink()
    with until_assembly():
        build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "corrections 3" in caplog.text
    assert _known(graph) == expected


def test_damaged_shards_beside_a_lost_index_are_read_again(
    graph: Path, stories: list[Path], log: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected = _known(graph)
    (graph / "records" / INDEX).unlink()
    for path in graph.glob("records/event_mention/*.parquet"):
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    with until_assembly():
        build_graph(stories[1:], graph, extractors=tiny(log=log))
    assert "damaged shards, whose texts are read again: " in caplog.text
    assert log.read_text() != ""
    assert _known(graph) == expected


def test_a_build_by_newer_extractors_that_did_not_end_takes_nothing_away(graph: Path, stories: list[Path]) -> None:
    """Until a graph is made of their readings, the older ones are those that it is made of."""
    before = graph_bytes(graph)
    with pytest.raises(KeyboardInterrupt):
        build_graph(stories[2], graph, extractors=tiny(version="2", interrupt_at="egg1"))
    for _ in range(2):
        correct_graph(graph, [])
        assert graph_bytes(graph) == before
    build_graph(stories[1:], graph, extractors=tiny(version="2"))
    with open_records(graph) as store:
        assert [entry.models[0].version for entry in store.extractors.all().values() if entry.name == "tiny"] == ["2"]
