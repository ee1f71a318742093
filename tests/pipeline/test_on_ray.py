"""Reading on Ray with real actors on this machine: killed or not, the graph is that of one process."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from kgscripts import ScriptGraph
from kgscripts.distributed import on_ray
from kgscripts.distributed.ingest import TakenIn, take_in_pieces
from kgscripts.distributed.on_ray import _Reader, build_on_ray, read_on_ray
from kgscripts.distributed.plan import ReadingPlan, split_reading
from kgscripts.distributed.reading import divide_or_give_up, read_piece
from kgscripts.distributed.sharing import Finished
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError
from tests.assembly.built import graph_bytes
from tests.commands import run

pytestmark = pytest.mark.ray

READ_BY = ["labels"]
"""It needs no parse, so that no process loads a pipeline."""
_SECONDS = 120


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ray") / "texts"
    folder.mkdir()
    told = "I filled the pot with water. I boiled {} eggs in the pot. I peeled the eggs."
    records = [{"id": number, "text": told.format(number)} for number in range(1, 9)]
    (folder / "eggs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    tea = "I filled the kettle with water. I boiled the water. I drank {} cups of tea.\n"
    for number in range(6):
        (folder / f"tea-{number}.txt").write_text(tea.format(number), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def whole(texts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("whole") / "graph"
    build_graph(texts, directory, extractors=READ_BY)
    return directory


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of one machine, which is started once for all tests."""
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    yield started.address
    started.shutdown()  # type: ignore[no-untyped-call]


def _dying(folder: Path, times: int) -> type[_Reader]:
    """A reader that is killed so many times, in whichever process: with a piece read, just before it is finished."""
    folder.mkdir()

    class Dying(_Reader):
        def read(self, directory: str, number: int) -> tuple[int, int] | str:
            for count in range(times):
                with suppress(FileExistsError):
                    (folder / str(count)).mkdir()
                    setattr(Finished, "write", lambda *_: os.kill(os.getpid(), signal.SIGKILL))  # noqa: B010
                    break
            return super().read(directory, number)

    return Dying


def test_a_piece_that_is_lost_is_tried_again_and_then_cut_in_halves(
    texts: Path, whole: Path, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "_Reader", _dying(tmp_path / "died", 2))
    monkeypatch.setattr(on_ray, "TRIES", 2)
    monkeypatch.setattr(on_ray, "_PIECES_A_WORKER", 1)
    divided: list[int] = []
    monkeypatch.setattr(on_ray, "take_in_pieces", lambda path, **options: _counted(divided, path, options))
    taken = build_on_ray([texts], tmp_path / "graph", address=cluster, workers=1, extractors=READ_BY)
    assert len(list((tmp_path / "died").iterdir())) == 2
    assert (divided, taken.missing) == ([2], {})
    assert graph_bytes(tmp_path / "graph") == graph_bytes(whole)


def _counted(pieces: list[int], path: Path, options: dict[str, Any]) -> TakenIn:
    pieces.append(len(ReadingPlan.read(path).pieces))
    return take_in_pieces(path, **options)


def test_two_workers_name_the_piece_that_cannot_be_read_and_read_the_others(
    texts: Path, whole: Path, cluster: str, tmp_path: Path
) -> None:
    copied, graph = Path(shutil.copytree(texts, tmp_path / "texts")), tmp_path / "graph"
    plan = split_reading([copied], graph, pieces=4, extractors=READ_BY)
    text = (copied / "tea-0.txt").read_text(encoding="utf-8")
    (copied / "tea-0.txt").write_text("I drank the coffee.\n", encoding="utf-8")
    ((number, reason),) = read_on_ray(graph, address=cluster, workers=2).items()
    assert "the file has changed" in reason
    assert "tea-0.txt" in {portion.name for portion in plan.piece(number)}
    (copied / "tea-0.txt").write_text(text, encoding="utf-8")
    read_piece(graph, number)
    assert not take_in_pieces(graph).missing
    assert graph_bytes(graph) == graph_bytes(whole)


def test_a_document_that_is_left_alone_has_failed(texts: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    split_reading([texts / "eggs.jsonl"], graph, pieces=1, extractors=READ_BY)
    divided = 0
    while divide_or_give_up(graph, 0, "the process died"):
        divided += 1
    assert divided == 3  # Of eight documents.
    plan = ReadingPlan.read(graph)
    assert [[portion.parts for portion in piece] for piece in plan.pieces] == [[8], [2], [4], [8]]
    report = take_in_pieces(graph).report
    assert ScriptGraph.open(graph).manifest.rows("Source") == 1
    assert "the process died" in (graph / "discarded.jsonl").read_text(encoding="utf-8")
    assert report.run.sources_read == 0


def test_the_engine_is_named_and_found(texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, message in (
        (("--engine", "spark"), "no such engine"),
        (("--ray-address", "127.0.0.1:1"), "is for --engine ray"),
        (("--engine", "ray", "--limit", "3"), "cannot be given with --engine"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            run("build-graph", texts, "-o", tmp_path / "graph", *arguments)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"(?s)Ray is not installed.*kgscripts\[ray\]"):
        build_on_ray([texts], tmp_path / "graph", workers=1)


def _reading_now(parent: int) -> list[psutil.Process]:
    """The actors below a process that read a piece at this moment: Ray names processes by what they do."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if "ray::_Reader.read" in " ".join(process.info["cmdline"] or [])
        and parent in {each.pid for each in process.parents()}
    ]


def test_ctrl_c_ends_all_actors_of_a_ray_that_is_started_beside_a_cluster(cluster: str, tmp_path: Path) -> None:
    assert cluster
    # So many that the actors are met when they read, on any machine.
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(400):
        (texts / f"{number}.txt").write_text(f"Boil the water in pot {number} and drain it.\n" * 200, encoding="utf-8")
    command = [sys.executable, "-m", "cli", "build-graph", str(texts), "-o", str(tmp_path / "graph"), "--engine", "ray"]
    command += ["--jobs", "2", "--extractors", "events"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    end = time.monotonic() + _SECONDS
    while not (actors := _reading_now(process.pid)) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert actors
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=_SECONDS)
    assert process.returncode == 130
    assert b"interrupted" in errors
    _, alive = psutil.wait_procs(actors, timeout=_SECONDS)
    assert not alive
