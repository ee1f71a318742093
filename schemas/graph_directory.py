"""The graph directory: its marker file, its id, its lock, and how a new graph replaces the old one.

The id is 32 random hexadecimal digits in the file ``id``: servers identify the graph by it. It is kept as the graph
grows, and is no part of the manifest: graphs of the same records have the same bytes and different ids. A copy of a
directory has the same id.

A new graph is written into ``.next``. Its ``manifest.json`` is the last file written there and completes it. From then
on `install` can be repeated after any interruption until the new graph is in place.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

from schemas.errors import GraphDirectoryError
from schemas.input_files import open_regular

MARKER = ".kgscripts"
ID = "id"
NEXT = ".next"
_LOCK = ".lock"
_LONGEST_PATH = 400
"""Bytes. SQLite opens no path of more than 511, and has files below the directory."""
_PARTS = ("nodes", "relations")
DISCARDED = "discarded.jsonl"
MEASUREMENTS = "measurements.json"
PENDING = "pending-corrections.jsonl"
_MOST_BYTES = 64 << 20
"""The largest size of a small file of kgscripts that is read at once."""
_ID_BYTES = 64
"""The largest size of a file `id`."""
_ID_SECONDS = 10.0
"""How long to wait for another process that gives the same directory its id."""


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def graph_files(directory: Path) -> list[Path]:
    """The files of a graph, and the folders that hold only such files."""
    names = (MARKER, ID, *_PARTS, DISCARDED, "records", "stores", "manifest.json", "assembled.json", "run.json")
    return [directory / name for name in (*names, MEASUREMENTS, PENDING)]


def claim(directory: Path) -> None:
    """Make `directory` a graph directory, or check that it is one.

    Raises
    ------
    GraphDirectoryError
        If it holds other files, is a file, or cannot be written.
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
        If another process holds the lock, the directory holds other files, its path is none for SQLite or DuckDB, or,
        without `create`, it is not a graph directory.
    """
    check_path(directory)
    _check_for_libraries(directory.absolute())
    if not create and not (directory / MARKER).exists():
        raise GraphDirectoryError(
            "no graph directory", where=str(directory), remedy="name one that `kgscripts build-graph` made"
        )
    claim(directory)
    with _lock(directory):
        if read_id(directory) is None:
            _write_id(directory)
        install(directory)
        yield


def check_path(directory: Path) -> None:
    """Raise GraphDirectoryError for a path that is not UTF-8: the libraries for tables take no other."""
    try:
        str(directory).encode("utf-8")
    except UnicodeEncodeError as error:
        raise GraphDirectoryError(
            "the path is not UTF-8",
            where=str(directory).encode("utf-8", "backslashreplace").decode("utf-8"),
            remedy="name another directory; where the locale is not UTF-8, set PYTHONUTF8=1",
        ) from error


def _check_for_libraries(path: Path) -> None:
    """Raise GraphDirectoryError for an absolute path below which SQLite or DuckDB cannot open files."""
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise GraphDirectoryError(
            "the path is too long",
            where=str(path),
            remedy=f"name a directory whose whole path has {_LONGEST_PATH} bytes at most",
        )
    # DuckDB takes names of files for patterns, and a backslash in a pattern divides folders.
    if os.sep != "\\" and "\\" in str(path) and glob.escape(str(path)) != str(path):
        raise GraphDirectoryError(
            "the path has both a backslash and *, ? or [",
            where=str(path),
            remedy="name a directory without backslashes in its path",
        )


@contextmanager
def _lock(directory: Path, seconds: float = 0) -> Iterator[None]:
    lock = FileLock(directory / _LOCK)
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise GraphDirectoryError(
            "another build is at work in this directory",
            where=str(directory),
            remedy="wait for it to end, or choose another directory",
        ) from None
    except OSError as error:
        raise unwritable(directory, error) from error
    try:
        yield
    finally:
        lock.release()


def graph_id(directory: Path) -> str:
    """The id of a graph directory; one that has none, made by an older version, gets one.

    Raises
    ------
    GraphDirectoryError
        If the file is damaged, or there is none and it cannot be written.
    """
    if (identifier := read_id(directory)) is not None:
        return identifier
    if not os.access(directory, os.W_OK):
        raise GraphDirectoryError(
            "the graph has no id, and none can be written",
            where=str(directory),
            remedy="copy the directory to a place that you can write to, and use the copy",
        )
    with _lock(directory, _ID_SECONDS):
        # Another process may have written one while this one waited for the lock.
        return read_id(directory) or _write_id(directory)


def read_id(directory: Path) -> str | None:
    """The id of a graph directory, if it has one.

    Raises
    ------
    GraphDirectoryError
        If the file is damaged.
    """
    path = directory / ID
    try:
        status = path.lstat()
        # Neither links nor pipes nor devices are opened.
        if stat.S_ISREG(status.st_mode) and status.st_size <= _ID_BYTES:
            content = path.read_bytes()
            if re.fullmatch(rb"[0-9a-f]{32}\n?", content):
                return content.decode("ascii").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise GraphDirectoryError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    raise GraphDirectoryError(
        "is not the id of a graph (32 hexadecimal digits)",
        where=str(path),
        remedy="restore it, or delete it: the graph gets a new id, and a server that holds the graph asks for "
        "--replace-graph at the next export",
    )


def _write_id(directory: Path) -> str:
    """Give the directory a new id; the lock is held."""
    new = uuid4().hex
    write_durably(directory / ID, f"{new}\n".encode())
    return new


def unwritable(directory: Path, error: OSError) -> GraphDirectoryError:
    """The error for a directory that the system refuses to write to."""
    return GraphDirectoryError(
        f"cannot be written ({error.strerror or error})",
        where=str(directory),
        remedy="make room on the disk, or name a directory that you can write to, and run the same command again",
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Remove the file `path` if writing it fails. Nothing is written through a link, which is removed first.

    Raises
    ------
    GraphDirectoryError
        If it cannot be written: a full disk, no permission.
    """
    try:
        if path.is_symlink():
            path.unlink()
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


