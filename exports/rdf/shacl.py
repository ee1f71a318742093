"""Check nodes against the SHACL shapes, some at a time, in bounded memory. Needs the extra `shacl`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph
import pyshacl
import rdflib
from rdflib.namespace import RDF, SH

from exports.rdf.shapes import Violation, shapes_text
from exports.rdf.terms import PREFIXES, expand

_TYPE = pyoxigraph.NamedNode(expand("rdf:type"))
_REPLACED = pyoxigraph.NamedNode(expand("dcterms:isReplacedBy"))
_STRING = pyoxigraph.NamedNode(expand("xsd:string"))
_LITERAL = re.compile(r"Literal\((\".*?\")(?:, datatype=[\w:]+)?\)")


@cache
def _shapes(closed: bool) -> rdflib.Graph:
    return rdflib.Graph().parse(data=shapes_text(closed=closed), format="turtle")


class ShapesOver:
    """Checks nodes of an Oxigraph store against the shapes.

    The shapes read the properties of a node, its parts (cells of a list, selector of a passage) and the types of the
    nodes that it refers to. Only these are given to pySHACL.
    """

    def __init__(self, store: Path, *, closed: bool = False) -> None:
        self._shapes = _shapes(closed)
        self._store = pyoxigraph.Store.read_only(str(store))

    def violations(self, type_name: str, nodes: Sequence[str]) -> Iterator[Violation]:
        """The violations of `nodes` (IRIs) of the shape of a type (``Tool``: ``kgs:ToolShape``)."""
        if not nodes:
            return
        shape = rdflib.URIRef(f"{PREFIXES['kgs']}{type_name}Shape")
        conforms, results, _ = pyshacl.validate(
            self._around(nodes), shacl_graph=self._shapes, focus_nodes=list(nodes), use_shapes=[shape], inplace=True
        )
        if conforms or not isinstance(results, rdflib.Graph):
            return
        violations = (_violation(results, result) for result in results.subjects(RDF.type, SH.ValidationResult))
        yield from sorted(set(violations), key=lambda item: (item.node, item.path or "", item.message))

    def replaced_by(self, nodes: Sequence[str]) -> list[str]:
        """The IRIs that `nodes` replace."""
        matches = (self._store.quads_for_pattern(None, _REPLACED, pyoxigraph.NamedNode(node), None) for node in nodes)
        return sorted(
            {
                quad.subject.value
                for quads in matches
                for quad in quads
                if not isinstance(quad.subject, pyoxigraph.Triple)
            }
        )

    def _around(self, nodes: Sequence[str]) -> rdflib.Graph:
        graph = rdflib.Graph()
        referred: set[pyoxigraph.NamedNode] = set()
        for node in nodes:
            pending = [pyoxigraph.NamedNode(node)]
            while pending:
                for subject, predicate, value, _ in self._store.quads_for_pattern(pending.pop(), None, None, None):
                    graph.add((_term(subject), _term(predicate), _term(value)))
                    if isinstance(value, pyoxigraph.NamedNode) and predicate != _TYPE:
                        if value.value.startswith(f"{node}."):
                            pending.append(value)
                        else:
                            referred.add(value)
        for thing in referred:
            for quad in self._store.quads_for_pattern(thing, _TYPE, None, None):
                graph.add((_term(thing), RDF.type, _term(quad.object)))
        return graph


def _term(term: Any) -> rdflib.URIRef | rdflib.Literal:
    if isinstance(term, pyoxigraph.NamedNode):
        return rdflib.URIRef(term.value)
    if term.language:
        return rdflib.Literal(term.value, lang=term.language)
    # rdflib distinguishes "a" and "a"^^xsd:string.
    datatype = None if term.datatype == _STRING else rdflib.URIRef(term.datatype.value)
    return rdflib.Literal(term.value, datatype=datatype)


def _violation(results: rdflib.Graph, result: rdflib.term.Node) -> Violation:
    path, value = results.value(result, SH.resultPath), results.value(result, SH.value)
    message = _LITERAL.sub(r"\1", str(results.value(result, SH.resultMessage))).partition(" not in list [")
    text = f"{message[0]} is none of those allowed" if message[1] else message[0]
    shown = f" ({value})" if isinstance(value, rdflib.Literal) else ""
    return Violation(
        node=str(results.value(result, SH.focusNode)),
        path=str(path) if isinstance(path, rdflib.URIRef) else None,
        message=f"{text}{shown}"[:300],
    )
