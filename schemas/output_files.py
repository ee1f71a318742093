"""Writing the files that a user names: completely or not at all, and never over an input.

A file is written aside and then moved into place, with the mode of the file that it replaces. A symbolic link stays:
what it leads to is replaced. A device, a pipe or a socket cannot be replaced, so it is written to when all is done, and
so is an open descriptor such as ``/dev/stdout``, even if it leads to a file: a shell that holds the file open would
otherwise go on writing to one that is gone. Missing parents are made when the writing begins.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import ConfigurationError, StoreError
from schemas.operating_system import open_descriptor, open_without_waiting

MARKER = ".kgscripts-export"
"""A file in every directory that an export made; no other directory is replaced."""


def check_outputs(*outputs: Path | None, inputs: Iterable[str | Path | None] = ()) -> None:
    """Check, before the work begins, that its results can be written and that none of them replaces an input.

    In a folder among the inputs, every file that is not hidden is an input. What does not exist is no input, such as
    the name of a model that ships.

    Raises
    ------
    ConfigurationError
        If an output cannot be written, is an input, or is the same file as another output.
    """
    taken: dict[object, Path] = {}
    for path in filter(None, outputs):
        try:
            _check_place(path)
        except OSError as error:
            raise ConfigurationError(
                f"no file can be written there ({error.strerror})", where=str(path), remedy="choose another file"
            ) from error
        if (identity := _identity(path)) is None:
            continue
        if identity in taken:
            raise ConfigurationError(
                f"the same file as {taken[identity]}", where=str(path), remedy="name a file for each output"
            )
        taken[identity] = path
    _check_no_input(taken, inputs)


def check_directory(output: Path, inputs: Iterable[str | Path | None]) -> None:
    """Check, before the work begins, that no input lies in a directory that the work will replace.

    Raises
    ------
    ConfigurationError
        If one does.
    """
    whole = os.path.realpath(output)
    for path in inputs:
        if path is not None and Path(os.path.realpath(path)).is_relative_to(whole) and output.exists():
            raise ConfigurationError(
                "is or contains an input and would be overwritten", where=str(output), remedy="choose another directory"
            )


@contextmanager
def new_file(path: Path, inputs: Iterable[str | Path] = ()) -> Iterator[Path]:
    """Yield a temporary path; its content becomes that of `path` when the block ends without an error.

    Raises
    ------
    StoreError
        If `path` cannot be written.
    ConfigurationError
        If `path` is one of the `inputs` (see `check_outputs`).
    """
    with _unwritable(path):
        _check_place(path)
        _check_no_input({_identity(path): path}, inputs)
        if _is_written_to(path):
            # There, too, nothing is written before all of it is there.
            with tempfile.TemporaryDirectory() as name:
                yield Path(name, path.name)
                _send(Path(name, path.name), path)
            return
        target = Path(os.path.realpath(path))
        with _folder_beside(target) as folder:
            yield folder / path.name
            if (status := _status(target)) is not None:
                # Whoever could read the file that is replaced can read the new one.
                (folder / path.name).chmod(stat.S_IMODE(status.st_mode))
            (folder / path.name).replace(target)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file as `new_file` does, as they come.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    with new_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


@contextmanager
def new_directory(path: Path, inputs: Iterable[str | Path] = ()) -> Iterator[Path]:
    """Yield a directory, empty but for `MARKER`, that replaces `path` when the block ends without an error.

    Raises
    ------
    StoreError
        If `path` cannot be written, or holds files that no export made.
    ConfigurationError
        If one of the `inputs` is `path` or in it.
    """
    if path.exists() and not (path / MARKER).exists() and not (path.is_dir() and not any(path.iterdir())):
        raise StoreError("was not made by an export", where=str(path), remedy="name a new or empty directory")
    check_directory(path, inputs)
    with _unwritable(path), replaced_directory(path) as new:
        (new / MARKER).write_text("Exported by kgscripts; the next export replaces this directory.\n", encoding="utf-8")
        yield new


@contextmanager
def replaced_directory(path: Path) -> Iterator[Path]:
    """Yield an empty directory that replaces `path`, whatever is there, when the block ends without an error.

    Raises
    ------
    OSError
        If it cannot be written; then what was there is left as it was.
    """
    target = Path(os.path.realpath(path))
    with _folder_beside(target) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        yield new
        if (status := _status(target)) is None:
            new.replace(target)
            return
        new.chmod(stat.S_IMODE(status.st_mode))
        # A folder that is not empty cannot be replaced in one step: it steps aside, and comes back on failure.
        target.replace(old)
        try:
            new.replace(target)
        except OSError:
            old.replace(target)
            raise


@contextmanager
def _unwritable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # The system's message for a pipe without a reader, "no such device or address", is misleading.
        reason = "nothing reads from it" if error.errno == errno.ENXIO else error.strerror or error
        raise StoreError(
            f"cannot be written ({reason})",
            where=str(path),
            remedy="name a path that you can write to, on a disk with free space",
        ) from error


@contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """A folder on the file system of `target`, so that moving is atomic, which nobody else may enter; removed then."""
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name[:20]}.", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _send(content: Path, path: Path) -> None:
    """Write the content of a file to a descriptor, a device, a pipe or a socket."""
    number = open_descriptor(path)
    if number is not None:
        # What was printed before comes before.
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        # A copy, so that the original is still open when this one is closed.
        descriptor = os.dup(number)
    else:
        descriptor = open_without_waiting(path, os.O_WRONLY)
    with os.fdopen(descriptor, "wb") as sink, content.open("rb") as source:
        shutil.copyfileobj(source, sink)


def _is_written_to(path: Path) -> bool:
    """Whether a path is written directly: an open descriptor, or neither a file nor a folder."""
    status = _status(path)
    is_other = status is not None and not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)
    return is_other or open_descriptor(path) is not None


def _status(path: Path) -> os.stat_result | None:
    """The status of the file that a path leads to; None if it does not exist."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _check_place(path: Path) -> None:
    """Raise OSError if nothing can be written there."""
    if (number := open_descriptor(path)) is not None:
        os.fstat(number)
        return
    writable = path
    if not _is_written_to(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        folder = Path(os.path.realpath(path)).parent
        # Folders that are missing are made in the nearest one that is there.
        writable = next(parent for parent in (folder, *folder.parents) if _status(parent) is not None)
        if not writable.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{writable} is no folder")
    if not os.access(writable, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _identity(path: Path) -> object:
    """The identity of a file, the same for all its paths; None for a device or a pipe, to which several outputs can
    go."""
    status = _status(path)
    if status is None:
        return os.path.realpath(path)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _check_no_input(outputs: Mapping[object, Path], inputs: Iterable[str | Path | None]) -> None:
    """Raise ConfigurationError if one of the outputs, by their identity, is an input."""
    for path in _files(inputs) if any(path.exists() for path in outputs.values()) else ():
        try:
            status = path.stat()
        except (OSError, ValueError):  # not every text can be a path; its reader reports it
            continue
        if output := outputs.get((status.st_dev, status.st_ino)):
            raise ConfigurationError(
                "is an input and would be overwritten", where=str(output), remedy="choose another file"
            )


def _files(inputs: Iterable[str | Path | None]) -> Iterator[Path]:
    for path in (Path(path) for path in inputs if path):
        if not os.path.isdir(path):  # noqa: PTH112 - unlike that of a Path, this takes any text
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from (Path(folder, name) for name in names if not name.startswith("."))
