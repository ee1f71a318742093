"""Cypher queries to servers that speak Bolt."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import neo4j
from neo4j.exceptions import ClientError
from neo4j.graph import Node, Path, Relationship

from exports.neo4j.connection import call_within
from exports.neo4j.ownership import BUILD, GRAPH
from exports.query.engine_process import at_most
from exports.query.text import ONLY_READS, error_at, line_of
from exports.query.values import cypher_value, element
from schemas.errors import QueryError
from schemas.results import Table, Value

_NEO4J_LOCATION = re.compile(r"\(line (\d{1,9}), column (\d{1,9}) \(offset: \d+\)\)")


def query_server(
    uri: str,
    text: str,
    parameters: Mapping[str, object],
    database: str | None,
    ask: Callable[[str], str] | None,
    timeout: float,
    max_rows: int,
) -> Table:
    """Return the result of a query that only reads, from the server at `uri`.

    Raises
    ------
    QueryError
        If the query does not parse, would write, fails, or has a result of more than `max_rows` rows.
    StoreError
        If the server cannot be reached, or does not respond in time.
    """

    def read(driver: neo4j.Driver) -> Table:
        with driver.session(database=database, default_access_mode=neo4j.READ_ACCESS) as session:
            return _read(session, text, parameters, timeout, max_rows)

    return call_within(timeout, uri, read, ask)


def _read(session: neo4j.Session, text: str, parameters: Mapping[str, object], timeout: float, max_rows: int) -> Table:
    transaction = session.begin_transaction(timeout=timeout)
    try:
        result = transaction.run(text, dict(parameters))
        columns, rows = result.keys(), at_most(max_rows, (tuple(map(_value, record)) for record in result))
        writes = result.consume().counters.contains_updates
    except ClientError as error:
        if (error.code or "").startswith("Neo.ClientError.Statement."):
            raise _neo4j_error(text, error) from error
        raise
    finally:
        # Rolled back: Neo4j refuses to write here, other Bolt servers may not.
        transaction.close()
    if writes:
        raise QueryError("the query writes", remedy=ONLY_READS)
    return Table(columns=columns, rows=rows)


def _neo4j_error(text: str, error: ClientError) -> QueryError:
    message = (error.message or str(error)).strip()
    if (error.code or "").endswith(".AccessMode"):
        return QueryError("the query writes", remedy=ONLY_READS)
    location = _NEO4J_LOCATION.search(message)
    if location is None or location[1] == "0":
        return QueryError(message.partition("\n")[0].partition(" (line 0")[0])
    line, column = int(location[1]), int(location[2])
    # Neo4j counts UTF-16 code units, as Java does.
    before = line_of(text, line).encode("utf-16-le")[: 2 * max(0, column - 1)].decode("utf-16-le", "ignore")
    return error_at(message[: location.start()].strip() or "the query does not parse", text, line, len(before) + 1)


def _value(value: Any) -> Value:
    """A value of the driver as `exports.query.values.cypher_value` has it."""
    if isinstance(value, Path):
        return {"nodes": [_value(node) for node in value.nodes], "relations": [_value(r) for r in value.relationships]}
    if isinstance(value, Node | Relationship):
        label = value.type if isinstance(value, Relationship) else next(iter(value.labels), "")
        return element(label, {name: _value(item) for name, item in value.items() if name not in (GRAPH, BUILD)})
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return cypher_value(value)
