"""The graph of the scripts that ship, which commands take as `everyday`: in the package it is one file."""

from __future__ import annotations

import hashlib
import shutil
from importlib import resources
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from zipfile import ZipFile

from platformdirs import user_cache_path

from kgscripts.everyday_scripts import NAME
from schemas.graph_directory import unwritable

PACKED = "graph.zip"
_DIGITS = 16


def as_graph(directory: Path | None) -> Path | None:
    """The directory of a graph; for `everyday`, unless a path has this name, that of the scripts that ship.

    Raises
    ------
    GraphDirectoryError
        If there is no room for it in the user's folder of caches.
    """
    return everyday_graph() if str(directory) == NAME and not Path(NAME).exists() else directory


def everyday_graph() -> Path:
    """The directory of the graph of the scripts that ship, which is unpacked at its first use. What queries add to a
    graph, such as a store for Cypher, is kept beside it.

    Raises
    ------
    GraphDirectoryError
        If there is no room for it in the user's folder of caches.
    """
    packed = resources.files(__package__).joinpath(PACKED).read_bytes()
    folder = user_cache_path("kgscripts") / hashlib.sha256(packed).hexdigest()[:_DIGITS]
    if folder.is_dir():
        return folder / NAME
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(mkdtemp(prefix=".", dir=folder.parent))
        try:
            with ZipFile(BytesIO(packed)) as archive:
                archive.extractall(new / NAME)
            new.rename(folder)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)
            if not folder.is_dir():  # another process was faster
                raise
    except OSError as error:
        raise unwritable(folder.parent, error) from error
    return folder / NAME
