"""What the graph says of a node: RDF in the format that a client prefers, or a page for a browser."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from attrs import frozen

from exports.rdf.terms import PREFIXES
from exports.serve.negotiation import RESULTS, TRIPLES, preferred
from exports.serve.protocol import ProtocolError, ProtocolRequest, is_iri
from exports.serve.served import Served
from exports.serve.small_page import Page, small_page
from schemas.drawing.svg import legible

HTML = "text/html"
_MOST = 100
"""The most statements on a page in which a node is the object."""


@frozen(kw_only=True)
class NodeAnswer:
    """The answer about a node; a page has its content security policy."""

    content: str | bytes
    media_type: str
    policy: str | None = None


def node_page(served: Served, identifier: str, accept: str | None, at: str) -> NodeAnswer:
    """What the graph says of the node with an id; raises ProtocolError with the status 404 if it says nothing."""
    iri = served.iri(identifier)
    said = _rows(served, f"SELECT ?p ?o ?label {{ <{iri}> ?p ?o OPTIONAL {{ ?o rdfs:label ?label }} }}", iri)
    if not said:
        raise ProtocolError(404, f"the graph says nothing of {iri}")
    if preferred(accept, (*TRIPLES, HTML)) != HTML:
        found = served.sparql(ProtocolRequest(query=f"DESCRIBE <{iri}>"), accept)
        return NodeAnswer(content=found.content, media_type=found.media_type)
    of_it = _rows(
        served, f"SELECT ?s ?p ?label {{ ?s ?p <{iri}> OPTIONAL {{ ?s rdfs:label ?label }} }} LIMIT {_MOST + 1}", iri
    )
    base = served.graph().manifest.base_iri
    page = _page(iri, said, of_it, base, at)
    return NodeAnswer(content=page.html, media_type=HTML, policy=page.policy)


def _rows(served: Served, query: str, iri: str) -> list[dict[str, Any]]:
    if not is_iri(iri):
        raise ProtocolError(404, "this is no IRI of the graph")
    found = json.loads(served.sparql(ProtocolRequest(query=query), RESULTS[0]).content)
    rows: list[dict[str, Any]] = found["results"]["bindings"]
    return rows


def _page(iri: str, said: Sequence[dict[str, Any]], of_it: Sequence[dict[str, Any]], base: str, at: str) -> Page:
    label = next((row["o"]["value"] for row in said if row["p"]["value"] == f"{PREFIXES['rdfs']}label"), iri)
    sections = [_table("What is said of it", ((_term(row["p"], base, at), _value(row, "o", base, at)) for row in said))]
    if of_it:
        more = f" (the first {_MOST})" if len(of_it) > _MOST else ""
        rows = ((_value(row, "s", base, at), _term(row["p"], base, at)) for row in of_it[:_MOST])
        sections.append(_table(f"What is said with it{more}", rows))
    links = f'<p><a href="{at}/">All scenarios</a> · <a href="{at}/query">Queries</a></p>'
    return small_page(label, "\n".join((f"<p>{escape(legible(iri))}</p>", *sections, links)))


def _table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = "".join(f"<tr><td>{left}</td><td>{right}</td></tr>" for left, right in sorted(rows))
    return f"<h2>{title}</h2><table><tbody>{lines}</tbody></table>"


def _value(row: dict[str, Any], name: str, base: str, at: str) -> str:
    """The cell of a subject or an object, by its label if it has one."""
    return _term(row[name], base, at, row.get("label", {}).get("value"))


def _term(term: dict[str, Any], base: str, at: str, label: str | None = None) -> str:
    value = str(term["value"])
    if term["type"] != "uri":
        return escape(legible(value))
    text = escape(legible(label or _short(value)))
    if value.startswith(base):
        return f'<a href="{at}/data/{escape(value.removeprefix(base))}">{text}</a>'
    return text


def _short(iri: str) -> str:
    """An IRI with a prefix, if one fits."""
    for prefix, start in PREFIXES.items():
        if iri.startswith(start):
            return f"{prefix}:{iri.removeprefix(start)}"
    return iri
