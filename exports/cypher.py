"""Cypher queries over the graph's own embedded store, a Ladybug file or a Bolt server; one query text fits all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import ladybug
import neo4j
from neo4j.exceptions import ClientError
from neo4j.graph import Node, Relationship
from neo4j.graph import Path as GraphPath

from exports.ladybug_store import connection, embedded_store
from exports.neo4j_connection import SCHEMES, call_within
from exports.neo4j_store import BUILD, GRAPH
from exports.query_errors import error_at
from exports.results import Table, Value
from exports.targets import scheme_of
from exports.time_limit import QUERY_SECONDS
from schemas.errors import QueryError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import ScriptGraph

_OPAQUE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_READING = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL")
_LADYBUG_LOCATION = re.compile(r"\(line: (\d+), offset: (\d+)\)")
_NEO4J_LOCATION = re.compile(r"\(line (\d+), column (\d+) \(offset: \d+\)\)")
_PROPERTIES = {
    item.name
    for properties in (kind.properties for kinds in (NODE_TYPES, RELATION_TYPES) for kind in kinds.values())
    for item in properties
}
_ONLY_READS = "queries only read; `kgscripts export` writes"


def run_query(
    source: ScriptGraph | str | Path,
    text: str,
    *,
    parameters: Mapping[str, object] | None = None,
    database: str | None = None,
    ask: Callable[[str], str] | None = None,
    timeout: float = QUERY_SECONDS,
) -> Table:
    """Return the result of the Cypher query `text` over a graph's own store, a Ladybug file or a server.

    A server is identified by its address (``bolt://HOST``, ``neo4j+s://HOST``, ...); `database` is one of its databases
    and `ask` prompts for a password, as in `exports.neo4j_connection.connected`; `timeout` is the time limit of a
    server in seconds. Nodes and relations in the result are
    mappings of their properties, with their type as `_label`.

    Raises
    ------
    QueryError
        If the query does not parse (the error has line and column), would write, or fails.
    StoreError
        If the store or server cannot be opened.
    """
    if isinstance(source, ScriptGraph):
        return _query_ladybug(embedded_store(source), text, parameters or {})
    if isinstance(source, str) and ("://" in source or scheme_of(source) in SCHEMES):
        return _query_server(source, text, parameters or {}, database, ask, timeout)
    return _query_ladybug(Path(source), text, parameters or {})


def _query_ladybug(path: Path, text: str, parameters: Mapping[str, object]) -> Table:
    used = _check_reading(text, parameters)
    with connection(path) as opened:
        try:
            # One statement has one result: `_check_reading` refuses more.
            result = cast(ladybug.QueryResult, opened.execute(text, used))
            columns, rows = result.get_column_names(), result.get_all()
        except RuntimeError as error:
            raise _ladybug_error(text, str(error)) from error
    return Table(columns=columns, rows=[tuple(map(_plain, row)) for row in rows])


def _check_reading(text: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """Refuse statements that Ladybug runs even on a read-only store (writing files, installing extensions).

    Return the parameters that the query uses: Ladybug takes a missing one as null and refuses an unused one.
    """
    statement = _OPAQUE.sub(lambda found: " " if found[0][0] == "/" else "x", text).strip().removesuffix(";")
    words = statement.split()
    if not words:
        raise QueryError("the query is empty", remedy="for example: MATCH (tool:Tool) RETURN tool.label")
    if ";" in statement:
        raise QueryError("there is more than one statement", remedy="run them one by one")
    if re.split(r"\W", words[0])[0].upper() not in _READING:
        raise QueryError(
            f"the query begins with {words[0]!r}", remedy=f"begin with {', '.join(_READING)}: {_ONLY_READS}"
        )
    used = set(re.findall(r"\$(\w+)", statement))
    if missing := used - parameters.keys():
        raise QueryError(f"the query's parameter {min(missing)!r} has no value")
    return {name: parameters[name] for name in used}


def _ladybug_error(text: str, message: str) -> QueryError:
    first = message.partition("\n")[0]
    if "read-only" in first:
        return QueryError("the query writes", remedy=_ONLY_READS)
    if found := _LADYBUG_LOCATION.search(message):
        line, offset = int(found[1]), int(found[2])
        word = re.split(r"\W", text.split("\n")[line - 1][offset:])[0]
        remedy = f"it is a reserved word: write it in backticks, `{word}`" if word in _PROPERTIES else None
        return error_at("the query does not parse", text, line, offset + 1, remedy)
    return QueryError(first.partition("exception: ")[2] or first)


def _query_server(
    uri: str,
    text: str,
    parameters: Mapping[str, object],
    database: str | None,
    ask: Callable[[str], str] | None,
    timeout: float,
) -> Table:
    def read(driver: neo4j.Driver) -> Table:
        with driver.session(database=database, default_access_mode=neo4j.READ_ACCESS) as session:
            return _read(session, text, parameters, timeout)

    return call_within(timeout, uri, read, ask)


def _read(session: neo4j.Session, text: str, parameters: Mapping[str, object], timeout: float) -> Table:
    transaction = session.begin_transaction(timeout=timeout)
    try:
        result = transaction.run(text, dict(parameters))
        columns, rows = result.keys(), result.values()
        writes = result.consume().counters.contains_updates
    except ClientError as error:
        if (error.code or "").startswith("Neo.ClientError.Statement."):
            raise _neo4j_error(text, error) from error
        raise
    finally:
        # Rolled back: Neo4j refuses to write here, other Bolt servers may not.
        transaction.close()
    if writes:
        raise QueryError("the query writes", remedy=_ONLY_READS)
    return Table(columns=columns, rows=[tuple(map(_plain, row)) for row in rows])


def _neo4j_error(text: str, error: ClientError) -> QueryError:
    message = (error.message or str(error)).strip()
    if (error.code or "").endswith(".AccessMode"):
        return QueryError("the query writes", remedy=_ONLY_READS)
    location = _NEO4J_LOCATION.search(message)
    if location is None or location[1] == "0":
        return QueryError(message.partition("\n")[0].partition(" (line 0")[0])
    line, column = int(location[1]), int(location[2])
    # Neo4j counts UTF-16 code units, as Java does.
    before = text.split("\n")[line - 1].encode("utf-16-le")[: 2 * (column - 1)].decode("utf-16-le", "ignore")
    return error_at(message[: location.start()].strip(), text, line, len(before) + 1)


def _plain(value: Any) -> Value:
    """A value of a result, the same for all stores."""
    if isinstance(value, GraphPath):
        return {"nodes": [_plain(node) for node in value.nodes], "relations": [_plain(r) for r in value.relationships]}
    if isinstance(value, Node):
        return _element(next(iter(value.labels), ""), dict(value))
    if isinstance(value, Relationship):
        return _element(value.type, dict(value))
    if isinstance(value, dict):
        if "_NODES" in value:
            return {"nodes": _plain(value["_NODES"]), "relations": _plain(value["_RELS"])}
        if "_LABEL" in value:
            return _element(value["_LABEL"], value)
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _element(label: str, properties: dict[str, Any]) -> Value:
    known = {
        name: _plain(item)
        for name, item in sorted(properties.items())
        if item is not None and name[0] != "_" and name not in (GRAPH, BUILD)
    }
    return {"_label": label, **known}
