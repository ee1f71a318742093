"""The graph directory: its marker file, its lock, and how a new graph replaces the old one.

A new graph is written into ``.next``. Its ``manifest.json`` is the last file written there and completes it. From then
on `install` can be repeated after any interruption until the new graph is in place.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from schemas.errors import GraphDirectoryError

MARKER = ".kgscripts"
NEXT = ".next"
_LOCK = ".lock"
_PARTS = ("nodes", "relations")
DISCARDED = "discarded.jsonl"


def claim(directory: Path) -> None:
    """Make `directory` a graph directory, or check that it is one.

    Raises
    ------
    GraphDirectoryError
        If it holds something else, is a file, or cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if (directory / MARKER).exists():
            return
        if any(directory.iterdir()):
            raise GraphDirectoryError(
                "the directory holds other files",
                where=str(directory),
                remedy="name a new or empty directory, or one that kgscripts made",
            )
        (directory / MARKER).write_text("A script graph, made by kgscripts.\n", encoding="utf-8")
    except OSError as error:
        raise unwritable(directory, error) from error


@contextmanager
def locked(directory: Path, *, create: bool = True) -> Iterator[None]:
    """Lock the directory for writing; the lock of a process that dies is released.

    Raises
    ------
    GraphDirectoryError
        If another process holds the lock, the directory holds other files, or, without `create`, it is not a graph
        directory.
    """
    if not create and not (directory / MARKER).exists():
        raise GraphDirectoryError(
            "no graph directory", where=str(directory), remedy="name one that `kgscripts build-graph` made"
        )
    claim(directory)
    lock = FileLock(directory / _LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise GraphDirectoryError(
            "another build is at work in this directory",
            where=str(directory),
            remedy="wait for it to end, or choose another directory",
        ) from None
    except OSError as error:
        raise unwritable(directory, error) from error
    try:
        install(directory)
        yield
    finally:
        lock.release()


def unwritable(directory: Path, error: OSError) -> GraphDirectoryError:
    """The error for a directory that the system refuses to write to."""
    return GraphDirectoryError(
        f"cannot be written ({error.strerror or error})",
        where=str(directory),
        remedy="make room on the disk, or name a directory that you can write to, and run the same command again",
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Remove the file `path` if writing it fails.

    Raises
    ------
    GraphDirectoryError
        If it cannot be written: a full disk, no permission.
    """
    try:
        yield
    except OSError as error:
        path.unlink(missing_ok=True)
        raise unwritable(path.parent, error) from error


@contextmanager
def durable(path: Path) -> Iterator[None]:
    """Like `writing`, and flush the file to disk, for content that cannot be computed again."""
    with writing(path):
        yield
        with path.open("rb") as stream:
            os.fsync(stream.fileno())


def start_next(directory: Path) -> Path:
    """Create an empty ``.next`` for the new graph and return its path."""
    path = directory / NEXT
    shutil.rmtree(path, ignore_errors=True)
    for part in _PARTS:
        (path / part).mkdir(parents=True)
    return path


def install(directory: Path) -> None:
    """Replace the graph by a complete ``.next``; remove an incomplete one."""
    path = directory / NEXT
    if not path.exists():
        return
    if (path / "manifest.json").exists():
        for part in _PARTS:
            if (path / part).exists():
                shutil.rmtree(directory / part, ignore_errors=True)
                (path / part).replace(directory / part)
        if (path / DISCARDED).exists():
            (path / DISCARDED).replace(directory / DISCARDED)
        (path / "manifest.json").replace(directory / "manifest.json")
    shutil.rmtree(path)
