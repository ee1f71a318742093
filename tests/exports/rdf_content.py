"""Reads a graph back from RDF as `graph.md` and the ontology describe it, without the code of the exporter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pyoxigraph
import rdflib

from exports.rdf.terms import INVERSE_PROPERTIES, expand, property_term, relation_term
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Property, ValueType
from tests.exports.compliance import Content

Triple = tuple[str, str, str]
"""Subject, predicate and object: IRIs and the lexical forms of literals."""
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
KGS = "https://w3id.org/kgscripts/ontology#"
OA = "http://www.w3.org/ns/oa#"


def rdflib_triples(dataset: rdflib.Dataset) -> set[Triple]:
    return {(str(s), str(p), str(o)) for s, p, o, _ in dataset.quads()}


def oxigraph_triples(quads: Iterable[pyoxigraph.Quad]) -> set[Triple]:
    return {(q.subject.value, q.predicate.value, q.object.value) for q in quads}  # type: ignore[union-attr]


def read_rdf(triples: set[Triple]) -> Content:
    """The graph that `triples` say."""
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    inverse = set(map(expand, INVERSE_PROPERTIES.values()))
    for subject, predicate, value in triples:
        said[subject][predicate].append(value)
        if predicate in inverse:
            said[value][f"^{predicate}"].append(subject)
    types = {subject: set(properties[RDF + "type"]) for subject, properties in said.items()}
    nodes = []
    for name, node in NODE_TYPES.items():
        for iri in [iri for iri, classes in types.items() if KGS + name in classes]:
            values = {item.name: _node_value(said, iri, name, item) for item in node.properties}
            nodes.append({"iri": iri, "type": name, **values})
    reified = {}
    for iri, classes in types.items():
        if classes & {KGS + "Statement", KGS + "QualifiedRelation"}:
            (subject,), (predicate,), (value,) = (said[iri][RDF + part] for part in ("subject", "predicate", "object"))
            assert (subject, predicate, value) not in reified, "a relation is reified twice"
            reified[subject, predicate, value] = iri
    relations = []
    for name, relation in RELATION_TYPES.items():
        predicate = expand(relation_term(name))
        for start, _, end in [triple for triple in triples if triple[1] == predicate]:
            values = {}
            if relation.properties:
                numbers = reified[start, predicate, end]
                for item in relation.properties:
                    is_itself = item.name == "statement"
                    values[item.name] = (
                        numbers if is_itself else _value(said, numbers, property_term(name, item.name), item)
                    )
            relations.append({"from_iri": start, "to_iri": end, "type": name, **values})
    return Content.of(nodes, relations)


def _node_value(said: dict[str, dict[str, list[str]]], iri: str, name: str, item: Property) -> Any:
    term = property_term(name, item.name)
    if term in ("oa:start", "oa:end"):
        (selector,) = said[iri][OA + "hasSelector"]
        return _value(said, selector, term, item)
    if (name, item.name) == ("Statement", "relation"):
        (predicate,) = said[iri][expand(term)]
        return next(known for known in RELATION_TYPES if expand(relation_term(known)) == predicate)
    if item.type is ValueType.NODES:
        return sorted(said[iri][f"^{expand(INVERSE_PROPERTIES[name, item.name])}"])
    if item.type is ValueType.STRINGS:
        cells = said[iri][expand(term)]
        assert len(cells) == 1 or not (cells or item.required), f"{iri} has {len(cells)} lists of {term}"
        return _list(said, cells[0]) if cells else None
    return _value(said, iri, term, item)


def _list(said: dict[str, dict[str, list[str]]], cell: str) -> list[str]:
    items = []
    while cell != RDF + "nil":
        items += said[cell][RDF + "first"]
        (cell,) = said[cell][RDF + "rest"]
    return items


def _value(said: dict[str, dict[str, list[str]]], iri: str, term: str, item: Property) -> Any:
    found = said[iri][expand(term)]
    assert len(found) < 2, f"{iri} has {len(found)} values of {term}"
    if not found:
        return None
    if item.type is ValueType.BOOLEAN:
        return {"true": True, "false": False}[found[0]]
    return {ValueType.INTEGER: int, ValueType.NUMBER: float}.get(item.type, str)(found[0])
