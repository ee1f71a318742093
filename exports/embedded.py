"""The stores that a graph keeps for queries: built on first use, rebuilt when the graph has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import FileLock

from schemas.errors import StoreError
from schemas.script_graph import ScriptGraph


def kept_store(
    graph: ScriptGraph,
    kind: str,
    version: str,
    atomically: Callable[[Path], AbstractContextManager[Path]],
    write: Callable[[Path], object],
) -> Path:
    """Return the graph's own store of this `kind`, under its directory; remove older ones.

    A store belongs to one build and one `version` of the store's format. `write` fills the path that `atomically`
    (`new_file` or `new_directory`) yields.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    folder = graph.directory / "stores"
    path = folder / "-".join(part for part in (kind, version, graph.build_id) if part)
    if path.exists():
        return path
    try:
        folder.mkdir(exist_ok=True)
        with FileLock(folder / f".{kind}.lock"):
            if not path.exists():
                for left in folder.glob(f".{kind}-*/"):  # by a build that was killed
                    shutil.rmtree(left)
                with atomically(path) as new:
                    write(new)
                for other in set(folder.glob(f"{kind}-*")) - {path}:
                    shutil.rmtree(other, ignore_errors=True) if other.is_dir() else other.unlink()
    except OSError as error:
        raise StoreError(
            f"the store for queries cannot be written ({error.strerror})",
            where=str(folder),
            remedy=f"export the graph to GRAPH.{kind} elsewhere and query that",
        ) from error
    return path
