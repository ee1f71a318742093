"""RDF targets as the compliance suite sees them: files by rdflib, stores by Oxigraph, a server by HTTP."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyoxigraph
import pytest
import rdflib

from tests.exports.compliance import Adapter, AdapterFactory, Content
from tests.exports.fuseki_server import FusekiServer
from tests.exports.rdf_content import oxigraph_triples, rdflib_triples, read_rdf

_FORMATS = {".ttl": "turtle", ".trig": "trig", ".nq": "nquads", ".jsonld": "json-ld"}
FILE_SUFFIXES = (".ttl", ".ttl.gz", ".trig", ".nq", ".nq.gz", ".nq.zst", ".jsonld", ".jsonld.gz")


def file_content(path: Path) -> bytes:
    """What a file holds once it is unpacked."""
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        with pa.input_stream(path, compression="zstd") as stream:
            content: bytes = stream.read()
            return content
    return path.read_bytes()


def parse_file(path: Path) -> rdflib.Dataset:
    """The file by rdflib."""
    dataset = rdflib.Dataset()
    dataset.parse(data=file_content(path), format=_FORMATS[path.suffixes[0]])
    return dataset


def _file(suffix: str, _: pytest.FixtureRequest, folder: Path) -> Adapter:
    path = folder / f"graph{suffix}"
    return Adapter(target=str(path), read=lambda: read_rdf(rdflib_triples(parse_file(path))))


def _oxigraph(_: pytest.FixtureRequest, folder: Path) -> Adapter:
    path = folder / "graph.oxigraph"

    def read() -> Content:
        return read_rdf(oxigraph_triples(pyoxigraph.Store.read_only(str(path))))

    return Adapter(target=str(path), read=read)


def _fuseki(request: pytest.FixtureRequest, _: Path) -> Adapter:
    server: FusekiServer = request.getfixturevalue("fuseki_server")
    return Adapter(target=server.target, read=lambda: read_rdf(oxigraph_triples(server.quads())))


# Every syntax and every compression; `test_rdf_files.py` has each together with each.
ADAPTERS: dict[str, AdapterFactory] = {
    suffix[1:]: partial(_file, suffix) for suffix in (".ttl", ".trig", ".nq.zst", ".jsonld.gz")
}
ADAPTERS |= {"oxigraph": _oxigraph, "fuseki": _fuseki}
