"""SPARQL queries to servers; apart from those on disk, which need no HTTP library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pyoxigraph

from exports.query.engine_process import at_most
from exports.query.text import error_at
from exports.query.values import term_value
from exports.rdf.sparql_client import SparqlClient
from exports.rdf.terms import PREFIXES
from schemas.addresses import without_user
from schemas.errors import QueryError, StoreError
from schemas.results import Table

_SERVER_LOCATION = re.compile(r"[Ll]ine:? (\d{1,9}), [Cc]olumn:? (\d{1,9})\b")


def query_server(address: str, text: str, ask: Callable[[str], str] | None, timeout: float, max_rows: int) -> Table:
    """Return the result of a query that `exports.query.sparql` has judged, from the service at `address`.

    Raises
    ------
    QueryError
        If the query does not parse, fails, or has a result of more than `max_rows` rows.
    StoreError
        If the server cannot be reached, or its response is no result.
    """
    prologue = " ".join(f"PREFIX {prefix}: <{iri}>" for prefix, iri in PREFIXES.items()) + "\n"
    headers = {
        "Content-Type": "application/sparql-query",
        "Accept": "application/sparql-results+json, application/n-triples;q=0.9",
    }
    with SparqlClient(address, ask, timeout) as client:
        response = client.query(address, (prologue + text).encode(), headers)
    if not response.is_success:
        if location := _SERVER_LOCATION.search(response.text):
            error = error_at("the query does not parse", text, int(location[1]) - 1, int(location[2]))
            if error.where is not None:
                raise error
        raise QueryError(f"the query fails on the server ({response.first_line})", where=without_user(address))
    try:
        if response.media_type == "application/n-triples":
            quads = pyoxigraph.parse(response.content, pyoxigraph.RdfFormat.N_TRIPLES)
            return _triples((quad.triple for quad in quads), max_rows)
        return _table(pyoxigraph.parse_query_results(response.content, pyoxigraph.QueryResultsFormat.JSON), max_rows)
    except (SyntaxError, ValueError, AttributeError) as error:
        raise StoreError(
            f"the response is {response.media_type or 'of no type'}, not a SPARQL result",
            where=without_user(address),
            remedy="name the address of a SPARQL query service",
        ) from error


def _table(result: Any, max_rows: int) -> Table:
    if isinstance(result, pyoxigraph.QueryBoolean):
        return Table(columns=("answer",), rows=((bool(result),),))
    columns = tuple(variable.value for variable in result.variables)
    return Table(columns=columns, rows=at_most(max_rows, (tuple(map(term_value, row)) for row in result)))


def _triples(triples: Iterable[pyoxigraph.Triple], max_rows: int) -> Table:
    rows = (tuple(map(term_value, (triple.subject, triple.predicate, triple.object))) for triple in triples)
    return Table(columns=("subject", "predicate", "object"), rows=at_most(max_rows, rows))
