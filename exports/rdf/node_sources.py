"""Look up the source of each passage or change of a table that is sorted by them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from schemas.graph_types import NODE_TYPES
from schemas.script_graph import StoredGraph
from schemas.vocabulary import ID_PREFIXES

NODES_OF_SOURCES = tuple(name for name, node in NODE_TYPES.items() if any(p.name == "source" for p in node.properties))
"""The node types whose nodes belong to one source each."""


class NodeSources:
    """A merge join: nodes and relations ascend by the node's id, so one batch of nodes is in memory at a time."""

    def __init__(self, graph: StoredGraph, node_type: str) -> None:
        self._prefix = f"{ID_PREFIXES[node_type]}/"
        self._batches = graph.batches(node_type)
        self._batch = next(self._batches, None)

    def of(self, ids: pa.Array) -> pa.Array:
        """The source of each of `ids`, which ascend within and between calls; null for ids of other types."""
        sources = pa.nulls(len(ids), pa.string())
        nodes = ids.filter(pc.starts_with(ids, self._prefix))
        if not len(nodes):
            return sources
        last = nodes[-1].as_py()
        while self._batch is not None:
            known, their_sources = self._batch.column("id"), self._batch.column("source")
            sources = pc.coalesce(sources, their_sources.take(pc.index_in(ids, value_set=known)))
            if known[-1].as_py() >= last:
                break
            self._batch = next(self._batches, None)
        return sources
