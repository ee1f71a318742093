"""RDF terms of the types and properties, as CURIEs over `PREFIXES`."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Property, ValueType
from schemas.vocabulary import ID_PREFIXES, ONTOLOGY_IRI

PREFIXES: dict[str, str] = {
    "kgs": ONTOLOGY_IRI,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "dcterms": "http://purl.org/dc/terms/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "void": "http://rdfs.org/ns/void#",
    "prov": "http://www.w3.org/ns/prov#",
    "oa": "http://www.w3.org/ns/oa#",
    "dqv": "http://www.w3.org/ns/dqv#",
    "mls": "http://www.w3.org/ns/mls#",
    "p-plan": "http://purl.org/net/p-plan#",
    "schema": "https://schema.org/",
}

DATATYPES: dict[ValueType, str] = {
    ValueType.STRING: "xsd:string",
    ValueType.INTEGER: "xsd:integer",
    ValueType.NUMBER: "xsd:double",
    ValueType.BOOLEAN: "xsd:boolean",
}

DATASET_KIND = "dataset"
METRIC_KIND = "metric"
DATA_KINDS: tuple[str, ...] = (*ID_PREFIXES.values(), DATASET_KIND, METRIC_KIND)
"""The prefixes of ids in a graph."""

QUALIFIED_RELATION = "kgs:QualifiedRelation"
"""The class of resources that hold the properties of a relation without a Statement."""

REUSED_PROPERTIES: dict[tuple[str, str], str] = {
    ("Passage", "source"): "oa:hasSource",
    ("Passage", "start"): "oa:start",
    ("Passage", "end"): "oa:end",
    ("ChangeInstance", "source"): "dcterms:source",
    ("Source", "title"): "dcterms:title",
    ("Source", "url"): "schema:url",
    ("Source", "licence"): "schema:license",
    ("Statement", "subject"): "rdf:subject",
    ("Statement", "relation"): "rdf:predicate",
    ("Statement", "object"): "rdf:object",
    ("BenchmarkScore", "value"): "dqv:value",
}
REUSED_CLASSES: dict[str, tuple[str, ...]] = {
    "Scenario": ("skos:Concept",),
    "Model": ("mls:Model", "prov:SoftwareAgent"),
    "BenchmarkScore": ("dqv:QualityMeasurement", "mls:ModelEvaluation"),
}
INVERSE_PROPERTIES: dict[tuple[str, str], str] = {("SubEvent", "replaces"): "dcterms:isReplacedBy"}
"""Predicates from each of the nodes in a property (`ValueType.NODES`) to the node that has the property."""
MEMBER_PROPERTIES: dict[tuple[str, str], str] = {
    ("Scenario", "alternative_labels"): "skos:altLabel",
    ("Attribute", "alternative_labels"): "skos:altLabel",
    ("Passage", "quantities"): "kgs:quantity",
    ("Passage", "sizes"): "kgs:size",
    ("Passage", "durations"): "kgs:duration",
    ("SubEvent", "wordings"): "skos:altLabel",
    ("SubEvent", "conditions"): "kgs:condition",
    ("SubEvent", "variants"): "kgs:variant",
    ("SubEvent", "left_out_of"): "kgs:isLeftOutOf",
    ("SubEvent", "parts"): "kgs:part",
}
"""Predicates from a node to each text in a property (`ValueType.STRINGS`), beside the RDF list of them."""

EXTERNAL_RELATIONS: dict[str, dict[str, str]] = {
    "BROADER": {"Tool": "skos:broader", "Attribute": "skos:broader"},
    "CLOSE_MATCH": {"SubEvent": "skos:closeMatch"},
    "NEEDS": {"Tool": "schema:tool", "Entity": "schema:supply"},
}
"""Predicates of other vocabularies that are written beside a relation's own, by the type of its end; if a relation has
the property `usual`, for usual ones only."""


def camel_case(name: str) -> str:
    """``HAS_SUB_EVENT`` or ``mean_position`` as the local name of an RDF property."""
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def class_terms(node_type: str) -> tuple[str, ...]:
    """The classes of the nodes of a type, its own first."""
    return (f"kgs:{node_type}", *REUSED_CLASSES.get(node_type, ()))


def property_term(type_name: str, name: str) -> str:
    """The predicate of a property of a node or relation type."""
    if name == "label":
        return "rdfs:label"
    return REUSED_PROPERTIES.get((type_name, name), f"kgs:{camel_case(name)}")


def relation_term(relation_type: str) -> str:
    """The predicate of a relation type."""
    return f"kgs:{camel_case(relation_type)}"


def property_terms() -> Iterator[tuple[str, str, Property]]:
    """Each property of the types as its predicate, the class that has it, and its declaration.

    Without those that are predicates of other nodes (`INVERSE_PROPERTIES`).
    """
    for name, node in NODE_TYPES.items():
        for item in node.properties:
            if item.type is not ValueType.NODES:
                yield property_term(name, item.name), f"kgs:{name}", item
    for name, relation in RELATION_TYPES.items():
        holder = "kgs:Statement" if relation.has_statement else QUALIFIED_RELATION
        for item in relation.properties:
            if item.name != "statement":
                yield property_term(name, item.name), holder, item


def turtle_prefixes() -> str:
    """The vocabularies as prefixes of a Turtle document."""
    return "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in PREFIXES.items())


def expand(term: str) -> str:
    """The IRI of a CURIE."""
    prefix, _, local = term.partition(":")
    return PREFIXES[prefix] + local
