"""The log of a command: quiet by default, what it holds, and where it is not written."""

from __future__ import annotations

import json
import logging
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError
from schemas.logs import log_failure, phase, start_log
from tests.assembly.tiny_reader import tiny

_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (DEBUG|INFO|WARNING|ERROR) ([\w.]+): (.*)")


@pytest.fixture(autouse=True)
def no_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("KGSCRIPTS_LOG", raising=False)
    yield
    monkeypatch.delenv("KGSCRIPTS_LOG", raising=False)
    start_log(None)


def lines_of(file: Path) -> list[tuple[str, str, str]]:
    """Level, logger and message of each record; further lines of a record are left out."""
    matches = map(_LINE.fullmatch, file.read_text(encoding="utf-8").splitlines())
    return [match.groups() for match in matches if match]  # type: ignore[misc]


def messages_of(file: Path) -> list[str]:
    return [message for _, _, message in lines_of(file)]


def test_a_build_logs_its_phases_and_what_it_sets_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts.jsonl"
    good = {"text": "Boil the water.", "id": "good"}
    texts.write_text(json.dumps(good) + "\n{broken\x1b\n" + "[]\n" * 3, encoding="utf-8")
    start_log(tmp_path / "log")
    build_graph([texts], tmp_path / "graph", extractors=tiny())
    assert capsys.readouterr() == ("", "")
    messages = messages_of(tmp_path / "log")
    phases = ["looking at 1 inputs", "reading with ", f"assembling {tmp_path / 'graph'}"]
    for what in phases:
        assert sum(message.startswith(what) for message in messages) == 2
        assert any(re.fullmatch(rf"{re.escape(what)}.*: done in \d+\.\d s", message) for message in messages)
    aside = [message for message in messages if message.startswith("set aside: ")]
    assert [re.search(r":(\d): malformed record", message)[1] for message in aside] == ["2", "3", "4", "5"]  # type: ignore[index]
    assert "\x1b" not in (tmp_path / "log").read_text(encoding="utf-8")
    assert {level for level, _, _ in lines_of(tmp_path / "log")} == {"INFO"}


def test_nothing_is_logged_unless_it_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start_log(None)
    with phase(logging.getLogger("kgscripts.some"), "some work"):
        log_failure(ValueError("no"), traceback=True)
    assert capsys.readouterr() == ("", "")
    assert not any(tmp_path.iterdir())


def test_the_level_is_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = logging.getLogger("kgscripts.some")
    for level, expected in (("", ["INFO", "WARNING"]), ("Debug", ["DEBUG", "INFO", "WARNING"]), ("error", [])):
        monkeypatch.setenv("KGSCRIPTS_LOG", level)
        start_log(tmp_path / f"{level}.log")
        for number in (logging.DEBUG, logging.INFO, logging.WARNING):
            log.log(number, "said")
        assert [found for found, _, _ in lines_of(tmp_path / f"{level}.log")] == expected
        # Whatever the level of the file: warnings are printed as they are without a log.
        assert capsys.readouterr().err == "said\n"
    monkeypatch.setenv("KGSCRIPTS_LOG", "info")
    start_log(None)
    log.info("on the screen\x1b")
    log.debug("not there")
    assert [_LINE.fullmatch(line)[3] for line in capsys.readouterr().err.splitlines()] == [r"on the screen\x1b"]  # type: ignore[index]
    monkeypatch.setenv("KGSCRIPTS_LOG", "loud")
    with pytest.raises(ConfigurationError, match="'loud' is no level"):
        start_log(None)


def test_warnings_of_python_are_logged_and_printed(tmp_path: Path) -> None:
    shown: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: shown.append(str(message))
        start_log(tmp_path / "log")
        warnings.warn("old name", DeprecationWarning, stacklevel=1)
        start_log(None)
        warnings.warn("another", DeprecationWarning, stacklevel=1)
    assert shown == ["old name", "another"]
    assert lines_of(tmp_path / "log") == [("WARNING", "py.warnings", "DeprecationWarning: old name")]


def test_a_command_logs_its_beginning_its_end_and_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--log-file", str(tmp_path / "log"), "schema", "context"]
    assert CliRunner().invoke(cli.app, arguments).exit_code == 0
    first, last = messages_of(tmp_path / "log")
    assert first == "kgscripts schema"
    assert last.startswith("kgscripts schema: done in ")
    monkeypatch.setattr("sys.argv", ["kgscripts", *arguments[:2], "show", str(tmp_path / "nowhere")])
    with pytest.raises(SystemExit):
        cli.main()
    assert capsys.readouterr().err.count("there is no graph") == 1
    level, _, message = lines_of(tmp_path / "log")[-1]
    assert (level, message) == ("ERROR", f"GraphDirectoryError: {tmp_path / 'nowhere'}: there is no graph")
    assert len(messages_of(tmp_path / "log")) == 5, "a log is continued"


@pytest.mark.parametrize("name", ["text", "folder", "no/such/folder", "pipe"])
def test_a_log_is_written_to_no_other_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("I boiled the water.\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError) as error:
        start_log(tmp_path / name)
    assert str(tmp_path / name) == error.value.where
    assert (tmp_path / "text").read_text(encoding="utf-8") == "I boiled the water.\n"
