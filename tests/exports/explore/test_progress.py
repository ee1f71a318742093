"""How far the writing of a page is: on a terminal only."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from exports.views.explore.page import make_page
from kgscripts import ScriptGraph
from tests.terminals import on_terminal


def test_scripts_are_counted(kitchen: ScriptGraph) -> None:
    seen: list[tuple[int, int]] = []
    make_page(kitchen, progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen == [(0, 2), (1, 2), (2, 2)]
    seen.clear()
    make_page(kitchen, ["making coffee"], progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen == [(0, 1), (1, 1)]


def test_a_terminal_shows_the_count(kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed, shown = on_terminal(monkeypatch, "explore", kitchen.directory, "-o", tmp_path / "page.html")
    assert printed.startswith("wrote ")
    assert "writing scripts" in shown
    assert "2/2" in shown


def test_a_pipe_shows_nothing(kitchen: ScriptGraph, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli.app, ["explore", str(kitchen.directory), "-o", str(tmp_path / "page.html")])
    assert done.stdout.startswith("wrote ")
    assert done.stderr == ""
