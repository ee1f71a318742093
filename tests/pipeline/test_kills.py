"""Killed at any moment, the next call goes on and ends with the same bytes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from kgscripts.editing.merging import merge_graphs
from kgscripts.records.database import INDEX
from schemas.errors import GraphDirectoryError, InputError
from tests.assembly.built import graph_bytes
from tests.pipeline.killing import carry_out

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
    """A graph of five of the stories, added by several calls, each of which leaves records of its own."""
    directory = tmp_path_factory.mktemp("before") / "graph"
    text = stories[0].read_text(encoding="utf-8")
    stories[0].write_text("peel the carrots.\n", encoding="utf-8")
    for added in (stories[:1], stories[1:2], stories[2:5]):
        carry_out("build", str(directory), [str(story) for story in added])
    assert len([*(directory / "records" / "event_mention").iterdir()]) > 1
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


# A build keeps what it has read, drops what nobody needs, writes the graph, puts it in the place of the old one, and
# drops again. A removal begins with the graph.
@pytest.mark.parametrize(
    ("operation", "index_is_lost", "kills"),
    [("build", False, (0.2, 0.45, 0.78, 0.9)), ("remove", False, (0.3, 0.47, 0.85)), ("build", True, (0.3, 0.95))],
    ids=["build", "remove", "build without index"],
)
def test_killed_builds_go_on(
    operation: str,
    index_is_lost: bool,
    kills: Sequence[float],
    victims: Victims,
    stories: list[Path],
    before: Path,
    tmp_path: Path,
) -> None:
    if index_is_lost:
        before = shutil.copytree(before, tmp_path / "before")
        (before / "records" / INDEX).unlink()
    inputs = stories if operation == "build" else stories[3:4]
    whole = tmp_path / "whole"
    shutil.copytree(before, whole)
    steps = victims.run(operation, whole, inputs)
    assert steps > 10
    known = [ScriptGraph.open(directory).build_id for directory in (before, whole)]
    chance = random.Random(operation)
    moments = []
    for number, share in enumerate(kills):
        last = int(share * steps)
        directory = tmp_path / f"killed-{number}"
        shutil.copytree(before, directory)
        assert victims.run(operation, directory, inputs, last) == -1
        moments.append(_moment(directory, known[0]))
        _opens_or_says_what_to_do(directory, known)
        again = chance.randrange(1, steps) if number == 0 else None
        if again is None or victims.run(operation, directory, inputs, again) == -1:
            _opens_or_says_what_to_do(directory, known)
            _go_on(operation, directory, inputs)
        assert graph_bytes(directory) == graph_bytes(whole), f"killed before step {last}, then {again}"
        shutil.rmtree(directory)
    middle = [] if index_is_lost else ["between"]
    assert moments == [*["before"] * (len(kills) - 1 - len(middle)), *middle, "after"]


def _moment(directory: Path, old: str) -> str:
    """When a process was killed: before the new graph was put in the place of the old one, in between, or after it."""
    if (directory / ".next" / "manifest.json").exists():
        return "between"
    return "before" if ScriptGraph.open(directory).build_id == old else "after"


def test_a_killed_merge_can_be_repeated(victims: Victims, stories: list[Path], before: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    carry_out("build", str(other), [str(story) for story in stories[5:8]])
    parts = [before, other]
    whole = tmp_path / "whole" / "graph"
    steps = victims.run("merge", whole, parts)
    assert steps > 10
    target = tmp_path / "killed" / "graph"
    for number in (1, 3):
        assert victims.run("merge", target, parts, number * steps // 5) == -1
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
