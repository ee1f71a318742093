"""Commands whose standard error is a terminal."""

from __future__ import annotations

import io
import os
import threading
from contextlib import redirect_stderr, redirect_stdout, suppress

import pytest

import cli


def on_terminal(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> tuple[str, str]:
    """What a command, run in this process, prints to its standard output, and what it shows on a terminal."""
    for name, value in {"TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    ours, theirs = os.openpty()
    shown = bytearray()

    def collect() -> None:
        # When the last program has closed a terminal, reading from it is an error.
        with suppress(OSError):
            while piece := os.read(ours, 65_536):
                shown.extend(piece)

    # What nobody reads would make the command wait.
    reader = threading.Thread(target=collect)
    reader.start()
    printed = io.StringIO()
    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as terminal, redirect_stdout(printed), redirect_stderr(terminal):
            cli.app([str(argument) for argument in arguments], prog_name="kgscripts", standalone_mode=False)
    finally:
        reader.join()
        os.close(ours)
    return printed.getvalue(), shown.decode()
