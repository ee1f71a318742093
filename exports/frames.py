"""The graph as pandas data frames."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from exports.property_graph import node_batches, node_schema, relation_batches, relation_schema
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import ScriptGraph, check_graph


def to_frames(graph: ScriptGraph) -> dict[str, pd.DataFrame]:
    """One frame for each node type and relation type, by the type's name.

    Frames of nodes begin with the column `iri`, frames of relations with `from_iri` and `to_iri`; properties follow
    under their own names with Arrow types, so that integer columns with missing values stay integers.
    """
    check_graph(graph)
    tables = {
        label: pa.Table.from_batches(node_batches(graph, label), schema=node_schema(label)) for label in NODE_TYPES
    }
    for name in RELATION_TYPES:
        tables[name] = pa.Table.from_batches(relation_batches(graph, name), schema=relation_schema(name))
    return {name: table.to_pandas(types_mapper=pd.ArrowDtype) for name, table in tables.items()}
