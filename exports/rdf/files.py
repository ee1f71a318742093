"""Turtle, TriG, N-Quads and JSON-LD files, optionally compressed, written in constant memory."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import pyarrow as pa

from exports.rdf.chunks import GraphChunks
from exports.rdf.json_ld import JsonLd
from exports.rdf.syntax import NQuads, Syntax
from exports.rdf.turtle import TriG, Turtle
from exports.targets import COMPRESSIONS, ExportOptions, ExportReport, report
from schemas.graph_directory import graph_files
from schemas.output_files import new_file
from schemas.script_graph import ScriptGraph

SYNTAXES: dict[str, type[Syntax]] = {".ttl": Turtle, ".trig": TriG, ".nq": NQuads, ".jsonld": JsonLd}
_GZIP_LEVEL = 4
"""Twice as fast as the default level with a tenth more bytes, measured on N-Quads."""


def export(graph: ScriptGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write `graph` to the file `target`; its suffix selects the syntax, `.gz` or `.zst` after it the compression.

    Turtle has no named graphs and merges them. The same graph gives the same bytes.

    Raises
    ------
    StoreError
        If the file cannot be written or an id cannot be part of an IRI.
    """
    path = Path(target)
    name = path.name.lower()
    compression = next((end for end in COMPRESSIONS if name.endswith(end)), "")
    suffix = next(suffix for suffix in SYNTAXES if name.endswith(suffix + compression))
    syntax = SYNTAXES[suffix](graph.manifest.base_iri)
    if options.dry_run:
        return report(graph, target)
    chunks = GraphChunks(graph, options.progress)
    with new_file(path, inputs=graph_files(graph.directory)) as temporary:
        with _opened(temporary, compression) as sink:
            for part in syntax.document(chunks):
                sink.write(part)
        size = temporary.stat().st_size
    return report(graph, target, triples=chunks.triples, bytes=size)


@contextmanager
def _opened(path: Path, compression: str) -> Iterator[IO[bytes]]:
    with path.open("wb") as file:
        if compression == ".gz":
            # No name and no time in the header: the same graph gives the same bytes.
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as stream:
                yield cast(IO[bytes], stream)
        elif compression == ".zst":
            with pa.CompressedOutputStream(file, "zstd") as stream:
                yield stream
        else:
            yield file
