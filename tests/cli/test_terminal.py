"""The one way to print: what a terminal would obey is escaped, and everything else is as it was."""

from __future__ import annotations

import ast
import io
import json
import logging
import sys
import unicodedata
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from schemas.terminal import (
    console,
    echo,
    echo_json,
    json_text,
    open_standard_streams,
    printable,
    printable_lines,
    progress_bar,
    write_data,
)

_ROOT = Path(__file__).resolve().parents[2]
_PRINTERS = {"print", "echo", "secho", "prompt", "confirm", "Console", "getpass", "input"}
_CLASSES = {"Console", "Progress", "Live", "Status", "Prompt", "print"}
"""Of rich, which have no use but to print."""


def _calls_of_printers(source: str) -> list[str]:
    """Calls that print without `schemas.terminal`, as source text."""
    tree = ast.parse(source)
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "schemas.terminal"
        for alias in node.names
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rich"):
            found += [alias.name for alias in node.names if alias.name in _CLASSES]
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        owner, _, name = called.rpartition(".")
        is_printer = name in _PRINTERS and name not in ours and owner in ("", "typer", "click", "rich", "console")
        if is_printer or called in ("sys.stdout.write", "sys.stderr.write", "sys.stdout.writelines"):
            found.append(ast.unparse(node))
    return found


def test_only_the_terminal_prints() -> None:
    packages = ("schemas", "exports", "kgscripts", "lightning_modules")
    files = [_ROOT / "cli.py", *(file for name in packages for file in (_ROOT / name).rglob("*.py"))]
    assert len(files) > 150
    found = {
        str(file.relative_to(_ROOT)): calls
        for file in files
        if file != _ROOT / "schemas" / "terminal.py" and (calls := _calls_of_printers(file.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize("source", ["print(1)", "typer.echo(1)", "from rich.progress import Progress"])
def test_other_printers_are_found(source: str) -> None:
    assert _calls_of_printers(source)
    assert not _calls_of_printers("from schemas.terminal import echo\necho(1)")


@settings(max_examples=50)
@given(st.text(st.characters(exclude_categories=())))
def test_printable_text_has_no_control_characters(text: str) -> None:
    shown = printable(text)
    assert not [
        char
        for char in shown
        if unicodedata.category(char)[0] == "C" and char not in "\u200c\u200d" and unicodedata.category(char) != "Cn"
    ]
    assert shown.splitlines() in ([], [shown])
    assert printable_lines(f"{text}\n{text}") == "\n".join(map(printable, (f"{text}\n{text}").split("\n")))
    if text.isprintable():
        assert shown == text


@settings(max_examples=50)
@given(
    st.recursive(
        st.text(st.characters(exclude_categories=())), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_keeps_its_value_without_control_characters(value: object) -> None:
    text = json_text(value)
    assert json.loads(text) == value
    assert printable_lines(text) == text
    assert "\n" not in json_text(value, indent=None)


@pytest.mark.parametrize("text", ["नमस्ते", "شما می\u200cخواهید", "👩\u200d👩\u200d👧 e\u0301", "日本語 → ½"])
def test_text_of_all_languages_is_as_it_was(text: str) -> None:
    assert printable(text) == text


def test_rich_shows_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("[b]\x1b", title="[/i] :smile:")
    table.add_row("[link=http://x]\x9b\u202e")
    screen = console(width=60)
    screen.print(table, Text(printable("\x1b]8"), style="bold"))
    screen.print("[/] 'a' 1.5")
    shown = capsys.readouterr().out
    for part in ("[/i] :smile:", "[b]\\x1b", "[link=http://x]\\x9b\\u202e", "\\x1b]8", "[/] 'a' 1.5"):
        assert part in shown
    assert "\x1b" not in shown


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_has_a_total_or_no_count(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar() as bar:
        bar.add_task("[/b]\x9breading", total=None)
        bar.add_task("writing", total=2_000, completed=1_000)
        bar.refresh()
    shown = screen.getvalue()
    assert "[/b]\\x9breading" in shown
    assert "1,000/2,000" in shown
    assert "?" not in shown.replace("\x1b[?25", "")


def test_no_progress_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar() as bar:
        bar.update(bar.add_task("reading", total=3), advance=1)
    assert capsys.readouterr().err == ""


def test_data_is_exact_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_data("a\t\x1b\n")
    assert capsys.readouterr().out == "a\t\x1b\n"
    screen = _Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    write_data("a\t\x1b\n")
    assert screen.getvalue() == "a\t\\x1b\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding=encoding, errors="strict"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict"))
    open_standard_streams()
    values = ["é → 日本 🍝 \udcff"]
    echo_json(values)
    sys.stdout.flush()
    assert json.loads(content.getvalue().decode(encoding)) == values
    echo(values[0])
    table = Table("日本")
    table.add_row("…")
    console().print(table)
    sys.stdout.flush()


def test_warnings_and_logs_of_libraries_are_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "lastResort", logging.lastResort)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    open_standard_streams()
    warnings.showwarning(UserWarning("a \x1b[31m"), UserWarning, "file \x9b", 1)
    assert isinstance(logging.lastResort, logging.Handler)
    logging.lastResort.handle(logging.LogRecord("x", logging.WARNING, "", 1, "b \x1b[31m \u202e", (), None))
    shown = capsys.readouterr().err
    assert "a \\x1b[31m" in shown
    assert "b \\x1b[31m \\u202e" in shown
    assert "\x1b" not in shown
