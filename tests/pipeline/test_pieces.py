"""Reading in pieces: whoever reads them, how often, and in what order, the graph is that of one process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from kgscripts.building.build import Build
from kgscripts.building.reading import DocumentReader
from kgscripts.building.run import Run
from kgscripts.corpora.files import InputFile
from kgscripts.distributed import plan as planning
from kgscripts.distributed.ingest import _Taking, take_in_pieces
from kgscripts.distributed.plan import FOLDER, ReadingPlan, split_reading
from kgscripts.distributed.reading import read_piece
from kgscripts.distributed.sharing import Finished
from kgscripts.pipeline import build_graph
from kgscripts.records.store import RecordStore
from schemas.errors import ConfigurationError, GraphDirectoryError, InputError, KGScriptsError
from tests.assembly.built import graph_bytes
from tests.commands import run
from tests.pipeline.stopping import until_assembly
from tests.pipeline.test_kills import Victims, victims  # noqa: F401

READ_BY = ["labels"]
"""It needs no parse, so that no pipeline is loaded."""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of which one has many documents and some that are none, one the text of another, and one cannot be read."""
    folder = tmp_path_factory.mktemp("pieces") / "texts"
    folder.mkdir()
    told = [f"I filled the pot with water. I added {number} eggs. I boiled the eggs." for number in range(1, 13)]
    records = [{"id": number, "text": text, "scenario": "boiling eggs"} for number, text in enumerate(told)]
    lines = [json.dumps(record) for record in records]
    lines[3:3] = ["no record", json.dumps({"id": "empty", "text": "   "})]
    (folder / "many.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "one.txt").write_text("I peeled the carrots. I cut the carrots with a knife.\n", encoding="utf-8")
    (folder / "again.txt").write_text(told[0], encoding="utf-8")
    (folder / "broken.jsonl").write_bytes(b'{"text": "\xff\xfe\x00')
    return folder


@pytest.fixture(scope="module")
def whole(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph that one process makes."""
    directory = tmp_path_factory.mktemp("whole") / "graph"
    build_graph(texts, directory, extractors=READ_BY)
    assert ScriptGraph.open(directory).manifest.rows("Source") == 14
    return directory


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_LEAST_BYTES", 1)


@pytest.fixture
def split(texts: Path, tmp_path: Path) -> Path:
    """A directory with a plan of four pieces."""
    split_reading([texts], tmp_path / "graph", pieces=4, extractors=READ_BY)
    return tmp_path / "graph"


def test_what_is_parsed_in_pieces_makes_the_graph_of_one_process(texts: Path, tmp_path: Path) -> None:
    options: Any = {"extractors": ["events"]}
    build_graph([texts / "one.txt", texts / "again.txt"], tmp_path / "whole", **options)
    split_reading([texts / "one.txt", texts / "again.txt"], tmp_path / "graph", pieces=2, **options)
    for number in range(2):
        read_piece(tmp_path / "graph", number)
    take_in_pieces(tmp_path / "graph")
    assert ScriptGraph.open(tmp_path / "graph").manifest.rows("SubEvent") > 0
    assert graph_bytes(tmp_path / "graph") == graph_bytes(tmp_path / "whole")


@pytest.mark.parametrize("pieces", [1, 30])
def test_pieces_make_the_graph_of_one_process(texts: Path, whole: Path, tmp_path: Path, pieces: int) -> None:
    plan = split_reading([texts], tmp_path / "graph", pieces=pieces, extractors=READ_BY)
    assert len(plan.pieces) <= pieces
    for number in reversed(range(len(plan.pieces))):
        read_piece(tmp_path / "graph", number)
    taken = take_in_pieces(tmp_path / "graph")
    assert not taken.missing
    assert graph_bytes(tmp_path / "graph") == graph_bytes(whole)
    assert not (tmp_path / "graph" / FOLDER).exists()
    # It is a graph as any other: the same inputs are known, and no piece is left to read.
    assert split_reading([texts], tmp_path / "graph", pieces=pieces, extractors=READ_BY).pieces == []
    assert build_graph(texts, tmp_path / "graph", extractors=READ_BY).run.sources_read == 0


def test_a_piece_that_is_read_twice_or_by_two_at_once_leaves_the_same(split: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: read_piece(split, 0), range(2))
    files = sorted((split / FOLDER).rglob("*.*"))
    again = read_piece(split, 0)
    assert (first.shards, first.inputs) == (second.shards, second.inputs) == (again.shards, again.inputs)
    assert sorted((split / FOLDER).rglob("*.*")) == files


@pytest.fixture(scope="module")
def all_read(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a plan of three pieces, all of which are finished."""
    directory = tmp_path_factory.mktemp("read") / "graph"
    with mock.patch.object(planning, "_LEAST_BYTES", 1):
        plan = split_reading([texts], directory, pieces=3, extractors=READ_BY)
    for number in range(len(plan.pieces)):
        read_piece(directory, number)
    return directory


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


@pytest.mark.parametrize(
    ("pattern", "damage", "reason"),
    [
        ("document/*.parquet", _cut, "damaged"),
        ("document/*.parquet", Path.unlink, "damaged"),
        ("reading-list/*.parquet", lambda path: path.write_bytes(b"PAR1"), "damaged"),
        ("finished/*.json", _cut, "not finished"),
        ("finished/*.json", lambda path: path.write_text('{"format": 99}'), "not finished"),
        ("finished/*.json", lambda path: path.write_text("[]"), "not finished"),
        ("finished/*.json", Path.unlink, "not finished"),
    ],
)
def test_a_damaged_piece_is_named_and_is_read_again(
    all_read: Path, tmp_path: Path, pattern: str, damage: Any, reason: str
) -> None:
    directory = Path(shutil.copytree(all_read, tmp_path / "graph"))
    plan = ReadingPlan.read(directory)
    piece = plan.digest(1)
    found = Finished.read(directory, piece)
    assert found is not None
    (path,) = (each for each in (directory / FOLDER).glob(pattern) if each.stem in (piece, *found.shards[:1]))
    damage(path)
    taking = _Taking(directory, plan)
    with RecordStore(directory / "records") as store:
        taking.take_in(Build(store, DocumentReader(plan.chosen()[1]), Run(jobs=1), lambda _: None))
    assert taking.missing == {1: reason}
    read_piece(directory, 1)
    assert Finished.read(directory, piece) == found


_FORMS: dict[str, bytes] = {
    "empty": b"",
    "cut off": b'{"format": 2, "options": {',
    "no UTF-8": b"\xff\xfe",
    "no JSON": b"plan",
    "no object": b"[]",
    "no fields": b'{"format": 2}',
    "another version": b'{"format": 1}',
    "a huge number": b'{"format": ' + b"9" * 5000 + b"}",
    "too deep": b"[" * 100_000,
}


@pytest.mark.parametrize("form", [*_FORMS, "a folder"])
def test_a_damaged_plan_is_an_error_and_a_damaged_note_is_none(all_read: Path, tmp_path: Path, form: str) -> None:
    directory = Path(shutil.copytree(all_read, tmp_path / "graph"))
    piece = ReadingPlan.read(directory).digest(1)
    for path in (directory / FOLDER / "finished" / f"{piece}.json", directory / FOLDER / "plan.json"):
        path.unlink()
        path.mkdir() if form == "a folder" else path.write_bytes(_FORMS[form])
    assert Finished.read(directory, piece) is None
    for use in (lambda: read_piece(directory, 1), lambda: take_in_pieces(directory)):
        with pytest.raises(GraphDirectoryError, match="the plan of the reading is damaged"):
            use()


def _paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = content if isinstance(content, dict) else range(len(content[:1])) if isinstance(content, list) else ()
    for key in keys:
        yield (*path, key)
        yield from _paths(content[key], (*path, key))


@pytest.mark.parametrize(
    "value",
    [None, [], {}, -1, 10**400, 1.5, True, "\0", "", [None], {"a": 1}, "gone"],
    ids=lambda value: repr(value)[:8],
)
def test_a_plan_or_a_note_with_another_value_is_damaged_or_of_the_same_types(
    all_read: Path, tmp_path: Path, value: Any
) -> None:
    directory = Path(shutil.copytree(all_read, tmp_path / "graph"))
    piece = ReadingPlan.read(directory).digest(1)
    note, plan = directory / FOLDER / "finished" / f"{piece}.json", directory / FOLDER / "plan.json"
    for file in (note, plan):
        whole = file.read_text(encoding="utf-8")
        for path in _paths(json.loads(whole)):
            content = parent = json.loads(whole)
            for key in path[:-1]:
                parent = parent[key]
            if value == "gone":
                del parent[path[-1]]
            else:
                parent[path[-1]] = value
            file.write_text(json.dumps(content), encoding="utf-8")
            with suppress(GraphDirectoryError):
                assert ReadingPlan.read(directory).pieces is not None
                found = Finished.read(directory, piece)
                assert found is None or all(type(item.fingerprint) is str for item in found.inputs)
                assert found is None or isinstance(found.read_shards(directory), list | None)
        file.write_text(whole, encoding="utf-8")


def test_an_input_that_has_changed_is_not_read(texts: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(texts, tmp_path / "texts")
    plan = split_reading([copied], tmp_path / "graph", pieces=30, extractors=READ_BY)
    (copied / "one.txt").write_text("I peeled the potatoes.\n", encoding="utf-8")
    for number, portions in enumerate(plan.pieces):
        if any(portion.name == "one.txt" for portion in portions):
            with pytest.raises(InputError, match=r"(?s)one\.txt: the file has changed.*split-reading"):
                read_piece(tmp_path / "graph", number)
        else:
            read_piece(tmp_path / "graph", number)


def test_a_machine_with_other_versions_is_refused(split: Path) -> None:
    path = split / FOLDER / "plan.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    version = next(key for key, name in content["extractors"].items() if name == "labels")
    content["extractors"]["0" * 64] = content["extractors"].pop(version)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="other versions of labels"):
        read_piece(split, 0)
    with pytest.raises(ConfigurationError, match="other versions of labels"):
        take_in_pieces(split)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 2, "pieces": [[{"path": 3}]]}',
        "[" * 10_000,
    ],
)
def test_a_plan_that_is_none_is_refused(split: Path, content: str) -> None:
    (split / FOLDER / "plan.json").write_text(content, encoding="utf-8")
    with pytest.raises(GraphDirectoryError, match=r"(?s)plan\.json.*kgscripts split-reading"):
        read_piece(split, 0)


