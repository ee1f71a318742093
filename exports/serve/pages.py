"""The pages of a server: small ones, one for queries, one of each node, and the page to look through the graph."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from attrs import evolve, frozen
from starlette.responses import Response

from exports.rdf.dataset import text_language
from exports.rdf.terms import PREFIXES, class_terms, property_terms, relation_term
from exports.serve.kept_graph import KeptGraph
from exports.serve.protocol import RESULTS, TRIPLES, ProtocolError, ProtocolRequest, is_iri, preferred
from exports.serve.served import Served
from exports.serve.sparql import VARY
from exports.views.explore import document
from exports.views.explore.document import data_block, html_document
from exports.views.explore.index import Index
from exports.views.explore.page import make_page
from exports.views.explore.scripts import contexts_data, places_of, script_data
from exports.views.text_size import legible
from kgscripts.scripts.names import find_scenario
from kgscripts.scripts.reading import list_scenarios
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph

UNFRAMED = "; frame-ancestors 'none'"
"""What the policy of a page has only in a header: no other page may show it."""


@frozen(kw_only=True)
class Page:
    """A page and the policy under which a browser shows it."""

    html: str
    policy: str


def served_page(
    title: str,
    body: Iterable[str],
    *,
    style: str,
    scripts: Sequence[str] = (),
    asks_server: bool = False,
    sends_form: bool = False,
) -> Page:
    """A page with a title, a body in HTML, a style sheet and inline scripts, which may ask its server or send it a
    form."""
    policy = document.policy(scripts, style, asks_server=asks_server, sends_form=sends_form)
    html = html_document(title, body, style=style, policy=policy, scripts=scripts)
    return Page(html=html, policy=policy + UNFRAMED)


def small_page(title: str, body: str, *, has_form: bool = False) -> Page:
    """A page with a title, a text, and a body in HTML; `has_form` lets it send a form to its server."""
    lines = ("<main>", f"<h1>{escape(legible(title))}</h1>", body, "</main>")
    return served_page(title, lines, style=document.style(), sends_form=has_form)


_FOLDER = Path(__file__).parent
_EDITOR = "yasqe-4.6.2.min"
_OWN = ("editors.js", "results.js", "main.js")
"""The files of query/ in the order in which they are joined, after the elements of the page of `kgscripts explore`."""
_PLACE = "SCENARIO"
"""What stands in an example for the name of a scenario."""
_NO_SCENARIO = "cooking pasta"


def query_page(graph: StoredGraph, at: str = "") -> Page:
    """The page to ask a graph in SPARQL and Cypher.

    `at` is what the addresses of the graph begin with: the page asks ``{at}/sparql`` and ``{at}/cypher``, and links to
    ``{at}/data/...`` and ``{at}/``.
    """
    name = legible(graph.directory.resolve().name)
    content: dict[str, Any] = {
        "at": at,
        "name": name,
        "base_iri": graph.manifest.base_iri,
        "prefixes": PREFIXES | {"data": graph.manifest.base_iri},
        "terms": _terms(),
        "examples": {language: list(examples(graph, language)) for language in ("sparql", "cypher")},
    }
    data = data_block("content", content)
    return served_page(f"Queries – {name}", [data], style=_style(), scripts=_scripts(), asks_server=True)


def examples(graph: StoredGraph, language: str) -> Iterator[tuple[str, str]]:
    """The titles and texts of the example queries in a language, "sparql" or "cypher".

    Those about one scenario name the best supported one of the graph.
    """
    scenario = next((each.label for each in list_scenarios(graph)), _NO_SCENARIO)
    name = json.dumps(scenario, ensure_ascii=False)
    tag = text_language(graph)
    if language == "sparql" and tag:
        name += f"@{tag}"
    suffix = "rq" if language == "sparql" else "cypher"
    for text in _read("query", f"examples.{suffix}").strip().split("\n\n"):
        comment, _, _ = text.partition("\n")
        yield comment.lstrip("#/ "), text.replace(_PLACE, name)


def _terms() -> list[str]:
    """The classes and properties of the graph, which the editor completes."""
    classes = (class_terms(name)[0] for name in NODE_TYPES)
    properties = (term for term, _, _ in property_terms())
    return sorted({*classes, *map(relation_term, RELATION_TYPES), *properties, "rdf:subject", "rdf:type"})


@cache
def _scripts() -> tuple[str, ...]:
    """The inline scripts in their order: the editor, then ours."""
    editor = _read("vendor", f"{_EDITOR}.js").partition("//# sourceMappingURL")[0]
    elements = (Path(document.__file__).parent / "js" / "dom.js").read_text(encoding="utf-8")
    own = "\n".join((elements, *(_read("query", name) for name in _OWN)))
    return editor, f'(() => {{\n"use strict";\n{own}\nstart();\n}})();'


@cache
def _style() -> str:
    """The style sheets of the page of `kgscripts explore`, of the editor, and of this page."""
    return "\n".join((document.style(), _read("vendor", f"{_EDITOR}.css"), _read("query", "query.css")))


def _read(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")


HTML = "text/html"
_MOST = 100
"""The most statements on a page in which a node is the object."""


def node_page(served: Served, identifier: str, accept: str | None, at: str) -> Response:
    """What the graph says of the node with an id; raises ProtocolError with the status 404 if it says nothing."""
    iri = served.iri(identifier)
    said = _rows(served, f"SELECT ?p ?o ?label {{ <{iri}> ?p ?o OPTIONAL {{ ?o rdfs:label ?label }} }}", iri)
    if not said:
        raise ProtocolError(404, f"the graph says nothing of {iri}")
    if preferred(accept, (*TRIPLES, HTML)) != HTML:
        description = served.sparql(ProtocolRequest(query=f"DESCRIBE <{iri}>"), accept)
        return Response(description.content, media_type=description.media_type, headers=VARY)
    of_it = _rows(
        served, f"SELECT ?s ?p ?label {{ ?s ?p <{iri}> OPTIONAL {{ ?s rdfs:label ?label }} }} LIMIT {_MOST + 1}", iri
    )
    base = served.graph().manifest.base_iri
    page = _page(iri, said, of_it, base, at)
    return Response(page.html, media_type=HTML, headers={**VARY, "Content-Security-Policy": page.policy})


def _rows(served: Served, query: str, iri: str) -> list[dict[str, Any]]:
    if not is_iri(iri):
        raise ProtocolError(404, "this is no IRI of the graph")
    answer = json.loads(served.sparql(ProtocolRequest(query=query), RESULTS[0]).content)
    rows: list[dict[str, Any]] = answer["results"]["bindings"]
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


class ExploredGraph:
    """Makes the page of a graph, and keeps what the numbers in its scripts mean. `server` is that of `make_page`."""

    def __init__(self, server: Mapping[str, Any]) -> None:
        self._server = server
        self._made: tuple[str, Page, Index] | None = None
        self._making = threading.Lock()

    def page(self, graph: KeptGraph) -> Page:
        """The page of a graph."""
        return self._found(graph)[0]

    def script(self, graph: KeptGraph, scenario: str) -> dict[str, Any]:
        """The script of a scenario as the page of the graph has those on it, with its ``contexts``, and the ``build``
        to which the numbers in it belong.

        Raises
        ------
        QueryError
            If no scenario or several scenarios have this name.
        """
        build, index = graph.build_id, self._found(graph)[1]
        data = script_data(graph, index, find_scenario(graph, scenario)["id"])
        (contexts,) = contexts_data(graph, [places_of(data)])
        return {**data, "contexts": contexts, "build": build}

    def make(self, graph: KeptGraph) -> tuple[Page, Index]:
        """The page of a graph with its index, made if they are not there; for a large graph that takes seconds."""
        with self._making:
            known = self._made
            if known is None or known[0] != graph.build:
                made = make_page(graph, server=self._server)
                # What the page has of the index is in its text.
                page = Page(html=made.html, policy=made.policy + UNFRAMED)
                self._made = known = graph.build, page, evolve(made.index, data={})
            return known[1:]

    def _found(self, graph: KeptGraph) -> tuple[Page, Index]:
        if self._made is None or self._made[0] != graph.build:
            graph.before_store_is_made("page")
        return self.make(graph)
