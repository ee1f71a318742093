"""The graph that is served: one that was built again is taken up, and no answer is made of two builds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from exports.cypher import run_query as run_cypher
from exports.rdf.terms import PREFIXES
from exports.serve.limits import ServerLimits
from exports.serve.protocol import ProtocolRequest
from exports.serve.sparql import Answer, answer
from exports.sparql import embedded_store
from schemas.errors import GraphDirectoryError
from schemas.graph_directory import NEXT
from schemas.kept_stores import use_store
from schemas.results import Table
from schemas.script_graph import ScriptGraph

T = TypeVar("T")

_SWAP_SECONDS = 5.0
"""How long a new build may take to move its files into place."""
_Identity = tuple[int, int, int]


class Served:
    """A graph directory, and what is asked of it.

    Raises GraphDirectoryError if there is no graph, and later if it is gone for more than some seconds.
    """

    def __init__(self, directory: Path, limits: ServerLimits) -> None:
        self.directory = directory
        self.limits = limits
        self._opened: tuple[_Identity, ScriptGraph] | None = None
        self.graph()

    def graph(self) -> ScriptGraph:
        """The graph as it is now; while a new build is moved into place, it is waited for."""
        end = time.monotonic() + _SWAP_SECONDS
        while True:
            identity, opened = self._identity(), self._opened
            if opened is not None and opened[0] == identity:
                return opened[1]
            try:
                graph = ScriptGraph.open(self.directory)
            except GraphDirectoryError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)
            else:
                if identity is not None and identity == self._identity():
                    self._opened = identity, graph

    @property
    def latest(self) -> str | None:
        """The id of the graph's build if it is known without waiting."""
        opened = self._opened
        return opened[1].build_id if opened is not None and opened[0] == self._identity() else None

    def consistently(self, work: Callable[[ScriptGraph], T]) -> T:
        """What `work` gives for the graph; again if the graph was replaced meanwhile."""
        while True:
            graph = self.graph()
            try:
                result = work(graph)
            except Exception:
                if self.graph() is graph:
                    raise
            else:
                if self.graph() is graph:
                    return result

    def sparql(self, request: ProtocolRequest, accept: str | None) -> Answer:
        """See `exports.serve.sparql.answer`."""

        def asked(graph: ScriptGraph) -> Answer:
            prefixes = PREFIXES | {"data": graph.manifest.base_iri}
            return use_store(
                lambda: embedded_store(graph), lambda path: answer(path, request, accept, prefixes, self.limits)
            )

        return self.consistently(asked)

    def cypher(self, query: str, parameters: Mapping[str, object]) -> Table:
        """The rows of a query in Cypher."""
        seconds, rows = self.limits.query_seconds, self.limits.rows
        return self.consistently(
            lambda graph: run_cypher(graph, query, parameters=parameters, timeout=seconds, max_rows=rows)
        )

    def iri(self, identifier: str) -> str:
        """The IRI of a node by its id, which a client names."""
        return self.graph().iri(quote(identifier, safe="/"))

    def _identity(self) -> _Identity | None:
        """Identifies the manifest; None while a new graph is moved into place."""
        try:
            if (self.directory / NEXT / "manifest.json").exists():
                return None
            found = (self.directory / "manifest.json").stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mtime_ns
