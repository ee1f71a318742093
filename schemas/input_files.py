"""Opening the files that a user names for reading: regular files only.

Opening a pipe waits for a writer, and reading a device may never end, so both are refused without waiting.
"""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from schemas.errors import InputError
from schemas.operating_system import open_without_waiting

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def open_input(path: str | Path) -> BufferedReader:
    """Open a regular file to read its bytes.

    Raises
    ------
    InputError
        If it is missing, no regular file, or cannot be opened.
    """
    try:
        return open_regular(path)
    except FileNotFoundError as error:
        raise InputError("cannot be read: no such file", where=str(path), remedy="check the path") from error
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}", where=str(path), remedy="name a regular file that you can read"
        ) from error


def open_regular(path: str | Path) -> BufferedReader:
    """Open a regular file as `open_input` does, for callers with an error of their own: all that it raises is OSError.

    `strerror` says what the path leads to instead of a regular file.
    """
    try:
        # Before it is opened: opening a device can have effects.
        _check_regular(Path(path).stat())
        # A pipe that has taken the place of the file since then is opened without waiting for a writer.
        descriptor = open_without_waiting(path, os.O_RDONLY)
    except ValueError as error:  # NUL, or half a surrogate pair: no file has such a name
        raise OSError(errno.EINVAL, str(error)) from error
    try:
        _check_regular(os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _check_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a device")
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file")
