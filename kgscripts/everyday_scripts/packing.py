"""Packs a graph into the file that ships: ``python -m kgscripts.everyday_scripts.packing DIR`` (`make everyday`)."""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import pyarrow.parquet as parquet
from attrs import evolve

from kgscripts.everyday_scripts.graph import PACKED
from schemas.graph_directory import DISCARDED, ID, MARKER, file_digest
from schemas.manifest import Manifest
from schemas.tables import ROWS_A_GROUP, repeating_columns

_PARTS = ("nodes", "relations")
_LEVEL = 19
"""Of the compression of tables; builds use a faster one, with tables that are an eighth larger."""


def pack(directory: Path, target: Path) -> None:
    """Write the graph of a directory to one file: what is asked of it, without the records from which it was made. The
    same graph gives the same bytes."""
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
                archive.writestr(ZipInfo(f"{part}/{file.name}"), smaller.read_bytes())
                smaller.unlink()
        for name in (MARKER, DISCARDED):
            archive.writestr(ZipInfo(name), (directory / name).read_bytes())
        packed = evolve(manifest, tables=tables)
        # A random id, as builds give it, would make other bytes of the same graph.
        archive.writestr(ZipInfo(ID), f"{packed.build_id}\n")
        archive.writestr(ZipInfo("manifest.json"), packed.to_json())


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(__file__).with_name(PACKED))
