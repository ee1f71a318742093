"""Cypher queries over the graph's own embedded store, a Ladybug file or a Bolt server; one query text fits all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from exports.cypher.ladybug_store import check_store, embedded_store
from exports.query.confined import ask as ask_engine
from exports.query.cypher_guard import judge
from exports.query.engine_process import MAX_ROWS, EngineError, Limits, check_limits
from exports.query.parameters import checked_parameters, cypher_with
from exports.query.text import ONLY_READS, error_at, line_of
from exports.targets import scheme_of
from schemas.arguments import path_of
from schemas.errors import QueryError
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.interrupts import QUERY_SECONDS
from schemas.kept_stores import use_store
from schemas.results import Table
from schemas.script_graph import StoredGraph

_LADYBUG_LOCATION = re.compile(r"\(line: (\d{1,9}), offset: (\d{1,9})\)")
_PROPERTIES = {
    item.name
    for properties in (kind.properties for kinds in (NODE_TYPES, RELATION_TYPES) for kind in kinds.values())
    for item in properties
}


def run_query(
    source: StoredGraph | str | Path,
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
    and `ask` prompts for a password, as in `exports.neo4j.connection.connected`. Nodes and relations in the result are
    mappings of their properties, with their type as `_label`. `parameters` are values by name; others have the defaults
    of comments ``// :param NAME => VALUE``.

    `timeout` is the time limit in seconds and `max_rows` that of the result. A query on disk runs in a process that may
    neither open nor write files, unless `confined` is false (see `exports.query.confined`).

    Raises
    ------
    QueryError
        If the query does not parse (the error has line and column), would write, exceeds a limit, or fails.
    StoreError
        If the store or server cannot be opened.
    ConfigurationError
        If this platform cannot confine a process, or an argument is of another type.
    """
    check_limits(timeout, max_rows)
    judged = judge(text, cypher_with(text, checked_parameters(parameters)))
    if isinstance(source, str) and ("://" in source or scheme_of(source).startswith(("bolt", "neo4j"))):
        # A query on disk does not need the driver, whose import takes long.
        from exports.neo4j.bolt import query_server

        return query_server(source, judged.text, judged.parameters, database, ask, timeout, max_rows)
    request = {"text": judged.text, "parameters": judged.parameters}
    limits = Limits(timeout=timeout, max_rows=max_rows, confined=confined)

    def answer(path: Path) -> Table:
        check_store(path)
        return ask_engine("ladybug", path, request, limits)

    try:
        if isinstance(source, StoredGraph):
            return use_store(lambda: embedded_store(source), answer)
        return answer(path_of("source", source))
    except EngineError as error:
        raise _ladybug_error(judged.text, str(error)) from error


def _ladybug_error(text: str, message: str) -> QueryError:
    first = message.partition("\n")[0]
    if "read-only" in first:
        return QueryError("the query writes", remedy=ONLY_READS)
    if location := _LADYBUG_LOCATION.search(message):
        line, offset = int(location[1]), int(location[2])
        word = re.split(r"\W", line_of(text, line)[offset:])[0]
        remedy = f"it is a reserved word: write it in backticks, `{word}`" if word in _PROPERTIES else None
        return error_at("the query does not parse", text, line, offset + 1, remedy)
    return QueryError(first.partition("exception: ")[2] or first)
