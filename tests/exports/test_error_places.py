"""Engines and servers name places in a query; one that is not in it is not shown, and never a fault of ours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from neo4j.exceptions import Neo4jError

from exports.cypher.cypher import _ladybug_error
from exports.neo4j.bolt import _neo4j_error
from exports.query.sparql import run_query, syntax_error
from exports.query.text import error_at
from schemas.errors import QueryError
from tests.exports.toy_server import ToyServer, toy_server

_QUERY = "SELECT ?s {\n  ?s ?p 1 .\n}"
_NUMBERS = st.integers(-2, 6) | st.integers() | st.integers(10**4000, 10**5000)
_TEXTS = st.text(max_size=20) | st.lists(st.sampled_from(["a b", "🍝\t", "", "x" * 200]), max_size=4).map("\n".join)


@pytest.fixture(scope="module")
def server() -> Iterator[ToyServer]:
    with toy_server() as server:
        yield server


def _checked(error: QueryError, text: str) -> None:
    lines = text.split("\n")
    assert error.message
    if error.where is not None:
        line, column = (int(part.split()[-1]) for part in error.where.split(","))
        assert 1 <= line <= len(lines)
        assert 1 <= column <= len(lines[line - 1]) + 1
        assert len(str(error)) < 1000


@given(_TEXTS, _NUMBERS, _NUMBERS)
@example("", 1, 1)
@example("", 99, 5)
def test_a_place_that_is_not_in_the_query_is_not_shown(text: str, line: int, column: int) -> None:
    _checked(error_at("no", text, line, column), text)


@given(_TEXTS, st.integers(1, 4), st.integers(1, 300))
def test_a_place_in_the_query_is_shown(text: str, line: int, column: int) -> None:
    lines = text.split("\n")
    if line <= len(lines) and column <= len(lines[line - 1]) + 1:
        assert error_at("no", text, line, column).where == f"line {line}, column {column}"


def _digits(number: int) -> str:
    """Of any length: Python converts no more than some thousand."""
    return str(number) if abs(number) < 10**4000 else "9" * 5000


@given(
    line=_NUMBERS,
    column=_NUMBERS,
    form=st.sampled_from(["Line {}, column {}", "line: {}, column: {}", "at line {}, column {}!"]),
)
@example(line=99, column=5, form="Line {}, column {}")
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_sparql_server_may_name_any_place(line: int, column: int, form: str, server: ToyServer) -> None:
    body = form.format(_digits(line), _digits(column)).encode()
    server.answer = lambda _: [b"HTTP/1.1 400 Bad Request\r\nContent-Length: %d\r\n\r\n" % len(body) + body]
    with pytest.raises(QueryError) as caught:
        run_query(f"http://127.0.0.1:{server.port}/query", _QUERY)
    if caught.value.where is None or "://" in caught.value.where:
        assert form[:4] in str(caught.value), "the message of the server is missing"
    else:
        _checked(caught.value, _QUERY)


@given(_NUMBERS, _NUMBERS)
def test_other_engines_may_name_any_place(line: int, column: int) -> None:
    one, two = _digits(line), _digits(column)
    error = Neo4jError._hydrate_neo4j(
        code="Neo.ClientError.Statement.SyntaxError", message=f"Invalid input (line {one}, column {two} (offset: 9))"
    )
    _checked(_neo4j_error(_QUERY, error), _QUERY)  # type: ignore[arg-type]
    _checked(_ladybug_error(_QUERY, f"Parser exception: no (line: {one}, offset: {two})"), _QUERY)
    _checked(syntax_error(_QUERY, f"error at {one}:{two}: expected }}"), _QUERY)
    _checked(syntax_error(_QUERY, f"error at {one}:{two}: Prefix not found"), _QUERY)
