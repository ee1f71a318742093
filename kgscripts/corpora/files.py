"""Finding the files to read among the files and folders that a user passes, in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from schemas.errors import InputError


@frozen
class InputFile:
    """A file to read, and its name: the path relative to the argument that contained it."""

    path: Path
    name: str


def find_files(inputs: Sequence[str | Path]) -> list[InputFile]:
    """All files among the inputs, each once.

    Folders are walked in sorted order; hidden files and folders and anything but regular files are skipped. Raises
    InputError for an input that is missing or unreadable, and for a folder without files.
    """
    found: dict[Path, InputFile] = {}
    for argument in inputs:
        path = Path(argument)
        if path.is_dir():
            files = [InputFile(inner, _name(inner.relative_to(path))) for inner in _walk(path)]
            if not files:
                raise InputError("no file to read in this folder", where=str(path), remedy="pass a folder with texts")
        elif path.is_file():
            files = [InputFile(path, _name(Path(path.name)))]
        elif path.exists():
            raise InputError("neither a file nor a folder", where=str(path), remedy="pass a regular file or a folder")
        else:
            raise InputError("no such file or folder", where=str(path), remedy="check the path")
        for file in files:
            if not os.access(file.path, os.R_OK):
                raise InputError("not readable", where=str(file.path), remedy="check the file's permissions")
            found.setdefault(file.path.resolve(), file)
    return list(found.values())


def _walk(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(
            f"cannot list the folder: {error.strerror}", where=str(folder), remedy="check its permissions"
        ) from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        # A linked folder is not followed: it may lead back here.
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        elif entry.is_file():
            yield entry


def _name(path: Path) -> str:
    """The path as valid UTF-8 text, whatever bytes the file system allows in names."""
    return os.fsencode(path.as_posix()).decode("utf-8", errors="replace")
