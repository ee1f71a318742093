"""SPARQL queries over the graph's own embedded store, an Oxigraph directory or a server."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph

from exports.atomic_write import MARKER, new_directory
from exports.embedded import kept_store
from exports.query_errors import error_at
from exports.rdf.oxigraph_store import load
from exports.rdf.sparql_client import SparqlClient
from exports.rdf.terms import PREFIXES
from exports.results import Table, Value
from exports.targets import scheme_of
from exports.time_limit import QUERY_SECONDS
from schemas.addresses import without_user
from schemas.errors import QueryError, StoreError
from schemas.script_graph import ScriptGraph

_TOKENS = re.compile(
    r"""(?P<iri><[^<>"{}|^`\\\x00-\x20]*>)
    |(?P<string>\"{3}(?:\"{0,2}(?:\\.|[^"\\]))*\"{3}|'{3}(?:'{0,2}(?:\\.|[^'\\]))*'{3}
                |"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*')
    |(?P<comment>\#[^\n\r]*)
    |(?P<variable>[?$]\w+)
    |(?P<name>[\w.-]*:(?:[\w:%-]|\\.|\.(?=[\w:%\\-]))*)
    |(?P<word>\w+)""",
    re.VERBOSE | re.DOTALL,
)
_READING = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_ONLY_READS = "queries only read; `kgscripts export` writes"
_LOCAL_LOCATION = re.compile(r"^error at (\d+):(\d+): (.*)", re.DOTALL)
_SERVER_LOCATION = re.compile(r"[Ll]ine:? (\d+), [Cc]olumn:? (\d+)")
_NUMBERS = ("double", "float", "decimal")


def run_query(
    source: ScriptGraph | str | Path,
    text: str,
    *,
    ask: Callable[[str], str] | None = None,
    timeout: float = QUERY_SECONDS,
) -> Table:
    """Return the result of the SPARQL query `text` over a graph's own store, an Oxigraph directory or a server.

    A server is identified by the address of its query service (``https://HOST/DATASET/query``). The prefixes of
    `exports.rdf.terms.PREFIXES` need no declaration, nor does ``data:``, the base IRI of a graph directory. On disk
    the default graph of a query is the union of all graphs; a server has its own default. ASK returns one row;
    CONSTRUCT and DESCRIBE return triples. `timeout` is the time limit of a server in seconds.

    Raises
    ------
    QueryError
        If the query does not parse (the error has line and column), would write or contact another server, or fails.
    StoreError
        If the store or server cannot be opened.
    """
    has_dataset = "FROM" in _words(text)
    if isinstance(source, str) and ("://" in source or scheme_of(source) in ("http", "https")):
        return _query_server(source, text, ask, timeout)
    if isinstance(source, ScriptGraph):
        path, prefixes = embedded_store(source), PREFIXES | {"data": source.manifest.base_iri}
    else:
        path, prefixes = Path(source), PREFIXES
    store = opened_store(path)
    try:
        return _table(store.query(text, prefixes=prefixes, use_default_graph_as_union=not has_dataset))
    except SyntaxError as error:
        raise _syntax_error(text, str(error)) from error
    except (OSError, ValueError, RuntimeError) as error:
        raise QueryError(f"the query fails ({error})") from error


def embedded_store(graph: ScriptGraph) -> Path:
    """Return the graph's own store under its directory, built if there is none of this build; remove older ones.

    Raises
    ------
    StoreError
        If it cannot be written.
    """
    return kept_store(graph, "oxigraph", "", new_directory, lambda path: load(graph, path))


def _words(text: str) -> list[str]:
    """Return the keywords of a query.

    Updates are refused, and so is SERVICE, which would send content of the graph to another server.
    """
    words: list[str] = []
    for token in _TOKENS.finditer(text):
        kind, content = token.lastgroup, token[0]
        if kind == "word":
            words.append(content.upper())
        if (kind == "word" and "SERVICE" in content.upper()) or (kind == "name" and _begins_with_service(content)):
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - (text.rfind("\n", 0, token.start()) + 1) + 1
            raise error_at("SERVICE would query another server", text, line, column, "query each server separately")
    first = next((word for word in words if word not in ("PREFIX", "BASE")), None)
    if first is None:
        raise QueryError("the query is empty", remedy="for example: SELECT ?tool { ?step kgs:uses ?tool }")
    if first not in _READING:
        raise QueryError(f"the query begins with {first}", remedy=f"begin with {', '.join(_READING)}: {_ONLY_READS}")
    return words


def _begins_with_service(name: str) -> bool:
    """Whether a prefixed name may be read as SERVICE with a name of the empty prefix after it."""
    return name.partition(":")[0].upper().endswith("SERVICE")


def opened_store(path: Path) -> pyoxigraph.Store:
    """Open the store in the directory `path` read-only.

    Raises
    ------
    StoreError
        If it is not an Oxigraph store or is damaged.
    """
    if not (path / MARKER).is_file():
        raise StoreError("is not an Oxigraph store", where=str(path), remedy="export a graph to it first")
    try:
        return pyoxigraph.Store.read_only(str(path))
    except OSError as error:
        raise StoreError(f"cannot be opened ({error})", where=str(path), remedy="export the graph again") from error


def _syntax_error(text: str, message: str) -> QueryError:
    found = _LOCAL_LOCATION.match(message)
    if found is None:
        return QueryError(f"the query does not parse ({message})")
    if "Prefix not found" in found[3]:
        known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
        return error_at(
            "a prefix is not declared", text, int(found[1]), int(found[2]), f"without declaration one may use {known}"
        )
    return error_at("the query does not parse", text, int(found[1]), int(found[2]))


def _query_server(address: str, text: str, ask: Callable[[str], str] | None, timeout: float) -> Table:
    prologue = " ".join(f"PREFIX {prefix}: <{iri}>" for prefix, iri in PREFIXES.items()) + "\n"
    headers = {
        "Content-Type": "application/sparql-query",
        "Accept": "application/sparql-results+json, application/n-triples;q=0.9",
    }
    with SparqlClient(address, ask, timeout) as client:
        response = client.query(address, (prologue + text).encode(), headers)
    if not response.is_success:
        location = _SERVER_LOCATION.search(response.text)
        if location is None or int(location[1]) < 2:
            raise QueryError(f"the query fails on the server ({response.first_line})", where=without_user(address))
        raise error_at("the query does not parse", text, int(location[1]) - 1, int(location[2]))
    try:
        if response.media_type == "application/n-triples":
            return _triples(quad.triple for quad in pyoxigraph.parse(response.content, pyoxigraph.RdfFormat.N_TRIPLES))
        return _table(pyoxigraph.parse_query_results(response.content, pyoxigraph.QueryResultsFormat.JSON))
    except (SyntaxError, ValueError, AttributeError) as error:
        raise StoreError(
            f"the response is {response.media_type or 'of no type'}, not a SPARQL result",
            where=without_user(address),
            remedy="name the address of a SPARQL query service",
        ) from error


def _table(result: Any) -> Table:
    if isinstance(result, pyoxigraph.QueryBoolean):
        return Table(columns=("answer",), rows=((bool(result),),))
    if isinstance(result, pyoxigraph.QueryTriples):
        return _triples(result)
    columns = tuple(variable.value for variable in result.variables)
    return Table(columns=columns, rows=[tuple(map(_plain, solution)) for solution in result])


def _triples(triples: Any) -> Table:
    rows = [(_plain(triple.subject), _plain(triple.predicate), _plain(triple.object)) for triple in triples]
    return Table(columns=("subject", "predicate", "object"), rows=rows)


def _plain(term: Any) -> Value:
    """A term as a Python value: a number or boolean, else text."""
    if term is None:
        return None
    if isinstance(term, pyoxigraph.BlankNode):
        return f"_:{term.value}"
    if not isinstance(term, pyoxigraph.Literal):
        return str(term.value) if isinstance(term, pyoxigraph.NamedNode) else str(term)
    datatype = term.datatype.value.removeprefix(PREFIXES["xsd"])
    text: str = term.value
    if datatype == "boolean":
        return text in ("true", "1")
    try:
        return int(text) if datatype == "integer" else float(text) if datatype in _NUMBERS else text
    except ValueError:
        return text
