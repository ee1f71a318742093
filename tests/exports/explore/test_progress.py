"""How far the writing of a page is: on a terminal only."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from exports.explore.page import make_page
from schemas.script_graph import ScriptGraph


def test_scripts_are_counted(kitchen: ScriptGraph) -> None:
    seen: list[tuple[int, int]] = []
    make_page(kitchen, progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    seen.clear()
    make_page(kitchen, ["making coffee"], progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen == [(0, 1), (1, 1)]


def command(graph: ScriptGraph, file: Path) -> list[str]:
    return [sys.executable, "-m", "cli", "explore", str(graph.directory), "-o", str(file)]


def test_a_terminal_shows_the_count(kitchen: ScriptGraph, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command(kitchen, tmp_path / "page.html"), stdout=subprocess.DEVNULL, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        # When the last program has closed a terminal, reading from it is an error.
        with suppress(OSError):
            while piece := os.read(ours, 4096):
                shown += piece
        os.close(ours)
    assert process.returncode == 0
    assert b"writing scripts" in shown
    assert b"2/2" in shown


def test_a_pipe_shows_nothing(kitchen: ScriptGraph, tmp_path: Path) -> None:
    done = subprocess.run(command(kitchen, tmp_path / "page.html"), capture_output=True, check=True)
    assert done.stdout.startswith(b"wrote ")
    assert done.stderr == b""
