"""The stores that a graph keeps for queries: built on first use, and again when the graph changed or they are damaged.

Beside each store, a hidden file lists the sizes of its files. A store whose files have other sizes, or that cannot be
opened, is removed and built again: it holds nothing that the graph does not hold.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from schemas.errors import StoreError
from schemas.script_graph import ScriptGraph

T = TypeVar("T")

_CHANGING = ("LOG", "LOCK")
"""Files of RocksDB that opening a store may change."""


def kept_store(
    graph: ScriptGraph,
    kind: str,
    version: str,
    atomically: Callable[[Path], AbstractContextManager[Path]],
    write: Callable[[Path], object],
) -> Path:
    """Return the graph's own store of this `kind`, under its directory; remove older and damaged ones.

    A store belongs to one build and one `version` of the store's format. `write` fills the path that `atomically`
    (`new_file` or `new_directory`) yields.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    folder = graph.directory / "stores"
    path = folder / "-".join(part for part in (kind, version, graph.build_id) if part)
    try:
        if _is_whole(path):
            return path
        if folder.is_symlink() or not folder.is_dir():
            _remove(folder)
            folder.mkdir(exist_ok=True)
        with FileLock(_without_folder(folder / f".{kind}.lock")):
            if not _is_whole(path):
                for left in (*folder.glob(f".{kind}-*"), *folder.glob(f"{kind}-*")):
                    _remove(left)
                with atomically(path) as new:
                    write(new)
                _sizes_path(path).write_text(json.dumps(_sizes(path)), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the store for queries cannot be written ({error.strerror or error})",
            where=str(folder),
            remedy=f"export the graph to GRAPH.{kind} elsewhere and query that",
        ) from error
    return path


def use_store(store: Callable[[], Path], use: Callable[[Path], T]) -> T:
    """Return the result of `use` for the path that `store` returns; if the store cannot be opened, build it again.

    Raises
    ------
    StoreError
        If the store cannot be written, or cannot be opened although it is new.
    """
    try:
        return use(store())
    except (StoreError, OSError):
        _remove(_sizes_path(store()))
    path = store()
    try:
        return use(path)
    except OSError as error:
        raise StoreError(f"cannot be opened ({error})", where=str(path), remedy="free some memory or space") from error


def _is_whole(path: Path) -> bool:
    """Whether the files of a store are there and have the sizes that they had when it was written."""
    try:
        return not path.is_symlink() and json.loads(_sizes_path(path).read_text(encoding="utf-8")) == _sizes(path)
    except (OSError, ValueError, RecursionError):
        return False


def _sizes_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.sizes")


def _sizes(path: Path) -> dict[str, int]:
    files = path.iterdir() if path.is_dir() else (path,)
    return {file.name: file.stat().st_size for file in files if not file.name.startswith(_CHANGING)}


def _without_folder(path: Path) -> Path:
    """`path`, after removing what is there unless it is a file."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        _remove(path)
    return path


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
