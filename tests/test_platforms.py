"""What Linux has and macOS or Windows lacks: one module uses it, and does without it.

Neither system is at hand: their lacks are imitated by taking names away.
"""

from __future__ import annotations

import ast
import os
import signal
import stat
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from exports.query import confined, engine_process
from kgscripts.assembly.engine import default_memory
from kgscripts.pipeline import build_graph
from schemas import operating_system
from schemas.input_files import open_input
from schemas.output_files import check_outputs, write_lines
from tests.commands import run
from tests.platform_names import found, is_lacking

_ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = ("cli.py", "exports", "kgscripts", "lightning_modules", "schemas")
_MAY = {
    "schemas/operating_system.py",
    # It is run before a module of ours can be imported, and limits its process as only Linux can.
    "exports/query/confined_child.py",
}

_SCRIPT = """\
scenario: cooking pasta
steps:
  - id: fill
    name: fill the pot
    tools: [{thing: pot, role: container}]
  - id: boil
    name: boil the water
"""


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The modules of our packages see an `os` and a `signal` without the names that other systems lack."""
    poorer = {
        module: SimpleNamespace(
            **{name: value for name, value in vars(module).items() if not is_lacking(module.__name__, name)}
        )
        for module in (os, signal)
    }
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ("cli", "exports", "kgscripts", "lightning_modules", "schemas"):
            for library, instead in poorer.items():
                if getattr(module, library.__name__, None) is library:
                    monkeypatch.setattr(module, library.__name__, instead)
    platform = SimpleNamespace(platform="win32", executable=sys.executable, path=sys.path)
    for module in (operating_system, engine_process):
        monkeypatch.setattr(module, "sys", platform)
    monkeypatch.setattr(confined, "_children", [])


def _files() -> list[Path]:
    return [file for name in _PACKAGES for file in sorted((_ROOT / name).rglob("*.py")) or [_ROOT / name]]


def test_one_module_and_the_script_of_confined_processes_use_what_a_system_lacks() -> None:
    uses = {
        file.relative_to(_ROOT).as_posix(): list(found(ast.parse(file.read_text(encoding="utf-8"))))
        for file in _files()
    }
    assert {file: names for file, names in uses.items() if names and file not in _MAY} == {}
    assert {file for file in _MAY if uses[file]} == _MAY


@pytest.mark.parametrize(
    "code",
    [
        "import fcntl",
        "from resource import setrlimit",
        "import os\nos.fork()",
        "import os\nhasattr(os, 'sysconf')",
        "from os import O_NOFOLLOW",
        "import signal\nsignal.signal(signal.SIGUSR1, print)",
        "loop.add_signal_handler(2, print)",
        "subprocess.Popen('ls', preexec_fn=print)",
        "open('/proc/self/statm')",
        "f'/dev/fd/{number}'",
    ],
)
def test_the_names_that_a_system_lacks_are_found(code: str) -> None:
    assert list(found(ast.parse(code)))


def test_names_that_all_systems_have_are_no_finding() -> None:
    code = '"""/dev/stdout"""\nimport os, signal\nos.open(p, os.O_RDONLY); signal.SIGTERM; os.pipe(); os.kill(1, 2)'
    assert list(found(ast.parse(code))) == []


@pytest.mark.usefixtures("windows")
def test_without_the_names_a_graph_is_built_asked_and_exported(tmp_path: Path) -> None:
    assert run("--version").startswith("kgscripts ")
    (tmp_path / "pasta.yaml").write_text(_SCRIPT, encoding="utf-8")
    build_graph([tmp_path / "pasta.yaml"], tmp_path / "graph", extractors=["labels", "scripts", "events"])
    assert "pot" in run("show", tmp_path / "graph", "cooking pasta")
    query = ("SELECT ?label { ?action a kgs:Action ; rdfs:label ?label }", "--unconfined")
    assert "boil water" in run("query", tmp_path / "graph", "--sparql", *query)
    assert run("export", tmp_path / "graph", tmp_path / "graph.ttl").startswith("wrote ")
    assert (tmp_path / "graph.ttl").stat().st_size > 0
    confined._close_all()


@pytest.mark.usefixtures("windows")
def test_without_the_names_files_are_read_and_written(tmp_path: Path) -> None:
    write_lines(tmp_path / "file", ["a"])
    with open_input(tmp_path / "file") as stream:
        assert stream.read() == b"a\n"
    device = Path(os.devnull)
    assert stat.S_ISCHR(device.stat().st_mode)
    check_outputs(device)
    write_lines(device, ["a"])


@pytest.mark.usefixtures("windows")
def test_without_the_names_a_number_stands_in() -> None:
    assert operating_system.memory_bytes() == 8 << 30
    assert default_memory() == 2 << 30
    assert [operating_system.most_processes(wanted) for wanted in (1, 61, 500)] == [1, 61, 61]
    operating_system.after_fork_in_child(pytest.fail)


@pytest.mark.parametrize("answer", [-1, ValueError("unrecognized configuration name"), OSError(22, "invalid")])
def test_a_system_that_does_not_tell_its_memory_counts_as_having_8_gib(
    answer: int | Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sysconf(name: str) -> int:
        if name == "SC_PAGE_SIZE":
            return 4096
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(os, "sysconf", sysconf)
    assert operating_system.memory_bytes() == 8 << 30


def test_here_the_memory_is_what_the_system_says_and_pools_have_any_size() -> None:
    assert operating_system.memory_bytes() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert operating_system.most_processes(500) == 500
