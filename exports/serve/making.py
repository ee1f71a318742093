"""What a served graph lacks is made beside the server, which answers what it can meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread

from exports.preparing import STORES
from schemas.errors import StoreMissingError
from schemas.operating_system import lower_priority
from schemas.terminal import echo, printable

_SECONDS_TO_TRY_AGAIN = 60.0
"""After a failure."""


class Making:
    """Runs `kgscripts prepare` for a graph directory, and then what fills the memory of the server."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = Lock()
        self._next: Callable[[], object] | None = None
        self._is_running = False
        self._has_ended = False
        self._process: subprocess.Popen[str] | None = None
        self._failure = ""
        self._failed_at = 0.0

    def start(self, warm: Callable[[], object]) -> None:
        """Make what is missing and then call `warm`, both in another thread, once more if that runs already."""
        with self._lock:
            self._next = warm
            if not self._is_running and not self._has_ended:
                self._is_running = True
                Thread(target=self._run, daemon=True).start()

    def missing(self, kind: str, warm: Callable[[], object]) -> StoreMissingError:
        """The error for a request that needs a store that is not there, which is made unless that has just failed."""
        if not self._is_running and time.monotonic() - self._failed_at > _SECONDS_TO_TRY_AGAIN:
            self.start(warm)
        what = STORES[kind]
        if self._is_running:
            return StoreMissingError(f"this waits for {what}, which is being made", remedy="ask again in some seconds")
        return StoreMissingError(f"{what} is missing, and could not be made: {self._failure}")

    def end(self) -> None:
        """End the process. What it has made stays, and the next one goes on."""
        with self._lock:
            self._has_ended, self._next = True, None
            if self._process is not None:
                self._process.terminate()

    def _run(self) -> None:
        while True:
            with self._lock:
                warm, self._next = self._next, None
                if warm is None:
                    self._is_running = False
                    return
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "kgscripts", "prepare", str(self._directory)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                    start_new_session=True,
                )
            lower_priority(self._process.pid)
            for line in self._process.stderr or ():
                self._failure = line.strip() if line.startswith(("making", "error")) else self._failure + line.rstrip()
                echo(printable(line.rstrip()), err=True)
            has_failed = self._process.wait() != 0
            if self._has_ended:
                return
            if has_failed:
                self._failed_at = time.monotonic()
            warm()
            said = "not all could be made: some requests get 503" if has_failed else "ready"
            echo(f"{said}: {printable(str(self._directory))}", err=True)
