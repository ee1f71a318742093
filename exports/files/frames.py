"""The graph as pandas data frames."""

from __future__ import annotations

import pandas as pd

from schemas.script_graph import ScriptGraph, check_graph
from schemas.tables import TABLE_NAMES


def to_frames(graph: ScriptGraph) -> dict[str, pd.DataFrame]:
    """One frame for each node type and relation type, by the type's name.

    The columns are those of `graph.select` and `graph.rows`: `id` first for nodes, `from_id` and `to_id` for relations,
    then the properties. `graph.iri` gives the IRI of an id, which queries return. Columns have Arrow types, so that
    integers with missing values stay integers.
    """
    check_graph(graph)
    return {name: graph.table(name).to_pandas(types_mapper=pd.ArrowDtype) for name in TABLE_NAMES}
