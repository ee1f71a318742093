"""A SPARQL 1.1 server, by its Graph Store and Update protocols.

The base IRI identifies what belongs to this graph on a server: named graphs whose name begins with it and, in the
default graph, triples whose subject does. An export replaces only these, so graphs that share a server need different
base IRIs. The build id is removed first and written last: a server that has it has the complete graph, and after an
interrupted export the next one finds no build id and starts again.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pyoxigraph

from exports.rdf.chunks import GraphChunks, portions
from exports.rdf.dataset import BUILD_ID_TERM, DATASET
from exports.rdf.sparql_client import SparqlClient
from exports.rdf.syntax import NQuads
from exports.rdf.terms import expand
from exports.targets import ExportOptions, ExportReport, report
from schemas.errors import StoreError
from schemas.script_graph import ScriptGraph

_PORTION = 32 << 20
"""Bytes of N-Quads in a request, before they are compressed."""
_GRAPHS_A_REQUEST = 200
_TRIPLES_A_REQUEST = 200_000


def export(graph: ScriptGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write `graph` to the data set at `target` (``sparql+http://HOST/DATASET``) and replace an earlier build.

    The data set has ``/query``, ``/update`` and ``/data`` below it. The user is that of the environment
    (`KGSCRIPTS_SPARQL_USER`, `KGSCRIPTS_SPARQL_PASSWORD`) or the one that `options.ask` returns.

    Raises
    ------
    ConfigurationError
        If the address is not valid or holds a password.
    StoreError
        If the server cannot be reached or refuses.
    """
    address = target.partition("+")[2].rstrip("/")
    with SparqlClient(address, options.ask) as client:
        dataset = _ServerDataset(client, address, graph.manifest.base_iri)
        earlier = dataset.build_id()
        if earlier == graph.build_id:
            return report(graph, target, replaced=0, state="the server has this build")
        if options.dry_run:
            return report(graph, target, replaced=dataset.count(), state="would be written")
        replaced = dataset.clear()
        chunks = GraphChunks(graph, options.progress)
        for portion in portions(NQuads(graph.manifest.base_iri).document(chunks), _PORTION):
            dataset.add(portion)
    return report(graph, target, replaced=replaced, state="written", triples=chunks.triples)


class _ServerDataset:
    """The part of a server's data set that belongs to the graph with one base IRI."""

    def __init__(self, client: SparqlClient, address: str, base_iri: str) -> None:
        self._client = client
        self._address = address
        self._sign = f"<{base_iri}{DATASET}> <{expand(BUILD_ID_TERM)}> ?id"
        # The manifest ensures that a base IRI has neither quotes nor backslashes.
        self._ours = f'FILTER(STRSTARTS(STR(?ours), "{base_iri}"))'

    def build_id(self) -> str | None:
        """The build id of the complete graph on the server, if there is one."""
        found = self._select(f"SELECT ?id {{ {self._sign} }}")
        return found[0]["id"] if found else None

    def count(self) -> int:
        """The number of triples of this graph on the server."""
        triples = f"{{ ?ours ?p ?o }} UNION {{ GRAPH ?ours {{ ?s ?p ?o }} }} {self._ours}"
        return int(self._select(f"SELECT (COUNT(*) AS ?n) {{ {triples} }}")[0]["n"])

    def clear(self) -> int:
        """Remove this graph from the server in requests of bounded size; return its number of triples."""
        count = self.count()
        if count:
            self._update(f"DELETE WHERE {{ {self._sign} }}")
        for graphs in self._graphs():
            self._update(";\n".join(f"DROP SILENT GRAPH <{graph}>" for graph in graphs))
        triples = f"{{ SELECT ?ours ?p ?o {{ ?ours ?p ?o {self._ours} }} LIMIT {_TRIPLES_A_REQUEST} }}"
        while count and self._select(f"SELECT ?ours {{ ?ours ?p ?o {self._ours} }} LIMIT 1"):
            self._update(f"DELETE {{ ?ours ?p ?o }} WHERE {{ {triples} }}")
        return count

    def _graphs(self) -> Iterator[list[str]]:
        """Iterate over the names of this graph's named graphs, until none is left."""
        while True:
            query = f"SELECT DISTINCT ?ours {{ GRAPH ?ours {{ ?s ?p ?o }} {self._ours} }} LIMIT {_GRAPHS_A_REQUEST}"
            found = [row["ours"] for row in self._select(query)]
            if not found:
                return
            yield found

    def add(self, quads: bytes) -> None:
        """Add N-Quads; those that the server already has are not duplicated."""
        headers = {"Content-Type": "application/n-quads", "Content-Encoding": "gzip"}
        self._post("data", gzip.compress(quads, 4), headers)

    def _update(self, text: str) -> None:
        self._post("update", text.encode(), {"Content-Type": "application/sparql-update"})

    def _select(self, text: str) -> list[dict[str, str]]:
        headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json"}
        answer = self._post("query", text.encode(), headers)
        try:
            solutions: Any = pyoxigraph.parse_query_results(answer, pyoxigraph.QueryResultsFormat.JSON)
            names = [variable.value for variable in solutions.variables]
            return [dict(zip(names, (term.value for term in row), strict=True)) for row in solutions]
        except (SyntaxError, AttributeError) as error:
            raise StoreError(
                f"the response is not a SPARQL result ({error})",
                where=f"{self._address}/query",
                remedy="name the data set that has /query, /update and /data below it, as Apache Jena Fuseki does",
            ) from error

    def _post(self, service: str, content: bytes, headers: dict[str, str]) -> bytes:
        url = f"{self._address}/{service}"
        response = self._client.post(url, content, headers)
        if not response.is_success:
            raise StoreError(f"the server refuses ({response.first_line})", where=url)
        return response.content
