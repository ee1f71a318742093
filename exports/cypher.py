"""Cypher queries over the graph's own embedded store, a Ladybug file or a Bolt server; one query text fits all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from exports.confined import MAX_ROWS, EngineError, Limits
from exports.confined import ask as ask_engine
from exports.ladybug_store import check_store, embedded_store
from exports.query_errors import ONLY_READS, error_at
from exports.results import Table
from exports.targets import scheme_of
from exports.time_limit import QUERY_SECONDS
from schemas.errors import QueryError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import ScriptGraph

_OPAQUE = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_READING = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "CALL")
_LADYBUG_LOCATION = re.compile(r"\(line: (\d+), offset: (\d+)\)")
_PROPERTIES = {
    item.name
    for properties in (kind.properties for kinds in (NODE_TYPES, RELATION_TYPES) for kind in kinds.values())
    for item in properties
}


def run_query(
    source: ScriptGraph | str | Path,
    text: str,
    *,
    parameters: Mapping[str, object] | None = None,
    database: str | None = None,
    ask: Callable[[str], str] | None = None,
    timeout: float = QUERY_SECONDS,
    max_rows: int = MAX_ROWS,
    confined: bool = True,
) -> Table:
    """Return the result of the Cypher query `text` over a graph's own store, a Ladybug file or a server.

    A server is identified by its address (``bolt://HOST``, ``neo4j+s://HOST``, ...); `database` is one of its databases
    and `ask` prompts for a password, as in `exports.neo4j_connection.connected`. Nodes and relations in the result are
    mappings of their properties, with their type as `_label`.

    `timeout` is the time limit in seconds and `max_rows` that of the result. A query on disk runs in a process that may
    neither open nor write files, unless `confined` is false (see `exports.confined`).

    Raises
    ------
    QueryError
        If the query does not parse (the error has line and column), would write, exceeds a limit, or fails.
    StoreError
        If the store or server cannot be opened.
    ConfigurationError
        If this platform cannot confine a process.
    """
    if isinstance(source, str) and ("://" in source or scheme_of(source).startswith(("bolt", "neo4j"))):
        # A query on disk does not need the driver, whose import takes long.
        from exports.bolt import query_server

        return query_server(source, text, parameters or {}, database, ask, timeout, max_rows)
    used = _check_reading(text, parameters or {})
    path = embedded_store(source) if isinstance(source, ScriptGraph) else Path(source)
    check_store(path)
    request = {"text": text, "parameters": used}
    try:
        return ask_engine("ladybug", path, request, Limits(timeout=timeout, max_rows=max_rows, confined=confined))
    except EngineError as error:
        raise _ladybug_error(text, str(error)) from error


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
            f"the query begins with {words[0]!r}", remedy=f"begin with {', '.join(_READING)}: {ONLY_READS}"
        )
    used = set(re.findall(r"\$(\w+)", statement))
    if missing := used - parameters.keys():
        raise QueryError(f"the query's parameter {min(missing)!r} has no value")
    return {name: parameters[name] for name in used}


def _ladybug_error(text: str, message: str) -> QueryError:
    first = message.partition("\n")[0]
    if "read-only" in first:
        return QueryError("the query writes", remedy=ONLY_READS)
    if found := _LADYBUG_LOCATION.search(message):
        line, offset = int(found[1]), int(found[2])
        word = re.split(r"\W", text.split("\n")[line - 1][offset:])[0]
        remedy = f"it is a reserved word: write it in backticks, `{word}`" if word in _PROPERTIES else None
        return error_at("the query does not parse", text, line, offset + 1, remedy)
    return QueryError(first.partition("exception: ")[2] or first)
