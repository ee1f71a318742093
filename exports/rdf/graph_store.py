"""A SPARQL 1.1 server, by its Graph Store and Update protocols.

On a server a graph consists of the resources whose IRIs are the graph's base IRI followed by an id (`ID_PREFIXES`): as
named graphs, and as subjects in the default graph. The description of the data set links to the graph's id
(`dcterms:isVersionOf <urn:uuid:...>`). An export claims the base IRI by this triple before it writes anything else,
replaces only what has its own id, and refuses a base IRI that another graph has.

The build id is removed first and written last: a server that has it has the complete graph, and after an interrupted
export the next one finds no build id and starts again.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from uuid import UUID

import pyoxigraph

from exports.rdf.dataset import BUILD_ID_TERM, DATASET
from exports.rdf.mapping import GraphChunks, portions
from exports.rdf.sparql_client import SparqlClient
from exports.rdf.syntax import NQuads
from exports.rdf.terms import DATA_KINDS, expand
from exports.targets import ExportOptions, another_graph, report
from schemas.addresses import without_user
from schemas.errors import ConfigurationError, StoreError
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph

T = TypeVar("T")

_PORTION = 32 << 20
"""Bytes of N-Quads in a request, before they are compressed."""
_GRAPHS_A_REQUEST = 200
_TRIPLES_A_REQUEST = 200_000
_GRAPH_TERM = "dcterms:isVersionOf"


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write `graph` to the data set at `target` (``sparql+http://HOST/DATASET``) and replace an earlier build.

    The data set has ``/query``, ``/update`` and ``/data`` below it. The user is that of the environment
    (`KGSCRIPTS_SPARQL_USER`, `KGSCRIPTS_SPARQL_PASSWORD`) or the one that `options.ask` returns.

    Raises
    ------
    ConfigurationError
        If the address is not valid, or contains a user name, query string or fragment.
    GraphDirectoryError
        If the graph's id cannot be read.
    StoreError
        If the server cannot be reached or refuses, or has another graph under the same base IRI.
    """
    address = target.partition("+")[2].rstrip("/")
    with SparqlClient(address, options.ask) as client:
        if "?" in address:
            raise ConfigurationError(
                "the address of a data set has no query string",
                where=without_user(target),
                remedy="leave out ? and what follows",
            )
        dataset = _ServerDataset(client, address, graph)
        claims = dataset.claims()
        if claims == {dataset.claim} and dataset.build_ids() == {graph.build_id}:
            return report(graph, without_user(target), replaced=0, state="the server has this build")
        count = dataset.count()
        refusal = another_graph(graph, address, f"{count:,} triples")
        if claims != {dataset.claim} and (claims or count) and not options.replace_graph:
            raise refusal
        if options.dry_run:
            return report(graph, without_user(target), replaced=count, state="would be written")
        if options.replace_graph:
            dataset.release()
        if not dataset.take():
            raise refusal
        dataset.clear(count)
        chunks = GraphChunks(graph, options.progress)
        for portion in portions(NQuads(graph.manifest.base_iri).document(chunks), _PORTION):
            dataset.add(portion)
    return report(graph, without_user(target), replaced=count, state="written", triples=chunks.triples)


