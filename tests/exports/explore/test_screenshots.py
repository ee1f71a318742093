"""The pictures for the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import screenshots
from schemas.script_graph import ScriptGraph
from tests.graphs import write_graph


@pytest.mark.usefixtures("browser")
def test_a_picture_is_taken(kitchen: ScriptGraph, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert screenshots.main([str(kitchen.directory), str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "explore.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out.startswith("wrote ")


@pytest.mark.usefixtures("browser")
def test_what_cannot_be_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_graph(tmp_path / "empty", {})
    for arguments in ([], [str(tmp_path)], [str(tmp_path), str(tmp_path)], [str(tmp_path / "empty"), str(tmp_path)]):
        assert screenshots.main(arguments) == 2
        assert capsys.readouterr().err


def test_without_a_browser(kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROME_BIN", raising=False)
    monkeypatch.setenv("PATH", "")
    assert screenshots.main([str(kitchen.directory), str(tmp_path)]) == 2