def write_durably(path: Path, content: bytes) -> None:
    """Replace a file by one with this content, which is on disk before. Its folder is made if it is missing.

    Raises GraphDirectoryError as `writing`.
    """
    part = path.with_name(f".{path.name}.part")
    with writing(part):
        path.parent.mkdir(parents=True, exist_ok=True)
        with durable(part):
            part.write_bytes(content)
        replace(part, path)


def start_next(directory: Path) -> Path:
    """Create an empty ``.next`` for the new graph and return its path."""
    path = directory / NEXT
    try:
        remove(path)
        for part in _PARTS:
            (path / part).mkdir(parents=True)
    except OSError as error:
        raise unwritable(directory, error) from error
    return path


def install(directory: Path) -> None:
    """Replace the graph by a complete ``.next``; remove an incomplete one."""
    path = directory / NEXT
    try:
        if not path.is_symlink() and (path / "manifest.json").is_file():
            # The manifest comes last: as long as it is in `.next`, who locks the directory next goes on.
            for part in (*_PARTS, DISCARDED, "manifest.json"):
                if (path / part).exists():
                    replace(path / part, directory / part)
        remove(path)
    except OSError as error:
        raise unwritable(directory, error) from error


def replace(new: Path, path: Path) -> None:
    """Move the file or directory `new` to `path`, whatever is there."""
    # Only a file takes the place of a file in one step.
    if new.is_dir() or path.is_dir():
        remove(path)
    new.replace(path)


def remove(path: Path) -> None:
    """Remove a file, a link or a directory, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def read_file(path: Path) -> str:
    """The text of a small file; pipes and devices, whose reading may not end, are refused.

    Raises
    ------
    OSError
        If it cannot be read, is no file, or is larger than a file that `kgscripts` writes for itself.
    """
    with open_regular(path) as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(f"it has more than {_MOST_BYTES >> 20} MiB")
    return content.decode("utf-8")
