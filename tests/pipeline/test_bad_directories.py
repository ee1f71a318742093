"""Directories and disks that a build cannot use: a clear error, nothing lost, nothing half-written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from kgscripts.records import store
from schemas.errors import GraphDirectoryError, KGScriptsError
from schemas.graph_directory import locked
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.commands import run
from tests.conftest import without_privileges
from tests.disk import small_disk
from tests.pipeline.damages import OF_A_FILE, damage_each, flip
from tests.pipeline.stopping import until_assembly


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("stories")
    files = [folder / f"story_{number}.txt" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text(f"boil the water. add the egg{number}.", encoding="utf-8")
    return files


@pytest.fixture(scope="module")
def built(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the first two stories; it is only copied."""
    directory = tmp_path_factory.mktemp("built") / "graph"
    build_graph(stories[:2], directory, extractors=tiny())
    return directory


@pytest.fixture
def graph(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "graph"))


@pytest.fixture(scope="module")
def scattered(stories: list[Path], built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with records of all stories but the last, in as many files of a kind as there are damages."""
    directory = Path(shutil.copytree(built, tmp_path_factory.mktemp("scattered") / "graph"))
    with mock.patch.object(store, "_SHARDS_A_TIER", 100):
        for story in stories[2:5]:
            with until_assembly():
                build_graph(story, directory, extractors=tiny())
    return directory


@pytest.fixture
def shards(scattered: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(scattered, tmp_path / "shards"))


@pytest.fixture(scope="module")
def anew(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The bytes of a graph of all stories."""
    directory = tmp_path_factory.mktemp("anew") / "graph"
    build_graph(stories, directory, extractors=tiny())
    return graph_bytes(directory)


_KINDS = ("document", "event_mention")


def _files(graph: Path, kind: str) -> list[Path]:
    return sorted(graph.glob(f"records/{kind}/*.parquet"))


@pytest.mark.parametrize("kind", _KINDS)
def test_what_damaged_files_held_is_read_again(
    kind: str, shards: Path, stories: list[Path], anew: dict[str, bytes]
) -> None:
    damage_each(_files(shards, kind))
    build_graph(stories, shards, extractors=tiny())
    assert graph_bytes(shards) == anew
    assert not list(shards.glob("records/*/*.damaged"))


@pytest.mark.parametrize("damage", OF_A_FILE)
def test_a_damaged_file_whose_inputs_are_not_given_is_an_error(
    damage: Callable[[Path], None], shards: Path, stories: list[Path]
) -> None:
    before = graph_bytes(shards)
    damage(_files(shards, "document")[0])
    for _ in range(2):
        with pytest.raises(GraphDirectoryError, match="damaged or lost") as caught:
            build_graph(stories[5], shards, extractors=tiny())
        assert any(str(story.resolve()) in str(caught.value) for story in stories[:5])
        assert graph_bytes(shards) == before
    with until_assembly() as begun:
        build_graph(stories, shards, extractors=tiny())
    assert begun.sources == [story.name for story in stories]


def test_damaged_files_are_read_again_after_an_error(shards: Path, stories: list[Path], anew: dict[str, bytes]) -> None:
    damage_each(_files(shards, "document"))
    with pytest.raises(GraphDirectoryError, match="damaged or lost"):
        build_graph(stories[5], shards, extractors=tiny())
    build_graph(stories, shards, extractors=tiny())
    assert graph_bytes(shards) == anew


def test_lost_readings_are_read_again_from_the_texts_in_the_records(
    shards: Path, stories: list[Path], anew: dict[str, bytes]
) -> None:
    damage_each(_files(shards, "event_mention"))
    build_graph(stories[5], shards, extractors=tiny())
    assert graph_bytes(shards) == anew


@pytest.mark.parametrize("file", ["index.parquet", "readers.json"])
def test_records_of_an_older_version_say_what_to_do(file: str, graph: Path, stories: list[Path]) -> None:
    shutil.rmtree(graph / "records")
    (graph / "records").mkdir()
    (graph / "records" / file).touch()
    with pytest.raises(GraphDirectoryError) as caught:
        build_graph(stories, graph, extractors=tiny())
    assert "build into a new directory" in str(caught.value.remedy)


_TABLES = ("nodes/Passage.parquet", "relations/USES.parquet", "manifest.json")


@pytest.mark.parametrize("table", _TABLES)
@pytest.mark.parametrize("damage", OF_A_FILE)
def test_a_damaged_graph_is_refused_and_assembled_again(
    damage: Callable[[Path], None], table: str, graph: Path, stories: list[Path]
) -> None:
    damage(graph / table)
    with pytest.raises(GraphDirectoryError) as caught:
        _read_whole(graph)
    assert "build-graph" in (caught.value.remedy or "")
    with until_assembly():
        build_graph(stories[0], graph, extractors=tiny())


@pytest.mark.parametrize("damage", OF_A_FILE)
def test_a_damaged_graph_is_replaced(damage: Callable[[Path], None], graph: Path, stories: list[Path]) -> None:
    before = graph_bytes(graph)
    for table in _TABLES:
        damage(graph / table)
    build_graph(stories[0], graph, extractors=tiny())
    assert graph_bytes(graph) == before


def _read_whole(directory: Path) -> None:
    graph = ScriptGraph.open(directory)
    graph.check_digests()


def test_a_foreign_directory_is_left_alone(tmp_path: Path, stories: list[Path]) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis/chapter.tex").touch()
    with pytest.raises(GraphDirectoryError, match="holds other files"):
        build_graph(stories, tmp_path / "thesis", extractors=tiny())
    assert [file.name for file in (tmp_path / "thesis").iterdir()] == ["chapter.tex"]


@pytest.mark.parametrize("output", ["file", "file/graph", "/proc/graph", "/dev/null"])
def test_what_is_no_directory_cannot_be_written(output: str, tmp_path: Path, stories: list[Path]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(GraphDirectoryError, match="cannot be written"):
        build_graph(stories, tmp_path / output, extractors=tiny())


def test_an_unwritable_directory(graph: Path, open_folder: Path) -> None:
    shutil.copytree(graph, open_folder / "graph")
    (open_folder / "graph").chmod(0o555)
    try:
        with without_privileges(), pytest.raises(GraphDirectoryError, match="cannot be written"):
            build_graph(texts=["boil the water."], output=open_folder / "graph", extractors=tiny())
    finally:
        (open_folder / "graph").chmod(0o755)


def test_two_builds_at_once(graph: Path, stories: list[Path]) -> None:
    holder = (
        "import sys; from pathlib import Path; from schemas.graph_directory import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(graph)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(GraphDirectoryError, match="another build is at work"):
            build_graph(stories, graph, extractors=tiny())
        other.kill()
    with until_assembly():
        build_graph(stories, graph, extractors=tiny())
    with locked(graph):
        assert ScriptGraph.open(graph).manifest.sources == 2


_SIZES = (0, 400, 2_500, 4_000, 6_000, 8_000)


@pytest.mark.parametrize("size", _SIZES)
def test_a_full_disk_leaves_the_old_graph(size: int, graph: Path, stories: list[Path]) -> None:
    before = graph_bytes(graph)
    with small_disk(size), pytest.raises(GraphDirectoryError, match="cannot be written"):
        build_graph(stories, graph, extractors=tiny())
    assert graph_bytes(graph) == before
    with until_assembly() as begun:
        build_graph(stories, graph, extractors=tiny())
    assert begun.sources == [story.name for story in stories]


def test_what_was_written_on_a_full_disk_is_no_hindrance(
    graph: Path, stories: list[Path], anew: dict[str, bytes]
) -> None:
    for size in _SIZES:
        with small_disk(size), pytest.raises(GraphDirectoryError, match="cannot be written"):
            build_graph(stories, graph, extractors=tiny())
    build_graph(stories, graph, extractors=tiny())
    assert graph_bytes(graph) == anew


def test_a_really_full_disk(tmp_path: Path, stories: list[Path]) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, "-t", "tmpfs", "-o", "size=64k", "none", disk], check=False).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        with pytest.raises(KGScriptsError, match="cannot be written"):
            build_graph(stories, disk / "graph", extractors=tiny())
    finally:
        subprocess.run(["umount", disk], check=True)


def test_validate_finds_damaged_records(graph: Path) -> None:
    run("validate", graph)
    file = _files(graph, "event_mention")[0]
    flip(file)
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, ["validate", str(graph)])
    assert result.exit_code == 2
    assert f"{file}: the file is damaged" in result.stdout
    assert file.exists(), "nothing is changed"
