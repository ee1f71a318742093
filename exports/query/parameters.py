"""Parameters of queries: a query has their defaults, and other values take their places as values, not as text.

In SPARQL a parameter is a variable to which VALUES gives one value, ``VALUES ?scenario { "cooking pasta"@en }``. In
Cypher it is ``$scenario``, and a comment has its default, ``// :param scenario => "cooking pasta"``.

Queries that find nothing: they name what the graph does not have, or compare labels, which have a language in SPARQL,
with plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from exports.query.sparql_guard import scan_sparql
from exports.query.text import Scan, Token
from exports.rdf.dataset import text_language
from kgscripts.scripts.names import folded, nearest
from schemas.arguments import check_type, shown
from schemas.errors import ConfigurationError, QueryError
from schemas.graph_types import NODE_TYPES
from schemas.results import Table
from schemas.script_graph import StoredGraph

_DEFAULT = re.compile(r"^[ \t]*//[ \t]*:param[ \t]+(\w+)[ \t]*=>[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE)


def given_parameters(options: Sequence[str]) -> dict[str, str]:
    """The parameters of options ``NAME=VALUE``; raises ConfigurationError for another form, and for a name twice."""
    parameters: dict[str, str] = {}
    for item in options:
        name, is_given, value = item.partition("=")
        if not is_given or not name.isidentifier() or name in parameters:
            raise ConfigurationError(
                f"{item!r} is no parameter, or a second one", remedy='--param scenario="washing up"'
            )
        parameters[name] = value
    return parameters


def checked_parameters(parameters: Mapping[str, object] | None) -> Mapping[str, object]:
    """The parameters, or none; raises ConfigurationError if they are no values by name."""
    if parameters is None:
        return {}
    if not isinstance(parameters, Mapping) or not all(isinstance(name, str) for name in parameters):
        raise ConfigurationError(
            f"the parameters are {shown(parameters)}", remedy="give values by name: parameters={'name': value}"
        )
    return parameters


def sparql_with(text: str, parameters: Mapping[str, object], language: str = "") -> str:
    """The SPARQL query with these values in place of the defaults, and of their types.

    `language` is that of labels, which a default with a language gets; "" leaves that of the default.

    Raises
    ------
    QueryError
        If the query has no such parameter, or a value is not of its type.
    """
    if not parameters:
        return text
    scanned = scan_sparql(text)
    places = dict(_values(scanned.tokens))
    _check_names(parameters, places)
    text = scanned.text
    # From the last to the first, so that the places of those before stay right.
    for name, tokens in sorted(places.items(), key=lambda item: -item[1][0].start):
        if name in parameters:
            term = _term(name, parameters[name], tokens, language)
            text = f"{text[: tokens[0].start]}{term}{text[tokens[-1].end :]}"
    return text


def cypher_with(text: str, parameters: Mapping[str, object]) -> dict[str, object]:
    """The values of the parameters of a Cypher query: these, and the defaults of others.

    Raises
    ------
    QueryError
        If a default is no JSON, or a value is not of the type of its default.
    """
    check_type("the query", text, str, "give its text")
    values: dict[str, object] = {}
    for name, default in _DEFAULT.findall(text):
        try:
            values[name] = json.loads(default)
        except (ValueError, RecursionError):
            raise QueryError(f"the default of the parameter {name!r} is no JSON", remedy='"in quotes"') from None
    for name, value in parameters.items():
        # The type itself, since True is an int, too.
        is_number = type(values.get(name)) in (int, float) and isinstance(value, str)
        values[name] = _number(name, value) if is_number else value
    return values


def check_cypher_names(text: str, parameters: Mapping[str, object]) -> None:
    """Check that a Cypher query has these parameters; raises QueryError."""
    _check_names(parameters, re.findall(r"\$(\w+)", text))


def hint_of(graph: StoredGraph, scanned: Scan, more: Mapping[str, object], language: str = "") -> str:
    """What to say of a query that finds nothing: the labels that it names without their `language`, and those that
    nothing in the graph has, with near ones; "" if there are none.

    Named are texts with a language in SPARQL, texts that are compared with a label in Cypher, and text parameters.
    """
    labels: dict[str, str] = {}
    for kind, declared in NODE_TYPES.items():
        if any(item.name == "label" for item in declared.properties):
            labels |= {folded(row["label"]): row["label"] for row in graph.rows(kind, ["label"]) if row["label"]}
    exact = set(labels.values())
    plain = [token.text for token in _plain_texts(scanned.tokens) if language and _content(token) in exact]
    hints = [f"Labels have the language {language}: write {text}@{language} for {text}." for text in plain]
    named = [*_labels(scanned.tokens), *(value for value in more.values() if isinstance(value, str))]
    hints += [
        f"Nothing in the graph is called {name!r}. {nearest(labels, folded(name)).capitalize()}".rstrip()
        for name in named
        if name not in exact
    ]
    return "\n".join(dict.fromkeys(hints))


def language_of(source: object) -> str:
    """The language of the labels of a graph; "" for other sources."""
    return text_language(source) if isinstance(source, StoredGraph) else ""


def _values(tokens: Sequence[Token]) -> Iterator[tuple[str, Sequence[Token]]]:
    for index, token in enumerate(tokens):
        if token.word == "VALUES" and [item.text for item in tokens[index + 2 : index + 3]] == ["{"]:
            end = next((at for at, item in enumerate(tokens[index:], index) if item.text == "}"), index)
            kinds = [item.kind for item in tokens[index + 3 : end]]
            if kinds in (["string", "language"], ["string"], ["number"], ["iri"], ["name"]):
                yield tokens[index + 1].text[1:], tokens[index + 3 : end]


def _term(name: str, value: object, default: Sequence[Token], language: str) -> str:
    from pyoxigraph import Literal, NamedNode

    first = default[0]
    try:
        if isinstance(value, bool | int | float):
            return str(Literal(value))
        if first.kind == "number":
            return str(Literal(_number(name, value)))
        if first.kind in ("iri", "name"):
            return str(NamedNode(str(value)))
        tag = (language or default[1].text[1:]) if len(default) == 2 else None
        return str(Literal(str(value), language=tag))
    except (ValueError, TypeError) as error:
        raise QueryError(f"the parameter {name!r} cannot be {shown(value)} ({error})") from error


def _number(name: str, value: object) -> int | float:
    try:
        number: object = json.loads(str(value))
    except (ValueError, RecursionError):
        number = None
    if type(number) not in (int, float):
        raise QueryError(f"the parameter {name!r} is a number, not {shown(value)}")
    return number  # type: ignore[return-value]


def _check_names(given: Mapping[str, object], known: Mapping[str, object] | Sequence[str]) -> None:
    if unknown := sorted(given.keys() - set(known)):
        listed = f"its parameters are {', '.join(sorted(set(known)))}" if known else "it has none: see `docs/queries`"
        raise QueryError(f"the query has no parameter {unknown[0]!r}", remedy=listed)


def _labels(tokens: Sequence[Token]) -> Iterator[str]:
    for before, sign, token, behind in zip(("", *tokens), tokens, tokens[1:], (*tokens[2:], None), strict=False):
        is_label = isinstance(before, Token) and before.text == "label" and sign.text in (":", "=")
        if token.kind == "string" and "\\" not in token.text and (is_label or (behind and behind.kind == "language")):
            yield _content(token)


def _content(token: Token) -> str:
    return token.text.strip("\"'")


def finds_nothing(table: Table) -> bool:
    """Whether a result has no rows, or one row that says no: ASK is false, or everything counted is 0."""
    return not table.rows or (len(table.rows) == 1 and not any(table.rows[0]))


def _plain_texts(tokens: Sequence[Token]) -> list[Token]:
    """The texts that have neither a language nor a datatype."""
    return [
        token
        for token, behind in zip(tokens, [*tokens[1:], None], strict=True)
        if token.kind == "string" and not (behind and (behind.kind == "language" or behind.text == "^^"))
    ]
