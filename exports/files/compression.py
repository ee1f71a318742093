"""Files that are compressed if the end of their name says so."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

COMPRESSIONS = (".gz", ".zst")
_GZIP_LEVEL = 4
"""Twice as fast as the default level with a tenth more bytes, measured on N-Quads."""


def compression_of(path: Path) -> str:
    """The last suffix of a path if it is one of `COMPRESSIONS`, else ""."""
    suffix = path.suffix.lower()
    return suffix if suffix in COMPRESSIONS else ""


@contextmanager
def opened(path: Path, compression: str) -> Iterator[IO[bytes]]:
    """A new file to write to, with one of `COMPRESSIONS` or none (""). The same content gives the same bytes."""
    with path.open("wb") as file:
        if compression == ".gz":
            # No name and no time in the header.
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as stream:
                yield cast(IO[bytes], stream)
        elif compression == ".zst":
            with pa.CompressedOutputStream(file, "zstd") as stream:
                yield stream
        else:
            yield file
