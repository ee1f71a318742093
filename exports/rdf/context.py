"""The JSON-LD context of the graph, generated from the declarations of node and relation types."""

from __future__ import annotations

import json
from typing import Any

from exports.rdf.terms import (
    DATATYPES,
    EXTERNAL_RELATIONS,
    INVERSE_PROPERTIES,
    MEMBER_PROPERTIES,
    PREFIXES,
    QUALIFIED_RELATION,
    class_terms,
    property_terms,
    relation_term,
)
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import ValueType

_EXTERNAL = tuple(term for terms in EXTERNAL_RELATIONS.values() for term in terms.values())
_LINKS = (
    *("oa:hasSelector", "rdf:rest", "rdf:predicate", "skos:inScheme", "skos:related"),
    *("void:class", "void:property", "void:classPartition", "void:propertyPartition", "void:vocabulary"),
    *("dqv:isMeasurementOf", "dqv:computedOn", "dqv:expectedDataType"),
    *("prov:wasAssociatedWith", "prov:used", "prov:wasGeneratedBy", "dcterms:creator", "dcterms:license"),
)
_TEXTS = (
    *("rdf:first", "skos:prefLabel", "dcterms:identifier", "dcterms:language", "dcterms:rights"),
    *("schema:softwareVersion", "void:uriSpace"),
)
_TYPED = {
    "void:entities": "xsd:integer",
    "void:triples": "xsd:integer",
    "prov:startedAtTime": "xsd:dateTime",
    "prov:endedAtTime": "xsd:dateTime",
    "dcterms:created": "xsd:dateTime",
}
"""The predicates of no declaration: those of lists and selectors, of the data set, its build and its metrics."""


def context_terms() -> dict[str, Any]:
    """The terms of the context: those of our types and of the types of installed packages."""
    datatypes: dict[str, str] = {}
    for term, _, item in property_terms():
        is_link = item.type in (ValueType.NODE, ValueType.STRINGS)
        datatypes.setdefault(term, "@id" if is_link else DATATYPES[item.type])
    links = (*map(relation_term, RELATION_TYPES), *_EXTERNAL, *INVERSE_PROPERTIES.values(), *_LINKS)
    datatypes |= dict.fromkeys(links, "@id") | _TYPED
    datatypes |= dict.fromkeys((*MEMBER_PROPERTIES.values(), *_TEXTS), DATATYPES[ValueType.STRING])
    classes = [*(class_terms(name)[0] for name in NODE_TYPES), QUALIFIED_RELATION]
    return {
        "@version": 1.1,
        "id": "@id",
        "type": "@type",
        **PREFIXES,
        **{json_key(term): term for term in classes},
        **{json_key(term): _definition(term, datatype) for term, datatype in datatypes.items()},
    }


def context_text() -> str:
    """The context as a document, a term a line."""
    lines = (f"  {json.dumps(key)}: {json.dumps(term)}" for key, term in context_terms().items())
    return '{"@context": {\n' + ",\n".join(lines) + "\n}}\n"


def _definition(term: str, datatype: str) -> dict[str, str]:
    # Texts have no type here: their languages differ from graph to graph, and a type would exclude a language.
    return {"@id": term} if datatype == DATATYPES[ValueType.STRING] else {"@id": term, "@type": datatype}


def json_key(term: str) -> str:
    """The key of a term: the bare name for this project's own, the CURIE for others."""
    return term.removeprefix("kgs:")
