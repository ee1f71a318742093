"""Child processes that work on one store with an engine: a crash of the engine ends only them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

from attrs import define, field, frozen

from exports.query.confined_child import LENGTH
from exports.query.watchdog import act_after
from schemas.arguments import check_number, check_seconds
from schemas.errors import ConfigurationError, QueryError, StoreError
from schemas.results import Table

_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


@define(eq=False)
class Child:
    """A running script, and this process's end of the pipe that ends it (`confined_child.end_with_parent`)."""

    process: subprocess.Popen[bytes]
    _life: int

    @classmethod
    def start(
        cls, script: Path, store: Path, settings: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> Self:
        """Start `script` with JSON in its argument: the `settings`, the `store`, where modules are, and the pipe."""
        content = {
            **settings,
            "store": str(store),
            # Without a directory that is relative to the current one.
            "path": [str(script.parents[1]), *(entry for entry in sys.path if Path(entry).is_absolute())],
            "parent": None,
        }
        inherited: tuple[int, ...] = ()
        life = -1
        if sys.platform != "win32":
            end, life = os.pipe()
            content["parent"] = end
            inherited = (end,)
        try:
            process = subprocess.Popen(
                # No variables, no site and no current directory: only the arguments decide what it imports.
                [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(script), json.dumps(content)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=inherited,
                # Ctrl-C on the terminal is for this process, which then ends the child.
                start_new_session=True,
                cwd=store.anchor,
                env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
                | dict(environment or {}),
            )
        except BaseException:
            if life >= 0:
                os.close(life)
            raise
        finally:
            for descriptor in inherited:
                os.close(descriptor)
        return cls(process, life)

    @property
    def pipes(self) -> tuple[Any, Any]:
        """Its standard input and output."""
        return self.process.stdin, self.process.stdout

    def end(self) -> None:
        """Kill it, if it has not ended."""
        self._close_life()
        self.process.kill()
        self.process.wait()
        for pipe in self.pipes:
            with suppress(OSError):
                pipe.close()

    def forget(self) -> None:
        """Close the copies of the pipes that a fork made; the process belongs to the parent."""
        self._close_life()
        # Or `Popen` would look after it as it is deleted, and may warn of it.
        self.process.returncode = 0

    def _close_life(self) -> None:
        if self._life >= 0:
            os.close(self._life)
            self._life = -1


MAX_ROWS = 1_000_000
"""The default limit of the number of rows of a result."""
MAX_BYTES = 256 << 20
"""The limit of the size of a result, in bytes of JSON."""
MEMORY = 2 << 30
"""Bytes of address space that the process may use besides what the opened store takes."""
_CHILD = Path(__file__).with_name("confined_child.py")
_SHORTER = "end the query with LIMIT"
Row = TypeVar("Row")


class EngineError(Exception):
    """The message of an engine that refuses a query; `is_syntax` if it does not parse."""

    def __init__(self, message: str, *, is_syntax: bool) -> None:
        super().__init__(message)
        self.is_syntax = is_syntax


@frozen(kw_only=True)
class Limits:
    """The limits of a query: seconds, rows of its result and their size in bytes of JSON, and whether its process is
    confined."""

    timeout: float
    max_rows: int = MAX_ROWS
    max_bytes: int = MAX_BYTES
    confined: bool = True


@frozen(kw_only=True)
class Serialised:
    """A result as text: its `kind` is ``solutions`` or ``triples``, and `media_type` is "" if it is wanted in none."""

    kind: str
    media_type: str
    content: bytes = field(repr=False)


def check_limits(timeout: object, max_rows: object) -> None:
    """Raise ConfigurationError unless these are a number of seconds and a number of rows."""
    check_seconds("timeout", timeout)
    check_number("max_rows", max_rows, most=1 << 62)


class EngineProcess:
    """A child process over one store, started when it is first asked and after each failure.

    Who asks takes it before; the answer gives it back.
    """

    def __init__(self, engine: str, store: Path, confined: bool) -> None:
        self._engine = engine
        self._store = store
        self._memory = MEMORY if confined else None
        self.waiting = 0
        """How many wait to take it."""
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._opened: tuple[int, int, int] | None = None
        self._is_late = False

    def is_stale(self) -> bool:
        """Whether the store that the process has opened was removed or replaced."""
        return self._opened != file_identity(self._store)

    def take(self, *, wait: bool = True) -> bool:
        """Take it for one `ask`, or, without `wait`, return False if another thread has it."""
        return self._lock.acquire(blocking=wait)

    def close_if_idle(self) -> bool:
        """End the process unless another thread has taken it or waits for it; return whether it has ended."""
        if self.waiting or not self.take(wait=False):
            return False
        try:
            self._close()
        finally:
            self._lock.release()
        return True

    def ask(self, content: bytes, limits: Limits) -> Table | Serialised:
        """The answer to a request, as `exports.query.confined.ask` and `ask_serialised`; gives the process back."""
        try:
            return self._in_time(content, limits)
        finally:
            self._lock.release()

    def _in_time(self, content: bytes, limits: Limits) -> Table | Serialised:
        self._is_late = False
        deadline = act_after(limits.timeout, self._end_late)
        try:
            return self._ask(content, limits)
        # The process is whole: only the query was refused.
        except EngineError:
            raise
        # After Ctrl-C, too: what is left of this answer would be read as the answer to the next query.
        except BaseException as error:
            self._close()
            if self._is_late and isinstance(error, Exception):
                raise QueryError(
                    f"the query takes more than {limits.timeout:g} seconds",
                    remedy="ask for less, or allow more with --timeout SECONDS (timeout= in Python)",
                ) from None
            raise
        finally:
            # Before another query has the process.
            deadline.call_off()
            if self._is_late:
                self._close()

    def _ask(self, content: bytes, limits: Limits) -> Table | Serialised:
        if self._child is None or self._child.process.poll() is not None or self.is_stale():
            self._start()
        if self._is_late:
            # It was when there was no process to kill yet.
            raise EOFError
        try:
            return self._answer(content, limits)
        except (EOFError, OSError, ValueError, RecursionError):
            raise QueryError(
                f"the engine crashes: the query is nested too deeply, or needs {self._more_memory()}",
                remedy="simplify the query",
            ) from None

    def _start(self) -> None:
        self._close()
        self._opened = file_identity(self._store)
        settings = {"engine": self._engine, "memory": self._memory}
        # The limit is one of addresses, of which each arena of glibc reserves 64 MiB.
        self._child = Child.start(_CHILD, self._store, settings, {"MALLOC_ARENA_MAX": "2"})
        try:
            message, _ = self._message()
        except EOFError:
            message = {"error": "store", "message": "the engine crashes"}
        if message.get("error") == "confinement":
            raise ConfigurationError(
                f"queries cannot be confined on this platform ({message['message']})",
                remedy="query with --unconfined (confined=False in Python) if you trust the query",
            )
        if "error" in message:
            raise StoreError(
                f"cannot be opened ({message['message']})",
                where=str(self._store),
                remedy="remove it and export the graph again; a graph's own store is built by the next query",
            )

    def _answer(self, content: bytes, limits: Limits) -> Table | Serialised:
        stdin = self._pipes()[0]
        stdin.write(LENGTH.pack(len(content)) + content)
        stdin.flush()
        columns: list[str] = []
        rows: list[tuple[Any, ...]] = []
        size = 0
        while True:
            message, size = self._message(size, limits.max_bytes)
            match message:
                case list():
                    rows += map(tuple, message)
                    if len(rows) > limits.max_rows:
                        raise _too_many_rows(limits.max_rows)
                case {"columns": columns}:
                    pass
                case {"kind": kind, "media_type": media_type}:
                    text = self._content(size, limits.max_bytes)
                    return Serialised(kind=kind, media_type=media_type, content=text)
                case {"error": "memory"}:
                    raise QueryError(f"the query needs {self._more_memory()}", remedy=f"ask for less, or {_SHORTER}")
                case {"error": kind, "message": text}:
                    raise EngineError(text, is_syntax=kind == "syntax")
                case _:
                    return Table(columns=columns, rows=rows)

    def _message(self, size: int = 0, most: int = MAX_BYTES) -> tuple[Any, int]:
        """The next message, and its size added to `size`, at most `most`; `EOFError` if the process has ended."""
        content = self._content(size, most)
        return json.loads(content), size + len(content)

    def _content(self, size: int, most: int) -> bytes:
        stdout = self._pipes()[1]
        head = stdout.read(LENGTH.size)
        if len(head) < LENGTH.size:
            raise EOFError
        (length,) = LENGTH.unpack(head)
        if size + length > most:
            raise QueryError(f"the result has more than {most >> 20} MiB", remedy=_SHORTER)
        content: bytes = stdout.read(length)
        if len(content) < length:
            raise EOFError
        return content

    def _pipes(self) -> tuple[Any, Any]:
        if self._child is None:
            raise EOFError
        return self._child.pipes

    def _more_memory(self) -> str:
        return f"more than {self._memory / (1 << 30):g} GiB of memory" if self._memory else "too much memory"

    def _end_late(self) -> None:
        self._is_late = True
        if child := self._child:
            child.process.kill()

    def _close(self) -> None:
        child, self._child, self._opened = self._child, None, None
        if child is not None:
            child.end()

    def forget(self) -> None:
        """As `Child.forget`."""
        if self._child is not None:
            self._child.forget()
            self._child = None

    def __del__(self) -> None:
        self._close()


def at_most(max_rows: int, rows: Iterable[Row]) -> list[Row]:
    """Return `rows`.

    Raises
    ------
    QueryError
        If there are more than `max_rows`.
    """
    read = list(islice(rows, max_rows + 1))
    if len(read) > max_rows:
        raise _too_many_rows(max_rows)
    return read


def _too_many_rows(max_rows: int) -> QueryError:
    return QueryError(
        f"the result has more than {max_rows:,} rows",
        remedy=f"{_SHORTER}, or allow more with --max-rows (max_rows= in Python)",
    )


def file_identity(path: str | Path) -> tuple[int, int, int] | None:
    """What tells a file or folder from others and from itself after a change; None if it cannot be seen."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a text may be given, so that no path is made of it each time
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns
