"""Atomic writing of files and directories: they are written under a temporary name and then renamed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import StoreError

MARKER = ".kgscripts-export"
"""A file in every directory that an export made; no other directory is replaced."""


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path whose file replaces `path` when the block ends without an error.

    Raises
    ------
    StoreError
        If `path` cannot be written.
    """
    with _folder_beside(path) as folder:
        yield folder / path.name
        (folder / path.name).replace(path)


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Yield an empty directory that replaces `path` when the block ends without an error.

    Raises
    ------
    StoreError
        If `path` cannot be written, or holds files that no export made.
    """
    if path.exists() and not (path / MARKER).exists() and not (path.is_dir() and not any(path.iterdir())):
        raise StoreError("was not made by an export", where=str(path), remedy="name a new or empty directory")
    with _folder_beside(path) as folder:
        new, old = folder / "new", folder / "old"
        new.mkdir()
        (new / MARKER).write_text("Exported by kgscripts; the next export replaces this directory.\n", encoding="utf-8")
        yield new
        if path.exists():
            path.replace(old)
        new.replace(path)


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """A folder on the file system of `path`, so that moving is atomic; removed afterwards."""
    folder: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name[:100]}.", dir=path.parent))
        yield folder
    except OSError as error:
        raise StoreError(
            f"cannot be written ({error.strerror or error})",
            where=str(path),
            remedy="name a path that you can write to, on a disk with free space",
        ) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
