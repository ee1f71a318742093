"""Reading on Ray with real actors on this machine: killed or not, the graph is that of one process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import psutil
import pytest

from kgscripts.pieces import on_ray
from kgscripts.pieces.on_ray import build_on_ray, read_on_ray
from kgscripts.pieces.plan import Plan, split_reading
from kgscripts.pieces.reading import divide_or_give_up
from kgscripts.pieces.taking_in import take_in_pieces
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError
from schemas.script_graph import ScriptGraph
from tests.assembly.built import graph_bytes
from tests.commands import run

WITHOUT = ["state-changes", "scenarios", "steps"]
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
    build_graph(texts, directory, without=WITHOUT)
    return directory


def _reading_now(parent: int) -> list[psutil.Process]:
    """The actors below a process that read a piece at this moment: Ray names processes by what they do."""
    found = []
    for process in psutil.process_iter(["name", "cmdline"]):
        if "ray::_Reader.read" in " ".join(process.info["cmdline"] or []):
            with_parents = {each.pid for each in process.parents()}
            if parent in with_parents:
                found.append(process)
    return found


@contextmanager
def _killing(times: int) -> Iterator[list[int]]:
    """Kill so many actors of this process, one after the other, while they read; yields their numbers."""
    killed: list[int] = []
    ended = Event()

    def kill() -> None:
        while len(killed) < times and not ended.is_set():
            for process in _reading_now(os.getpid()):
                if process.pid not in killed and len(killed) < times:
                    process.kill()
                    killed.append(process.pid)
            time.sleep(0.02)

    thread = Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def test_two_workers_of_which_one_dies_make_the_graph_of_one_process(texts: Path, whole: Path, tmp_path: Path) -> None:
    with _killing(1) as killed:
        taken = build_on_ray([texts], tmp_path / "graph", workers=2, without=WITHOUT)
    assert len(killed) == 1
    assert not taken.missing
    assert graph_bytes(tmp_path / "graph") == graph_bytes(whole)


def test_a_piece_that_is_lost_three_times_is_cut_in_halves(
    texts: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "_PIECES_A_WORKER", 1)
    split_reading([texts], tmp_path / "graph", pieces=1, without=WITHOUT)
    with _killing(3) as killed:
        assert read_on_ray(tmp_path / "graph", workers=1) == {}
    assert len(killed) == 3
    assert len(Plan.read(tmp_path / "graph").pieces) == 2
    take_in_pieces(tmp_path / "graph")
    assert graph_bytes(tmp_path / "graph") == graph_bytes(whole)


def test_a_document_that_is_left_alone_has_failed(texts: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    split_reading([texts / "eggs.jsonl"], graph, pieces=1, without=WITHOUT)
    divided = 0
    while divide_or_give_up(graph, 0, "the process died"):
        divided += 1
    assert divided == 3  # Of eight documents.
    plan = Plan.read(graph)
    assert [[portion.parts for portion in piece] for piece in plan.pieces] == [[8], [2], [4], [8]]
    report = take_in_pieces(graph).report
    assert ScriptGraph.open(graph).manifest.rows("Source") == 1
    assert "the process died" in (graph / "discarded.jsonl").read_text(encoding="utf-8")
    assert report.run.sources_read == 0


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text("I boiled the water and drank the tea with my friends.\n", encoding="utf-8")
    split_reading([tmp_path / "tea.txt"], tmp_path / "graph", pieces=1, without=WITHOUT)
    (tmp_path / "tea.txt").write_text("I boiled the water and drank the coffee with my friends.\n", encoding="utf-8")
    (reason,) = read_on_ray(tmp_path / "graph", workers=1).values()
    assert "the file has changed" in reason


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
        build_on_ray([texts], tmp_path / "graph", workers=1, without=WITHOUT)


def test_ctrl_c_ends_all_actors(texts: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cli", "build-graph", str(texts), "-o", str(tmp_path / "graph"), "--engine", "ray"]
    process = subprocess.Popen([*command, "--jobs", "2"], stderr=subprocess.PIPE, start_new_session=True)
    end = time.monotonic() + _SECONDS
    while not (actors := _reading_now(process.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    assert actors
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=_SECONDS)
    assert process.returncode == 130
    assert b"interrupted" in errors
    _, alive = psutil.wait_procs(actors, timeout=_SECONDS)
    assert not alive
