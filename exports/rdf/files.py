"""Turtle, TriG, N-Quads and JSON-LD files, optionally compressed, written in constant memory."""

from __future__ import annotations

from pathlib import Path

from exports.files.compression import compression_of, opened
from exports.rdf.chunks import GraphChunks
from exports.rdf.json_ld import JsonLd
from exports.rdf.syntax import NQuads, Syntax
from exports.rdf.turtle import TriG, Turtle
from exports.targets import ExportOptions, report
from schemas.graph_directory import graph_files
from schemas.output_files import new_file
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph

SYNTAXES: dict[str, type[Syntax]] = {".ttl": Turtle, ".trig": TriG, ".nq": NQuads, ".jsonld": JsonLd}


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write `graph` to the file `target`; its suffix selects the syntax, `.gz` or `.zst` after it the compression.

    Turtle has no named graphs and merges them. The same graph gives the same bytes.

    Raises
    ------
    StoreError
        If the file cannot be written or an id cannot be part of an IRI.
    """
    path = Path(target)
    compression = compression_of(path)
    suffix = Path(path.name.lower().removesuffix(compression)).suffix
    syntax = SYNTAXES[suffix](graph.manifest.base_iri)
    if options.dry_run:
        return report(graph, target)
    chunks = GraphChunks(graph, options.progress)
    with new_file(path, inputs=graph_files(graph.directory)) as temporary:
        with opened(temporary, compression) as sink:
            for part in syntax.document(chunks):
                sink.write(part)
        size = temporary.stat().st_size
    return report(graph, target, triples=chunks.triples, bytes=size)
