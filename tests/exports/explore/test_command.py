"""`kgscripts explore`: what it writes and prints, and what it refuses."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from schemas.errors import KGScriptsError
from tests.graphs import write_graph


def run(*words: str) -> str:
    result = CliRunner().invoke(cli.app, ["explore", *words])
    if isinstance(result.exception, KGScriptsError):
        raise result.exception
    assert result.exit_code == 0, result.output
    assert all(len(line) <= 80 for line in result.output.splitlines() if not line.startswith("wrote"))
    return result.output


def test_it_writes_a_page_with_the_name_of_the_graph(
    kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = run(str(kitchen.directory))
    assert output.startswith("wrote kitchen.html: 0.")
    assert "2 scenarios on the page" in output
    assert "open it in a browser" in output
    page = Path("kitchen.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert str(tmp_path) not in page


def test_it_says_what_is_not_on_the_page(kitchen: ScriptGraph, tmp_path: Path) -> None:
    file = tmp_path / "new" / "coffee.html"
    output = run(str(kitchen.directory), "-o", str(file), "--scenario", "make coffee")
    assert "1 of 2 scenarios are on the page" in output
    assert "--scenario" in output
    assert [each.name for each in file.parent.iterdir()] == ["coffee.html"]


def test_it_opens_a_browser(kitchen: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", open_)
    run(str(kitchen.directory), "-o", str(tmp_path / "a b.html"), "--open")
    assert opened == [(tmp_path / "a b.html").as_uri()]
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert "no browser was found" in run(str(kitchen.directory), "-o", str(tmp_path / "c.html"), "--open")


@pytest.mark.parametrize("place", ["manifest.json", "nodes/Tool.parquet", "id", ".kgscripts"])
def test_it_replaces_no_file_of_the_graph(kitchen: ScriptGraph, place: str) -> None:
    file = kitchen.directory / place
    before = file.read_bytes()
    with pytest.raises(KGScriptsError, match="is an input"):
        run(str(kitchen.directory), "-o", str(file))
    assert file.read_bytes() == before


def test_it_writes_through_no_link_to_the_graph(kitchen: ScriptGraph, tmp_path: Path) -> None:
    (tmp_path / "link.html").symlink_to(kitchen.directory / "manifest.json")
    with pytest.raises(KGScriptsError, match="is an input"):
        run(str(kitchen.directory), "-o", str(tmp_path / "link.html"))


@pytest.mark.parametrize(
    "size", ["", "0", "0MB", "-1MB", "much", "3000", "1e3", "nan", "inf", "1.MB", "²MB", "1MBMB", "9" * 40, "\x00"]
)
def test_what_is_no_size_is_an_error(kitchen: ScriptGraph, tmp_path: Path, size: str) -> None:
    with pytest.raises(KGScriptsError, match="is not a size"):
        run(str(kitchen.directory), "-o", str(tmp_path / "page.html"), f"--max-size={size}")


@pytest.mark.parametrize(
    ("size", "fits"), [("20MB", True), ("20mb", True), ("0.9 MB", True), ("1000KB", True), ("3KB", False)]
)
def test_sizes(kitchen: ScriptGraph, tmp_path: Path, size: str, fits: bool) -> None:
    file = tmp_path / "page.html"
    if fits:
        run(str(kitchen.directory), "-o", str(file), "--max-size", size)
        assert file.exists()
        return
    with pytest.raises(KGScriptsError, match="does not fit") as error:
        run(str(kitchen.directory), "-o", str(file), "--max-size", size)
    assert re.search(r"allow [\d.]+ MB or more", str(error.value))
    assert not file.exists()


def test_other_bad_input(kitchen: ScriptGraph, tmp_path: Path) -> None:
    good = str(kitchen.directory)
    for words in (
        [str(tmp_path)],
        [str(tmp_path / "nothing")],
        [good, "-o", str(tmp_path)],
        [good, "-o", str(kitchen.directory / "manifest.json" / "page.html")],
        [good, "-o", str(tmp_path / "page.html"), "--scenario", "going home"],
        [good, "-o", str(tmp_path / "page.html"), "--scenario", ""],
    ):
        with pytest.raises(KGScriptsError):
            run(*words)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_graph(tmp_path: Path) -> None:
    write_graph(tmp_path / "empty", {})
    assert "0 scenarios on the page" in run(str(tmp_path / "empty"), "-o", str(tmp_path / "page.html"))
