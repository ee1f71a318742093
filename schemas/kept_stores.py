"""The stores of a graph for queries: built at the first use, and again when the graph has changed or the store is
damaged.

Beside each store, a hidden file records its name, which holds the id of the graph's build, and for each of its files
the size and the times of the last change of content and of inode. A store that differs, or that cannot be opened, is
removed and built again: it holds only data of the graph. Only the system sets the time of an inode, so that a store
that was copied, unpacked or changed in place is recognised without hashing. The tables are compared with the manifest
before a store is made of them.

This does not protect from someone who may write to the directory on this machine and edits the hidden file as well,
nor on Windows from changed bytes under the old times, since files have no time of the inode there.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from schemas.errors import StoreError, StoreMissingError
from schemas.graph_directory import read_file, remove
from schemas.logs import phase
from schemas.script_graph import StoredGraph

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_CHANGING = ("LOG", "LOCK")
"""Files of RocksDB that opening a store may change."""


def kept_store(
    graph: StoredGraph,
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
    StoreMissingError
        If a new one is needed and the graph leaves making it to others.
    GraphDirectoryError
        If a new one is needed and a table is not the one that the manifest names.
    """
    path = _path(graph, kind, version)
    folder = path.parent
    try:
        if _is_whole(path):
            return path
        graph.before_store_is_made(kind)
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            remove(folder)
        folder.mkdir(exist_ok=True)
        with FileLock(_without_folder(folder / f".{kind}.lock")):
            # Another process may have made it while this one waited for the lock.
            if not _is_whole(path):
                # First: of a graph that was replaced meanwhile, no store takes the place of that of the new one.
                graph.check_digests()
                for left in (*folder.glob(f".{kind}-*"), *folder.glob(f"{kind}-*")):
                    remove(left)
                with phase(_LOG, f"building the store {path}"), atomically(path) as new:
                    write(new)
                _record_path(path).write_text(json.dumps(_record(path)), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the store for queries cannot be written ({error.strerror or error})",
            where=str(folder),
            remedy=f"export the graph to GRAPH.{kind} elsewhere and query that",
        ) from error
    return path


def is_kept(graph: StoredGraph, kind: str, version: str) -> bool:
    """Whether `kept_store` has such a store without making it."""
    return _is_whole(_path(graph, kind, version))


def use_store(store: Callable[[], Path], use: Callable[[Path], T]) -> T:
    """Return the result of `use` for the path that `store` returns; if the store cannot be opened, build it again.

    Raises
    ------
    StoreError
        If the store cannot be written, or cannot be opened although it is new.
    """
    path = store()
    try:
        return use(path)
    # Nothing is wrong with the store: it is only not made yet.
    except StoreMissingError:
        raise
    except (StoreError, OSError) as error:
        try:
            # A store without its record counts as damaged, and is made again.
            remove(_record_path(path))
        except OSError:
            raise StoreError(f"cannot be opened, nor built again ({error})", where=str(path)) from error
    path = store()
    try:
        return use(path)
    except OSError as error:
        raise StoreError(f"cannot be opened ({error})", where=str(path), remedy="free some memory or space") from error


def _path(graph: StoredGraph, kind: str, version: str) -> Path:
    return graph.directory / "stores" / "-".join(part for part in (kind, version, graph.build_id) if part)


def _is_whole(path: Path) -> bool:
    """Whether a store is the one that was built here under this name, with all its files as they were then."""
    try:
        return not path.is_symlink() and json.loads(read_file(_record_path(path))) == _record(path)
    except (OSError, ValueError, RecursionError):
        return False


def _record_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.record")


def _record(path: Path) -> dict[str, object]:
    files: dict[str, list[int]] = {}
    for file in path.iterdir() if path.is_dir() else (path,):
        if not file.name.startswith(_CHANGING):
            status = file.lstat()
            files[file.name] = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    return {"store": path.name, "files": files}


def _without_folder(path: Path) -> Path:
    """`path`, after removing what is there unless it is a file."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        remove(path)
    return path
