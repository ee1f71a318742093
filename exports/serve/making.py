"""What a served graph lacks is made beside the server, which answers what it can meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock, Thread

from exports.preparing import STORES
from schemas.errors import StoreMissingError, explain
from schemas.operating_system import lower_priority
from schemas.terminal import echo, printable

_SECONDS_TO_TRY_AGAIN = 60.0
"""After a failure."""
_MADE = {**STORES, "page": "the page"}


_Work = Callable[[], object]


class Making:
    """Runs `kgscripts prepare` for a graph directory; does `first` meanwhile, and `then` afterwards."""

    def __init__(self, directory: Path, first: Sequence[_Work], then: Sequence[_Work]) -> None:
        self._directory = directory
        self._first, self._then = first, then
        self._lock = Lock()
        self._is_wanted = self._is_running = self._has_ended = False
        self._process: subprocess.Popen[str] | None = None
        self._failure = ""
        self._tries_again_at = 0.0

    def start(self) -> None:
        """Make what is missing in another thread, once more if that runs already."""
        with self._lock:
            self._is_wanted = not self._has_ended
            if self._is_wanted and not self._is_running:
                self._is_running = True
                Thread(target=self._run, daemon=True).start()

    def missing(self, kind: str) -> StoreMissingError:
        """The error for a request that needs what is not there, which is made unless that has just failed."""
        if not self._is_running and time.monotonic() >= self._tries_again_at:
            self.start()
        if self._is_running:
            return StoreMissingError(
                f"this waits for {_MADE[kind]}, which is being made", remedy="ask again in some seconds"
            )
        return StoreMissingError(f"{_MADE[kind]} is missing, and could not be made: {self._failure}")

    def end(self) -> None:
        """End the process. What it has made stays, and the next one goes on."""
        with self._lock:
            self._has_ended, self._is_wanted = True, False
            if self._process is not None:
                self._process.terminate()

    def _run(self) -> None:
        while True:
            with self._lock:
                self._is_running, self._is_wanted = self._is_wanted, False
                if not self._is_running:
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
            self._do(self._first)
            for line in self._process.stderr or ():
                self._failure = line.strip() if line.startswith(("making", "error")) else self._failure + line.rstrip()
                echo(printable(line.rstrip()), err=True)
            has_failed = self._process.wait() != 0
            if self._has_ended:
                return
            self._tries_again_at = time.monotonic() + _SECONDS_TO_TRY_AGAIN * has_failed
            if not has_failed:
                self._do(self._then)
            said = "not all could be made: some requests get 503" if has_failed else "ready"
            echo(f"{said}: {printable(str(self._directory))}", err=True)

    def _do(self, works: Sequence[_Work]) -> None:
        """Do what spares requests time; they say themselves what is wrong where that fails."""
        for work in works:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - the thread goes on
                echo(f"{printable(str(self._directory))}: {printable(explain(error))}", err=True)
