"""The graph of the scripts that ship, which commands take as `everyday`: in the package it is one file."""

from __future__ import annotations

import hashlib
import shutil
import sys
from importlib import resources
from io import BytesIO
from pathlib import Path
from tempfile import mkdtemp
from zipfile import ZIP_STORED, ZipFile

from attrs import evolve
from platformdirs import user_cache_path

from kgscripts.everyday_scripts import NAME
from schemas.graph_directory import DISCARDED, ID, MARKER, file_digest, unwritable
from schemas.manifest import Manifest
from schemas.tables import ROWS_A_GROUP, repeating_columns

_PACKED = "graph.zip"
_PARTS = ("nodes", "relations")
_LEVEL = 19
"""Of the compression of tables; builds use a faster one, with tables that are an eighth larger."""
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
    packed = resources.files(__package__).joinpath(_PACKED).read_bytes()
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


def pack(directory: Path, target: Path) -> None:
    """Write the graph of a directory to one file: what is asked of it, without the records from which it was made."""
    import pyarrow.parquet as parquet

    manifest = Manifest.read(directory / "manifest.json")
    tables = {}
    with ZipFile(target, "w", ZIP_STORED) as archive:
        for part in _PARTS:
            for file in sorted((directory / part).iterdir()):
                smaller = target.with_name(f".{file.name}")
                parquet.write_table(
                    parquet.read_table(file),
                    smaller,
                    compression="zstd",
                    compression_level=_LEVEL,
                    use_dictionary=repeating_columns(file.stem),
                    row_group_size=ROWS_A_GROUP,
                )
                size, digest = smaller.stat().st_size, file_digest(smaller)
                tables[file.stem] = evolve(manifest.tables[file.stem], bytes=size, sha256=digest)
                archive.write(smaller, f"{part}/{file.name}")
                smaller.unlink()
        for name in (MARKER, ID, DISCARDED):
            archive.write(directory / name, name)
        archive.writestr("manifest.json", evolve(manifest, tables=tables).to_json())


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(__file__).with_name(_PACKED))
