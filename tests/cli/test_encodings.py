"""Terminals of any encoding, closed and full outputs, and Ctrl-C while the program starts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.exports.kitchen import kitchen_rows
from tests.graphs import write_graph

_ODD = "é → 日本 🍝 "
_QUICKLY = ("--extractors", "labels")
"""So that no model is loaded."""
_SPARQL = "SELECT ?label { ?s a kgs:Scenario ; skos:prefLabel ?label } ORDER BY ?label"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encodings")
    rows = kitchen_rows()
    for table in ("Scenario", "SubEvent", "Tool"):
        for row in rows[table]:
            row["label"] = _ODD + row["label"]
    write_graph(folder / "graph", rows)
    (folder / f"{_ODD}.txt").write_text(f"{_ODD}\n\nBoil the water in a pot. Drain the pasta.\n", encoding="utf-8")
    return folder


# The console script; it says when `cli` begins to import others, before which Ctrl-C is the interpreter's.
_SCRIPT = """
import os, sys
class Ready:
    said = False
    def find_spec(self, name, path, target=None):
        if name != "cli" and not Ready.said:
            Ready.said = True
            os.write(2, b"ready\\n")
sys.meta_path.insert(0, Ready())
from cli import main
sys.exit(main())
"""


def _start(*arguments: str, stdout: int = subprocess.PIPE, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "80", "PYTHONPATH": str(Path(__file__).resolve().parents[2]), **environment},
        # Where the tests run in the background, a shell has made Ctrl-C ignored, and processes inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


_LOCALES = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize("locale", _LOCALES)
def test_every_command_runs_without_unicode(folder: Path, locale: str) -> None:
    """One process calls all commands, each as the console script does."""
    graph, query = str(folder / "graph"), ["query", str(folder / "graph"), "--sparql", _SPARQL]
    commands = [["show", graph], ["show", graph, "--json"], query, [*query, "--json"], [*query, "--format", "csv"]]
    if locale == "ascii":
        commands += [
            ["export", graph, str(folder / f"{_ODD}.ttl")],
            ["validate", graph, "--sample", "1"],
            ["build-graph", str(folder / f"{_ODD}.txt"), "-o", str(folder / f"built {_ODD}"), *_QUICKLY],
        ]
    code = (
        "import json, sys, cli\n"
        "for arguments in json.loads(sys.argv[1]):\n"
        "    sys.argv = ['kgscripts', *arguments]\n"
        "    try:\n        cli.main()\n"
        "    except SystemExit as ended:\n"
        "        print('\\n---', ended.code, flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(commands)],
        capture_output=True,
        env={**os.environ, **_LOCALES[locale]},
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"fault" not in done.stderr
    *shown, last = done.stdout.decode("ascii").split("\n---")
    assert [int(part.split("\n")[0]) for part in (*shown[1:], last)] == [0] * len(commands)
    tree, as_json, table, result, csv = shown[:5]
    for text in (tree, table, csv):
        assert "\\xe9 \\u2192 \\u65e5\\u672c \\U0001f35d cooking pasta" in text
    assert json.loads(as_json.partition("\n")[2])["scenarios"][0]["label"] == f"{_ODD}cooking pasta"
    assert json.loads(result.partition("\n")[2])["rows"][0] == [f"{_ODD}cooking pasta"]


def test_a_full_or_closed_output_is_an_error(folder: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        process = _start("show", str(folder / "graph"), stdout=full.fileno())
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"No space left on device" in errors
    assert b"Traceback" not in errors
    for closed, arguments in (("1", ["show", str(folder / "graph")]), ("0 2", ["show", "nowhere"])):
        redirections = " ".join(f"{number}>&-" for number in closed.split())
        process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" -m kgscripts "$@" {redirections}', sys.executable, *arguments],
            stderr=subprocess.PIPE,
        )
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 2
        assert b"Traceback" not in errors
        assert closed != "1" or b"standard output is closed" in errors


def test_ctrl_c_while_starting_is_never_a_traceback() -> None:
    began = time.monotonic()
    whole = _start("extractors", "list")
    assert whole.communicate(timeout=60)[1] == b"ready\n"
    seconds = time.monotonic() - began
    interrupted = 0
    for part in (0.02, 0.15, 0.3, 0.5, 0.1, 0.2, 0.05, 0.01):
        process = _start("extractors", "list")
        assert process.stderr is not None
        assert process.stderr.readline() == b"ready\n"
        time.sleep(part * seconds)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert errors in (b"", b"interrupted\n")
        # As it ends, the interpreter itself gives the signal back to the system: 130 to a shell, too.
        assert process.returncode in (0, 130, -signal.SIGINT)
        interrupted += process.returncode != 0
        if interrupted == 4:
            return
    assert interrupted >= 2


# What is interrupted is no code but a destructor: Python prints such a KeyboardInterrupt and goes on.
_LOST = """
import signal, sys
class Destroyed:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == module:
            Destroyed()
module = sys.argv.pop(1)
sys.meta_path.insert(0, Finder())
from cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "exports.commands"])
def test_a_ctrl_c_that_python_only_prints_is_raised_again(module: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LOST, module, "validate", str(folder / "graph")],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr in (b"", b"interrupted\n")
