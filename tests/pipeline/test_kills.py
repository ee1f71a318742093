"""Killed at any moment, the next call goes on and ends with the same bytes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgscripts.editing.merging import merge_graphs
from kgscripts.records.database import INDEX
from schemas.errors import GraphDirectoryError, InputError
from schemas.script_graph import ScriptGraph
from tests.assembly.built import graph_bytes
from tests.pipeline.killing import carry_out

_KILLS = 5
"""Of each operation, evenly spread over its steps."""
_ROOT = Path(__file__).parents[2]


class Victims:
    """Processes that carry out orders and are killed at a step."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(self, operation: str, directory: Path, inputs: list[Path], last: int = 0) -> int:
        """Steps taken, or -1 after a kill before step `last`."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        order = [operation, str(directory), [str(item) for item in inputs], last]
        print(json.dumps(order), file=self._server.stdin, flush=True)
        return int(self._server.stdout.readline())


@pytest.fixture(scope="module")
def victims() -> Iterator[Victims]:
    command = [sys.executable, "-m", "tests.pipeline.killing"]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        yield Victims(server)
        assert server.stdin is not None
        server.stdin.close()


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of which some are in the graph already, one of them with other contents."""
    folder = tmp_path_factory.mktemp("stories")
    files = [folder / f"cooking_pasta_{number}.txt" for number in range(12)]
    for number, file in enumerate(files):
        file.write_text(f"boil the water. add the pasta{number}. stir the pasta with the spoon.\n", encoding="utf-8")
    return files


@pytest.fixture(scope="module")
def before(stories: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of five of the stories, each added by a call of its own."""
    directory = tmp_path_factory.mktemp("before") / "graph"
    text = stories[0].read_text(encoding="utf-8")
    stories[0].write_text("peel the carrots.\n", encoding="utf-8")
    for story in stories[:5]:
        carry_out("build", str(directory), [str(story)])
    stories[0].write_text(text, encoding="utf-8")
    return directory


def _opens_or_says_what_to_do(directory: Path, known: list[str]) -> None:
    """A reader sees the old graph, the new graph, or an error that names the remedy; never half of each."""
    try:
        graph = ScriptGraph.open(directory)
        graph.check_digests()
    except GraphDirectoryError as error:
        remedy = error.remedy or ""
    else:
        assert graph.build_id in known
        return
    assert "build-graph" in remedy


@pytest.mark.parametrize(("operation", "index_is_lost"), [("build", False), ("remove", False), ("build", True)])
def test_killed_builds_go_on(
    operation: str, index_is_lost: bool, victims: Victims, stories: list[Path], before: Path, tmp_path: Path
) -> None:
    if index_is_lost:
        before = shutil.copytree(before, tmp_path / "before")
        (before / "records" / INDEX).unlink()
    inputs = stories if operation == "build" else stories[3:4]
    whole = tmp_path / "whole"
    shutil.copytree(before, whole)
    steps = victims.run(operation, whole, inputs)
    assert steps > 2 * _KILLS
    known = [ScriptGraph.open(directory).build_id for directory in (before, whole)]
    chance = random.Random(operation)
    for number in range(_KILLS):
        last = chance.randint(number * steps // _KILLS + 1, (number + 1) * steps // _KILLS)
        directory = tmp_path / f"killed-{number}"
        shutil.copytree(before, directory)
        assert victims.run(operation, directory, inputs, last) == -1
        _opens_or_says_what_to_do(directory, known)
        again = chance.randrange(1, steps) if number % 3 == 0 else None
        if again is None or victims.run(operation, directory, inputs, again) == -1:
            _opens_or_says_what_to_do(directory, known)
            _go_on(operation, directory, inputs)
        assert graph_bytes(directory) == graph_bytes(whole), f"killed before step {last}, then {again}"
        shutil.rmtree(directory)


def test_a_killed_merge_can_be_repeated(victims: Victims, stories: list[Path], before: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    carry_out("build", str(other), [str(story) for story in stories[5:8]])
    parts = [before, other]
    whole = tmp_path / "whole" / "graph"
    steps = victims.run("merge", whole, parts)
    assert steps > 2 * _KILLS
    target = tmp_path / "killed" / "graph"
    for number in range(1, _KILLS, 2):
        assert victims.run("merge", target, parts, number * steps // _KILLS) == -1
        assert not target.exists()
    merge_graphs(parts, target)
    assert graph_bytes(target) == graph_bytes(whole)
    assert [path.name for path in target.parent.iterdir()] == ["graph"]


def _go_on(operation: str, directory: Path, inputs: list[Path]) -> None:
    try:
        carry_out(operation, str(directory), [str(item) for item in inputs])
    except InputError:
        # The removal was killed when all was done but the deletion of files that nobody needs.
        if operation == "build":
            raise
