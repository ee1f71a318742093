"""The id of a graph directory: random, one per directory, kept as the graph grows, and outside all that is compared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exports.targets import export
from kgscripts import ScriptGraph
from schemas import graph_directory
from schemas.errors import GraphDirectoryError
from schemas.graph_directory import ID, locked
from tests.assembly.built import graph_bytes
from tests.conftest import without_privileges
from tests.graphs import odd_graph

ROOT = Path(__file__).parents[2]


def test_two_graphs_of_the_same_rows_differ_in_their_id_only(tmp_path: Path) -> None:
    first, second = odd_graph(tmp_path / "first"), odd_graph(tmp_path / "second")
    assert first.graph_id != second.graph_id
    assert len(first.graph_id) == 32
    assert (first.build_id, graph_bytes(first.directory)) == (second.build_id, graph_bytes(second.directory))


def test_the_first_build_has_an_id_before_anything_else_and_a_killed_one_keeps_it(tmp_path: Path) -> None:
    killed = (
        "import os, signal, sys; from pathlib import Path; from schemas.graph_directory import locked\n"
        "with locked(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", killed, str(tmp_path / "graph")], cwd=ROOT, check=False)
    assert ended.returncode < 0
    left = (tmp_path / "graph" / ID).read_text(encoding="ascii")
    assert odd_graph(tmp_path / "graph").graph_id == left.strip()


def test_a_parquet_export_is_the_same_graph(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    for _ in range(2):
        export(graph, f"parquet:{tmp_path / 'tables'}")
        assert ScriptGraph.open(tmp_path / "tables").graph_id == graph.graph_id
    (graph.directory / ID).unlink()
    export(graph, f"parquet:{tmp_path / 'tables'}")
    assert not (tmp_path / "tables" / ID).exists()


def test_processes_that_need_an_id_at_once_agree(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "graph")
    (graph.directory / ID).unlink()
    (graph.directory / graph_directory.MARKER).unlink()
    ask = (
        "import sys; from pathlib import Path; from schemas.graph_directory import graph_id\n"
        "sys.stdin.read(); print(graph_id(Path(sys.argv[1])))"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ask, str(graph.directory)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert set(answers) == {graph.graph_id}


def test_a_directory_without_an_id_gets_one_when_it_is_needed(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path / "asked")
    before = graph.graph_id
    (graph.directory / ID).unlink()
    assert graph.graph_id not in ("", before)
    assert graph.graph_id == graph.graph_id
    (graph.directory / ID).unlink()
    with locked(graph.directory):
        assert (graph.directory / ID).exists()


def test_a_read_only_directory_without_an_id_says_what_to_do(open_folder: Path) -> None:
    directory = open_folder / "graph"
    graph = odd_graph(directory)
    known = graph.graph_id
    directory.chmod(0o555)
    try:
        with without_privileges():
            assert graph.graph_id == known
        (directory / ID).unlink()
        (directory / ".lock").unlink(missing_ok=True)
        with without_privileges(), pytest.raises(GraphDirectoryError, match="no id") as caught:
            _ = graph.graph_id
        assert "copy" in str(caught.value.remedy)
    finally:
        directory.chmod(0o755)


def _text(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


_DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": _text(b""),
    "cut": _text(b"0123456789abcdef"),
    "junk": _text(b"\xff\x00" * 16),
    "upper case": _text(b"0123456789ABCDEF" * 2),
    "other digits": _text("٣".encode() * 32),
    "more lines": _text(b"0123456789abcdef" * 2 + b"\n\n"),
    "long": _text(b"0" * 100_000),
    "folder": Path.mkdir,
    "link": lambda path: path.symlink_to("elsewhere"),
    "link to itself": lambda path: path.symlink_to(path),
    "link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "pipe": os.mkfifo,
}


def test_a_damaged_id_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    for what, damage in _DAMAGES.items():
        (tmp_path / ID).unlink()
        damage(tmp_path / ID)
        with pytest.raises(GraphDirectoryError, match="not the id of a graph") as caught:
            _ = graph.graph_id
        assert "delete" in str(caught.value.remedy), what
        with pytest.raises(GraphDirectoryError, match="not the id of a graph"), locked(tmp_path):
            pass
        if what == "folder":
            (tmp_path / ID).rmdir()
            (tmp_path / ID).touch()
    with pytest.raises(GraphDirectoryError), locked(tmp_path):
        pass
    (tmp_path / ID).unlink()
    with locked(tmp_path):
        assert graph.graph_id
