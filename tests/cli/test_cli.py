"""The root command: help without imports, exit codes, errors without traceback."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from lightning_modules.configuration import shipped_configurations


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command line in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "cli", *arguments], capture_output=True, text=True, cwd=cwd, check=False, timeout=120
    )


def test_help_lists_every_command_and_imports_nothing() -> None:
    code = (
        "import sys, cli\n"
        "try:\n    cli.app(['--help'])\nexcept SystemExit:\n    pass\n"
        "packages = ('kgscripts.commands', 'exports', 'spacy', 'torch', 'pyarrow', 'rdflib', 'networkx')\n"
        "print('IMPORTED', [name for name in packages if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "IMPORTED []" in result.stdout
    for name in cli.COMMANDS:
        assert name in result.stdout


def test_help_takes_less_than_seven_tenths_of_a_second_of_cpu() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run("--help").returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.7


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_every_command_has_help_with_an_example(name: str) -> None:
    groups = {
        "evaluate": ["text", "extraction", "cloze", "alignments", "slice"],
        "corpora": ["list", "fetch", "cloze", "merge", "agreement", "adjudicate", "scenarios"],
        "extractors": ["list"],
        "train": ["masked", "transducer", "aligner"],
    }
    for command in ["", *groups.get(name, [])]:
        arguments = [name, *([command] if command else []), "--help"]
        result = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, arguments)
        assert result.exit_code == 0, result.output
        assert "Example" in result.output, f"{name} {command}"
        assert max(map(len, result.output.splitlines())) <= 80


def test_lists_fit_eighty_columns() -> None:
    for arguments in (["corpora", "list"], ["extractors", "list"], ["--help"]):
        result = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, arguments)
        assert result.exit_code == 0, result.output
        assert max(map(len, result.output.splitlines())) <= 80


def test_help_of_train_names_its_configurations() -> None:
    shown = CliRunner().invoke(cli.app, ["train", "transducer", "--help"]).output
    assert [name for name in shipped_configurations("transducer") if name not in shown] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such-command"], "No such command"),
        (["build"], "No such command 'build'. Did you mean 'build-graph'?"),
        (["evaluate", "clozes"], "No such command 'clozes'. Did you mean 'cloze'?"),
        (["show"], "Missing argument"),
        (["show", "no-such-directory"], "there is no graph"),
        (["query", "no-such-directory", "--sparql", "ASK {}"], "there is no graph"),
        (["export", "no-such-directory", "graph.nq"], "there is no graph"),
        (["validate", "no-such-directory"], "there is no graph"),
        (["remove", "no-such-directory", "story"], "no-such-directory"),
        (["build-graph", "no-such-input", "-o", "graph"], "no-such-input"),
    ],
)
def test_errors_have_a_message_and_exit_code_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["kgscripts", *arguments])
    assert _main() == 2
    result = capfd.readouterr()
    assert message in result.err.replace("\n", " ")
    assert "Traceback" not in result.err
    assert result.out == ""
    assert not any(tmp_path.iterdir()), "nothing is left behind"


def _main() -> object:
    """The exit code of `cli.main`, which takes over the signal of Ctrl-C for good."""
    on_interrupt = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main()
    finally:
        signal.signal(signal.SIGINT, on_interrupt)
    return ended.value.code


def test_an_interrupt_in_another_error_is_one(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python 3.11 makes a RuntimeError of what interrupts the making of a class."""

    def interrupted() -> int:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr(cli, "_run", interrupted)
    assert (_main(), capfd.readouterr().err) == (130, "interrupted\n")


def test_an_error_ends_the_process_with_code_2(tmp_path: Path) -> None:
    result = run("show", "no-such-directory", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "there is no graph" in result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    result = run("--debug", "show", "no-such-directory", cwd=tmp_path)
    assert result.returncode != 0
    assert "Traceback" in result.stderr


def test_version() -> None:
    assert run("--version").stdout.startswith("kgscripts 0.")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "kgscripts", "--version"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("kgscripts 0."), done.stderr


def test_a_closed_pipe_is_not_an_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [sys.executable, "-m", "cli", "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert "Traceback" not in result.stderr
