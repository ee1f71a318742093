"""GraphML, for Gephi, Cytoscape, yEd and similar tools, written by networkx.

GraphML has no lists, and XML does not keep some characters, such as NUL. Lists are written as JSON. In texts with
such characters, they are replaced by U+FFFD, and an additional property with the suffix `_json` holds the exact text
as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import networkx as nx

from exports.neo4j.property_graph import ENDS, KEY, node_batches, relation_batches
from exports.targets import ExportOptions, compression_of, opened, report
from schemas.graph_directory import graph_files
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.output_files import new_file
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph

_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EXACT = "_json"


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Write the graph as GraphML (``.graphml``, ``.graphml.gz``, ``.graphml.zst``).

    Raises
    ------
    StoreError
        If the file cannot be written.
    """
    path = Path(target)
    if options.dry_run:
        return report(graph, target)
    with new_file(path, inputs=graph_files(graph.directory)) as temporary:
        with opened(temporary, compression_of(path)) as file:
            nx.write_graphml_xml(_network(graph, options), file)
        size = temporary.stat().st_size
    return report(graph, target, bytes=size)


def _network(graph: StoredGraph, options: ExportOptions) -> nx.MultiDiGraph:
    result = nx.MultiDiGraph(id=graph.manifest.base_iri)
    for label in NODE_TYPES:
        for batch in node_batches(graph, label):
            result.add_nodes_from((row.pop(KEY), {"type": label, **dict(_data(row))}) for row in batch.to_pylist())
            options.advance(batch.num_rows)
    numbers = count(1)
    for name in RELATION_TYPES:
        for batch in relation_batches(graph, name):
            result.add_edges_from(
                (*(row.pop(end) for end in ENDS), f"e{next(numbers)}", {"type": name, **dict(_data(row))})
                for row in batch.to_pylist()
            )
            options.advance(batch.num_rows)
    return result


def _data(row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, list):
            yield name, json.dumps(value)
        elif isinstance(value, str) and _NOT_XML.search(value):
            yield name, _NOT_XML.sub("\ufffd", value)
            yield name + _EXACT, json.dumps(value)
        elif value is not None:
            yield name, value
