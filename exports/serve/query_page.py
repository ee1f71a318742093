"""The page on which queries are written: the editor, examples and results in one file, which asks its server only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from exports.rdf.language import text_language
from exports.rdf.terms import PREFIXES, class_terms, property_terms, relation_term
from exports.serve.small_page import Page, served_page
from exports.views.explore import assets
from exports.views.explore.document import data_block
from kgscripts.scripts.reading import list_scenarios
from schemas.drawing.svg import legible
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.script_graph import StoredGraph

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
    properties = (term for term, _, _ in property_terms(NODE_TYPES, RELATION_TYPES))
    return sorted({*classes, *map(relation_term, RELATION_TYPES), *properties, "rdf:subject", "rdf:type"})


@cache
def _scripts() -> tuple[str, ...]:
    """The inline scripts in their order: the editor, then ours."""
    editor = _read("vendor", f"{_EDITOR}.js").partition("//# sourceMappingURL")[0]
    elements = (Path(assets.__file__).parent / "js" / "dom.js").read_text(encoding="utf-8")
    own = "\n".join((elements, *(_read("query", name) for name in _OWN)))
    return editor, f'(() => {{\n"use strict";\n{own}\nstart();\n}})();'


@cache
def _style() -> str:
    """The style sheets of the page of `kgscripts explore`, of the editor, and of this page."""
    return "\n".join((assets.style(), _read("vendor", f"{_EDITOR}.css"), _read("query", "query.css")))


def _read(folder: str, name: str) -> str:
    return (_FOLDER / folder / name).read_text(encoding="utf-8")
