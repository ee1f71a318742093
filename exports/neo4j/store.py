"""Neo4j: merge the graph into a database, batch by batch; an interrupted export is run again.

Properties that others added to the graph's nodes stay. `exports.neo4j.ownership` tells the nodes of several graphs
apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from exports.neo4j.connection import Database, connected
from exports.neo4j.ownership import BUILD, GRAPH, Ownership
from exports.neo4j.property_graph import ENDS, KEY, constraints, node_batches, portions, quoted, relation_batches
from exports.neo4j.search import write_indexes
from exports.targets import ExportOptions, another_graph, report
from schemas.addresses import without_user
from schemas.errors import StoreError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.results import ExportReport
from schemas.script_graph import StoredGraph
from schemas.type_declarations import Property

_ROWS = 5_000
_BYTES = 4 << 20
"""Limits of a transaction, which client and server hold in memory."""


def export(graph: StoredGraph, target: str, options: ExportOptions) -> ExportReport:
    """Merge the graph into the database at `target` (``neo4j://HOST``, ``bolt+s://HOST:PORT``, ...).

    Constraints come first, then nodes, then relations, each merged by its IRI or ends: run again, after an
    interruption or not, it writes nothing twice. Transient errors are retried for half a minute.

    Raises
    ------
    GraphDirectoryError
        If the graph's id cannot be read.
    StoreError
        If the server cannot be reached, refuses, fails or does not respond in time (what was written so far stays), or
        has another graph under the same base IRI.
    """
    graph_id = graph.graph_id
    where = without_user(target)
    details: dict[str, str | int | float] = {"build": graph.build_id}
    with connected(target, options.database, options.ask) as database:
        ownership = Ownership(database, graph, graph_id)
        options.begin("looking for another graph")
        if not options.replace_graph and (nodes := ownership.others()):
            raise another_graph(graph, where, f"{nodes:,} nodes")
        if not options.dry_run:
            if options.replace_graph:
                options.begin("taking over another graph")
                ownership.take_over()
            options.begin("creating constraints")
            # Without them each merge would read all nodes of its label.
            for statement in constraints():
                database.run(statement)
            _merge(database, graph, graph_id, where, options)
            if options.indexes:
                options.begin("writing vectors and indexes")
                details["vectors"] = write_indexes(database, graph, graph_id)
        if options.prune or options.replace_graph:
            options.begin("looking for outdated nodes" if options.dry_run else "removing outdated nodes")
            details |= ownership.prunable() if options.dry_run else ownership.prune()
    return report(graph, where, **details)


def _merge(database: Database, graph: StoredGraph, graph_id: str, where: str, options: ExportOptions) -> None:
    """Write all nodes, then all relations."""

    def write(query: str, batches: Iterable[pa.RecordBatch], lacks: StoreError) -> None:
        """Run `query` for all rows; `lacks` is the error if it does not write them all."""
        for batch in batches:
            for portion in portions(batch, _ROWS, _BYTES):
                rows = list(zip(*(column.to_pylist() for column in portion.columns), strict=True))
                if database.write(query, {"rows": rows, "graph": graph_id, "build": graph.build_id}) != len(rows):
                    raise lacks
                options.advance(len(rows))

    lacks = another_graph(graph, where, "nodes")
    options.begin("writing nodes")
    for label, node in NODE_TYPES.items():
        write(merge_nodes(label, node.properties), node_batches(graph, label), lacks)
    lacks = StoreError(
        "relations have no nodes: others removed them at the same time",
        where=where,
        remedy="run the export again when nobody else writes to the database",
    )
    options.begin("writing relations")
    for name, relation in RELATION_TYPES.items():
        for ends in relation.ends:
            write(merge_relations(name, ends, relation.properties), relation_batches(graph, name, ends), lacks)


def merge_nodes(label: str, properties: tuple[Property, ...]) -> str:
    """The query that merges `$rows` (a list each: IRI, then properties) as nodes and returns their number.

    It leaves out the nodes of another graph, which was not there when the export began.
    """
    values = _assignments("n", properties, first=1)
    return (
        f"UNWIND $rows AS row MERGE (n:{quoted(label)} {{{KEY}: row[0]}}) "
        f"WITH n, row WHERE coalesce(n.{GRAPH}, $graph) = $graph "
        f"SET {', '.join([*values, f'n.{GRAPH} = $graph', f'n.{BUILD} = $build'])} RETURN count(*)"
    )


def merge_relations(name: str, ends: tuple[str, str], properties: tuple[Property, ...]) -> str:
    """The query that merges `$rows` (a list each: both IRIs, then properties) as relations and returns their number."""
    values = _assignments("r", properties, first=len(ENDS))
    start, end = map(quoted, ends)
    return (
        f"UNWIND $rows AS row MATCH (a:{start} {{{KEY}: row[0]}}) MATCH (b:{end} {{{KEY}: row[1]}}) "
        f"MERGE (a)-[r:{quoted(name)}]->(b) SET {', '.join([*values, f'r.{BUILD} = $build'])} RETURN count(*)"
    )


def _assignments(variable: str, properties: tuple[Property, ...], first: int) -> Iterator[str]:
    return (f"{variable}.{quoted(item.name)} = row[{i}]" for i, item in enumerate(properties, first))
