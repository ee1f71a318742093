"""Finding the files to read among the files and folders that a user passes, in a fixed order."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from kgscripts import everyday_scripts
from schemas.arguments import items_of, path_of
from schemas.errors import InputError


@frozen
class InputFile:
    """A file to read, and its name: the path relative to the argument that contained it.

    `fault` says why a file, or the folder of that path, cannot be read.
    """

    path: Path
    name: str
    fault: str = ""


def find_files(inputs: Sequence[str | Path]) -> list[InputFile]:
    """All files among the inputs, each once.

    Folders are walked in the order of the bytes of the names; hidden files and folders and anything but regular files
    are skipped. What cannot be read in a folder is among the files, with its fault. Raises InputError for an input that
    is missing or unreadable itself, and for a folder without files. ``everyday`` stands for the scripts that ship,
    unless there is a path of this name.
    """
    by_path: dict[str, InputFile] = {}
    for argument in items_of("inputs", inputs):
        path = path_of("an input", argument)
        if str(path) == everyday_scripts.NAME and not path.exists():
            path = everyday_scripts.folder()
        mode = _mode(path)
        if stat.S_ISDIR(mode):
            files = list(_walk(path))
            if not files:
                raise InputError("no file to read in this folder", where=str(path), remedy="pass a folder with texts")
        elif stat.S_ISREG(mode):
            files = [InputFile(path, _name(Path(path.name)), _fault(path))]
        else:
            raise InputError("neither a file nor a folder", where=str(path), remedy="pass a regular file or a folder")
        if files[0].fault and files[0].path == path:
            raise InputError(files[0].fault, where=str(path), remedy="check its permissions")
        for file in files:
            by_path.setdefault(os.path.realpath(file.path), file)
    return list(by_path.values())


def _mode(path: Path) -> int:
    """The kind of the file or folder. Raises InputError if it does not exist or cannot be accessed."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise InputError("no such file or folder", where=str(path), remedy="check the path") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=str(path), remedy="check the path") from error


def _walk(folder: Path) -> Iterator[InputFile]:
    """The files in a folder. It is not recursive: folders can be nested more deeply than functions."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        name = _name(path.relative_to(folder))
        try:
            # A linked folder is not followed: it may lead back here.
            if path == folder or (path.is_dir() and not path.is_symlink()):
                inner = [Path(entry) for entry in os.scandir(path) if not entry.name.startswith(".")]
                waiting += sorted(inner, key=os.fsencode, reverse=True)
            elif path.is_file():
                yield InputFile(path, name, _fault(path))
        except OSError as error:
            yield InputFile(path, name, f"cannot be read: {error.strerror}")


def _fault(path: Path) -> str:
    return "" if os.access(path, os.R_OK) else "not readable"


def _name(path: Path) -> str:
    """The path as valid UTF-8 text, whatever bytes the file system allows in names."""
    return os.fsencode(path.as_posix()).decode("utf-8", errors="replace")
