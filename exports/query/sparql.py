"""SPARQL queries over the graph's own embedded store, an Oxigraph directory or a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from exports.query.confined import ask as ask_engine
from exports.query.engine_process import MAX_ROWS, EngineError, Limits, check_limits
from exports.query.parameters import checked_parameters, language_of, sparql_with
from exports.query.sparql_guard import judge
from exports.query.text import error_at
from exports.rdf.terms import PREFIXES
from exports.targets import scheme_of
from schemas.arguments import path_of
from schemas.errors import QueryError, StoreError
from schemas.interrupts import QUERY_SECONDS
from schemas.kept_stores import kept_store, use_store
from schemas.output_files import MARKER, new_directory
from schemas.provenance import measurements_version
from schemas.results import Table
from schemas.script_graph import StoredGraph

_LOCAL_LOCATION = re.compile(r"^error at (\d{1,9}):(\d{1,9}): (.*)", re.DOTALL)


def run_query(
    source: StoredGraph | str | Path,
    text: str,
    *,
    parameters: Mapping[str, object] | None = None,
    ask: Callable[[str], str] | None = None,
    timeout: float = QUERY_SECONDS,
    max_rows: int = MAX_ROWS,
    confined: bool = True,
) -> Table:
    """Return the result of the SPARQL query `text` over a graph's own store, an Oxigraph directory or a server.

    A server is identified by the address of its query service (``https://HOST/DATASET/query``). The prefixes of
    `exports.rdf.terms.PREFIXES` need no declaration, nor does ``data:``, the base IRI of a graph directory. On disk
    the default graph of a query is the union of all graphs; a server has its own default. ASK returns one row;
    CONSTRUCT and DESCRIBE return triples.

    `parameters` are values for variables to which VALUES gives one value, in place of this one.

    `timeout` is the time limit in seconds and `max_rows` that of the result. A query on disk runs in a process that may
    neither make connections nor write files, unless `confined` is false (see `exports.query.confined`). If the server
    requires a user and the environment has none, `ask` prompts for it.

    Raises
    ------
    QueryError
        If the query does not parse (the error has line and column), would write or contact another server, exceeds
        a limit, or fails.
    StoreError
        If the store or server cannot be opened.
    ConfigurationError
        If this platform cannot confine a process, or an argument is of another type.
    """
    check_limits(timeout, max_rows)
    judged = judge(sparql_with(text, checked_parameters(parameters), language_of(source)))
    if isinstance(source, str) and ("://" in source or scheme_of(source) in ("http", "https")):
        # A query on disk does not need the client, whose import takes long.
        from exports.query.sparql_server import query_server

        return query_server(source, judged.text, ask, timeout, max_rows)
    prefixes = PREFIXES | ({"data": source.manifest.base_iri} if isinstance(source, StoredGraph) else {})
    request = {"text": judged.text, "prefixes": prefixes, "union": not judged.has_dataset}
    limits = Limits(timeout=timeout, max_rows=max_rows, confined=confined)

    def answer(path: Path) -> Table:
        if not (path / MARKER).is_file():
            raise StoreError("is not an Oxigraph store", where=str(path), remedy="export a graph to it first")
        return ask_engine("oxigraph", path, request, limits)

    try:
        if isinstance(source, StoredGraph):
            return use_store(lambda: embedded_store(source), answer)
        return answer(path_of("source", source))
    except EngineError as error:
        if error.is_syntax:
            raise syntax_error(judged.text, str(error)) from error
        raise QueryError(f"the query fails ({error})") from error


def embedded_store(graph: StoredGraph, progress: Callable[[int], None] | None = None) -> Path:
    """Return the graph's own store under its directory, built if there is none of this build; remove older ones.

    `progress` is called with the number of rows done since its last call.

    Raises
    ------
    StoreError
        If it cannot be written.
    """

    def write(path: Path) -> None:
        # Importing it takes long, and most queries find a store.
        from exports.rdf.oxigraph_store import load

        load(graph, path, progress)

    version = measurements_version(graph.directory, graph.build_id)
    return kept_store(graph, "oxigraph", version, new_directory, write)


def syntax_error(text: str, message: str) -> QueryError:
    """The error for a query that Oxigraph refuses with a message: with line and column, and what may be meant."""
    match = _LOCAL_LOCATION.match(message)
    if match is None:
        return QueryError(f"the query does not parse ({message})")
    if "Prefix not found" in match[3]:
        known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
        return error_at(
            "a prefix is not declared", text, int(match[1]), int(match[2]), f"without declaration one may use {known}"
        )
    return error_at("the query does not parse", text, int(match[1]), int(match[2]))
