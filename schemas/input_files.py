"""Files that a user names, opened for reading: regular files only, and TOML with its errors in words."""

from __future__ import annotations

import errno
import os
import re
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from schemas.errors import ConfigurationError, InputError
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


_MOST_BYTES = 1 << 20
_MOST_NAMES = 50
_NAME = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_MANY_NAMES = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{_MOST_NAMES}}}")


def read_toml(path: Path, *, remedy: str | None = None) -> dict[str, Any]:
    """The values of a TOML file.

    Raises ConfigurationError, with the `remedy` where another file might be meant, if it is missing, cannot be read, or
    is no TOML.
    """
    where = str(path)
    try:
        with open_regular(path) as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES >> 20} MiB")
        return parse_toml(content.decode())
    except FileNotFoundError as error:
        raise ConfigurationError("no such configuration", where=where, remedy=remedy) from error
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", where=where, remedy=remedy) from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"no UTF-8: {error}", where=where, remedy="TOML is written in UTF-8") from error
    # A number of thousands of digits is a bare ValueError.
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"no TOML: {error}", where=where, remedy="see https://toml.io") from error


def parse_toml(text: str) -> dict[str, Any]:
    """The values of a text; raises ValueError or RecursionError if it is no TOML."""
    # Here, since few commands read TOML.
    import tomllib

    # tomllib takes memory by the square of the number of names in a key.
    if _MANY_NAMES.search(text):
        raise ValueError(f"a key has more than {_MOST_NAMES} names")
    return tomllib.loads(text)
