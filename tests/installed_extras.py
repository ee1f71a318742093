"""Installs each extra alone into a fresh environment, and runs a command that needs it: `make test-extras`.

The core is installed once, without an extra. The environment of an extra holds what the extra adds, and finds the core
by a path file. In the core alone the command must fail and name the extra.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path

import httpx

from tests.extras import EXTRAS, Extra, prepare

_ROOT = Path(__file__).resolve().parents[1]
_SECONDS = 600


def main() -> int:
    """Try the extras that are named, or all; print a line each and return the number of those that fail."""
    names = sys.argv[1:] or list(EXTRAS)
    with tempfile.TemporaryDirectory(prefix="kgscripts-extras-") as name:
        folder = Path(name)
        prepare(folder)
        core = _environment(folder / "core")
        _install(core, str(_ROOT))
        print(_run(core, ("build-graph", folder / "tea.txt", "-o", folder / "graph"), ""), flush=True)
        failed = [name for name in names if not _is_fine(name, folder, core)]
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return len(failed)


def _is_fine(name: str, folder: Path, core: Path) -> bool:
    extra = EXTRAS[name]
    began = time.monotonic()
    without = _run(core, extra.needed_by(folder), extra.says)
    python = _environment(folder / name, core)
    _install(python, f"kgscripts[{','.join((name, *extra.beside))}]")
    shown = _served(python, extra, folder) if name == "serve" else _run(python, extra.needed_by(folder), extra.says)
    is_named = f"pip install 'kgscripts[{(*extra.beside, name)[0]}]'" in without
    is_fine = is_named and extra.shows in shown
    print(f"{name}: {'ok' if is_fine else 'FAILED'} ({time.monotonic() - began:.0f} s)", flush=True)
    if not is_fine:
        print(f"without it:\n{without}\nwith it:\n{shown}", flush=True)
    return is_fine


def _environment(folder: Path, core: Path | None = None) -> Path:
    """The interpreter of a new environment, which also has what that of `core` has."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    if core is not None:
        (site,) = folder.glob("lib/python*/site-packages")
        (of_core,) = core.parents[1].glob("lib/python*/site-packages")
        (site / "core.pth").write_text(f"{of_core}\n", encoding="utf-8")
    return python


def _install(python: Path, what: str) -> None:
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check")
    subprocess.run([*pip, "-c", _ROOT / "constraints.txt", what], check=True, cwd=python.parent)


def _command(python: Path, arguments: Sequence[object]) -> list[str]:
    return [str(python), "-m", "cli", *map(str, arguments)]


def _run(python: Path, arguments: Sequence[object], says: str) -> str:
    """What the command prints, on one line."""
    done = subprocess.run(
        _command(python, arguments),
        input=says,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=python.parent,
        timeout=_SECONDS,
        env=os.environ | {"COLUMNS": "80"},
    )
    return " ".join(done.stdout.split())


def _served(python: Path, extra: Extra, folder: Path) -> str:
    """What the server prints, once it has answered."""
    arguments = extra.needed_by(folder)
    server = subprocess.Popen(_command(python, arguments), stderr=subprocess.PIPE, text=True, cwd=python.parent)
    answer = ""
    try:
        while not answer and server.poll() is None:
            try:
                answer = httpx.get(f"http://127.0.0.1:{arguments[-1]}/health", timeout=_SECONDS).text
            except httpx.ConnectError:
                time.sleep(0.1)
    finally:
        server.send_signal(signal.SIGINT)
        _, printed = server.communicate(timeout=_SECONDS)
    return printed if answer else ""


if __name__ == "__main__":
    sys.exit(main())
