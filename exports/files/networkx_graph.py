"""The graph in networkx."""

from __future__ import annotations

import networkx as nx

from exports.neo4j.property_graph import ENDS, KEY, node_batches, relation_batches
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import ScriptGraph, check_graph


def to_networkx(graph: ScriptGraph) -> nx.MultiDiGraph:
    """The graph in memory: nodes are their IRIs, the key of an edge is its relation type.

    Nodes and edges carry their `type` and their properties; a property without a value is left out. `graph.graph`
    holds `base_iri` and `build_id`.
    """
    check_graph(graph)
    result = nx.MultiDiGraph(base_iri=graph.manifest.base_iri, build_id=graph.build_id)
    for label in NODE_TYPES:
        for batch in node_batches(graph, label):
            result.add_nodes_from((row.pop(KEY), {"type": label, **_known(row)}) for row in batch.to_pylist())
    for name in RELATION_TYPES:
        for batch in relation_batches(graph, name):
            result.add_edges_from(
                (row.pop(ENDS[0]), row.pop(ENDS[1]), name, {"type": name, **_known(row)}) for row in batch.to_pylist()
            )
    return result


def _known(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if value is not None}