def test_what_cannot_be_read_or_taken_in_is_said(split: Path, tmp_path: Path, texts: Path) -> None:
    with pytest.raises(GraphDirectoryError, match="there is no plan"):
        take_in_pieces(tmp_path / "nothing")
    with pytest.raises(GraphDirectoryError, match="no piece of the reading is finished"):
        take_in_pieces(split)
    with pytest.raises(ConfigurationError, match="there is no piece 99"):
        read_piece(split, 99)
    for wrong in (0, -1, "2", 10**9):
        with pytest.raises(ConfigurationError):
            split_reading([texts], split, pieces=wrong)  # type: ignore[arg-type]
    with pytest.raises(KGScriptsError, match="rocket"):
        split_reading([texts], split, pieces=2, without=["rocket"])
    with pytest.raises(ConfigurationError, match="share is 3"):
        split_reading([texts], split, pieces=2, share=3)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        split_reading([tmp_path / "missing"], split, pieces=2)


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=40), st.integers(1, 20))
def test_each_part_of_each_file_is_in_one_piece_and_pieces_have_about_the_same_size(
    sizes: list[int], pieces: int
) -> None:
    with mock.patch.object(planning, "_size", lambda file: sizes[int(file.name)]):
        files = [(InputFile(Path(str(number)), str(number)), "digest") for number in range(len(sizes))]
        shared = planning._shared_out(files, pieces)
    assert len(shared) <= pieces
    of_file: dict[str, list[int]] = {}
    for portion in (portion for piece in shared for portion in piece):
        of_file.setdefault(portion.name, []).append(portion.part)
        assert portion.part < portion.parts <= pieces
    for name, parts in of_file.items():
        assert sorted(parts) == list(range(max(parts) + 1)), name
    assert len(of_file) == len(sizes)
    loads = [sum(max(1, sizes[int(each.name)] // each.parts) for each in piece) for piece in shared]
    largest = max(max(1, sizes[int(each.name)] // each.parts) for piece in shared for each in piece)
    assert max(loads) - min(loads) <= largest


def test_what_is_finished_makes_a_graph_and_the_rest_is_taken_in_later(
    texts: Path, whole: Path, tmp_path: Path
) -> None:
    (tmp_path / "options.toml").write_text(f"extractors = {json.dumps(READ_BY)}\n", encoding="utf-8")
    graph = tmp_path / "graph"
    said = run("split-reading", texts, "-o", graph, "--pieces", "3", "--config", tmp_path / "options.toml")
    assert "pieces 3" in said
    for piece in (0, 2):
        run("read-piece", graph, "--piece", piece)
    with until_assembly() as begun:
        run("build-graph", "-o", graph, "--take-in")
    assert 0 < len(begun.sources) < ScriptGraph.open(whole).manifest.rows("Source")
    run("read-piece", graph, "--piece", 1)
    run("build-graph", "-o", graph, "--take-in")
    assert graph_bytes(graph) == graph_bytes(whole)


def test_killed_it_goes_on(split: Path, whole: Path, victims: Victims, tmp_path: Path) -> None:  # noqa: F811
    steps = victims.run("piece", Path(shutil.copytree(split, tmp_path / "counted")), [Path("0")])
    assert victims.run("piece", split, [Path("0")], steps // 2) == -1
    assert victims.run("piece", split, [Path("0")], steps) == -1
    for number in range(len(ReadingPlan.read(split).pieces)):
        read_piece(split, number)
    assert victims.run("take in", split, [], 20) == -1
    take_in_pieces(split)
    assert graph_bytes(split) == graph_bytes(whole)