class _ServerDataset:
    """The part of a server's data set that belongs to the graph with one base IRI."""

    def __init__(self, client: SparqlClient, address: str, graph: StoredGraph) -> None:
        # The manifest ensures that a base IRI has neither quotes nor backslashes.
        base_iri = graph.manifest.base_iri
        dataset, belongs = f"<{base_iri}{DATASET}>", f"<{expand(_GRAPH_TERM)}>"
        self._client = client
        self._address = address
        self._sign = f"{dataset} <{expand(BUILD_ID_TERM)}> ?id"
        self._claims = f"{dataset} {belongs} ?graph"
        self.claim = f"urn:uuid:{UUID(graph.graph_id)}"
        kinds = "|".join(DATA_KINDS)
        is_ours = (
            f'STRSTARTS(STR(?ours), "{base_iri}") && '
            f'REGEX(SUBSTR(STR(?ours), {len(base_iri) + 1}), "^({kinds})/[0-9A-Za-z.-]+$")'
        )
        self._ours = f"FILTER({is_ours})"
        self._triples = f"?ours ?p ?o FILTER({is_ours} && !(?ours = {dataset} && ?p = {belongs}))"

    def claims(self) -> set[str]:
        """The graphs that have the base IRI on the server: none, one, or several after a race."""
        return set(self._values(f"SELECT ?graph {{ {self._claims} }}", str))

    def build_ids(self) -> set[str]:
        """The build id of the complete graph on the server, if there is one."""
        return set(self._values(f"SELECT ?id {{ {self._sign} }}", str))

    def release(self) -> None:
        """Take the base IRI from the graph that has it."""
        self._update(f"DELETE WHERE {{ {self._sign} }};\nDELETE WHERE {{ {self._claims} }}")

    def take(self) -> bool:
        """Claim the base IRI unless another graph has it, and mark the graph as incomplete; whether it is ours now."""
        free = f"FILTER NOT EXISTS {{ {self._claims} }}"
        self._update(f"INSERT {{ {self._claims.replace('?graph', f'<{self.claim}>')} }} WHERE {{ {free} }}")
        # Another export may have claimed it at the same time: then both see two claims, and neither goes on.
        if self.claims() != {self.claim}:
            return False
        self._update(f"DELETE WHERE {{ {self._sign} }}")
        return True

    def count(self) -> int:
        """The number of triples of the graph on the server, without its claim."""
        triples = f"{{ {self._triples} }} UNION {{ GRAPH ?ours {{ ?s ?p ?o }} {self._ours} }}"
        return sum(self._values(f"SELECT (COUNT(*) AS ?n) {{ {triples} }}", int))

    def clear(self, count: int) -> None:
        """Remove the graph from the server, except its claim, in requests of bounded size; it has `count` triples."""
        for graphs in self._graphs():
            self._update(";\n".join(f"DROP SILENT GRAPH <{graph}>" for graph in graphs))
        triples = f"{{ SELECT ?ours ?p ?o {{ {self._triples} }} LIMIT {_TRIPLES_A_REQUEST} }}"
        requests = 0
        while self._values(f"SELECT ?ours {{ {self._triples} }} LIMIT 1", str):
            # A server that ignores updates would be asked without end.
            if requests * _TRIPLES_A_REQUEST > count:
                raise self._keeps()
            self._update(f"DELETE {{ ?ours ?p ?o }} WHERE {{ {triples} }}")
            requests += 1

    def _graphs(self) -> Iterator[list[str]]:
        """Iterate over the names of this graph's named graphs, until none is left."""
        query = f"SELECT DISTINCT ?ours {{ GRAPH ?ours {{ ?s ?p ?o }} {self._ours} }} LIMIT {_GRAPHS_A_REQUEST}"
        previous: list[str] = []
        while left := self._values(query, str):
            if not set(left).isdisjoint(previous):
                raise self._keeps()
            previous = left
            yield left

    def _keeps(self) -> StoreError:
        return StoreError(
            "the server does not remove what an update removes",
            where=f"{self._address}/update",
            remedy="check that the data set is not read-only",
        )

    def add(self, quads: bytes) -> None:
        """Add N-Quads; those that the server already has are not duplicated."""
        headers = {"Content-Type": "application/n-quads", "Content-Encoding": "gzip"}
        self._post("data", gzip.compress(quads, 4), headers)

    def _update(self, text: str) -> None:
        self._post("update", text.encode(), {"Content-Type": "application/sparql-update"})

    def _values(self, text: str, read: Callable[[str], T]) -> list[T]:
        """Return the values of the only variable of a SELECT query."""
        headers = {"Content-Type": "application/sparql-query", "Accept": "application/sparql-results+json"}
        answer = self._post("query", text.encode(), headers)
        try:
            solutions: Any = pyoxigraph.parse_query_results(answer, pyoxigraph.QueryResultsFormat.JSON)
            return [read(row[0].value) for row in solutions]
        except (SyntaxError, ValueError, TypeError, AttributeError, LookupError) as error:
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
