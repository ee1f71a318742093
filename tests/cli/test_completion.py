"""`kgscripts --install-completion` asks before it writes to files of the shell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from schemas.errors import ConfigurationError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def install(shell: str | None, answer: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the command prints for a shell and an answer."""
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: shell)
    result = CliRunner().invoke(cli.app, ["--install-completion"], input=answer, prog_name="kgscripts")
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "pwsh"])
@pytest.mark.parametrize("answer", ["n\n", "\n"])
def test_without_consent_nothing_is_written(
    shell: str, answer: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = install(shell, answer, monkeypatch)
    assert "nothing was written; `kgscripts --show-completion` prints" in output
    assert not any(home.iterdir())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_is_written_is_what_was_named(shell: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = install(shell, "y\n", monkeypatch)
    named = {line.strip().partition(" (")[0] for line in output.splitlines() if line.startswith("  ")}
    assert {str(path) for path in home.rglob("*") if path.is_file()} == named
    assert any("kgscripts" in Path(path).read_text(encoding="utf-8") for path in named)


def test_nobody_to_ask_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="nobody answers, and nothing was written"):
        install("bash", "", monkeypatch)
    assert not any(home.iterdir())


@pytest.mark.parametrize("shell", [None, "ksh"])
def test_an_unknown_shell_is_an_error(shell: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="there is no completion for the shell"):
        install(shell, "y\n", monkeypatch)


def test_completion_still_works(home: Path) -> None:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "_KGSCRIPTS_COMPLETE": "complete_bash"}
    environment |= {"COMP_WORDS": "kgscripts sho", "COMP_CWORD": "1"}
    code = "import sys; sys.path[:0] = ['.']; sys.argv = ['kgscripts']; import cli; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["show"]
