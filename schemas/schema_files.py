"""The schema of the graph as files: ontology, SHACL shapes, JSON-LD context and Neo4j constraints."""

from __future__ import annotations

from importlib.resources import files

from schemas.further_schema import with_constraints, with_context, with_ontology, with_shapes
from schemas.installed_types import installed_node_types, installed_relation_types

SCHEMA_FILES = {
    "ontology": "script.ttl",
    "shapes": "shapes.ttl",
    "context": "context.jsonld",
    "constraints": "neo4j_constraints.cypher",
}
_CLOSING = {
    "a sh:NodeShape ;": "a sh:NodeShape ;\n    sh:closed true ;\n    sh:ignoredProperties ( rdf:type ) ;",
    "sh:path rdfs:label ;": "sh:path rdfs:label ; sh:maxCount 1 ;",
    "sh:path skos:prefLabel ;": "sh:path skos:prefLabel ; sh:maxCount 1 ;",
}
"""What the closed shapes have in place of these parts of the open ones."""


def schema_text(name: str) -> str:
    """The text of the file `name`, one of `SCHEMA_FILES`, with what the types of installed packages add to it."""
    text = (files("schemas") / "data" / SCHEMA_FILES[name]).read_text(encoding="utf-8")
    nodes, relations = installed_node_types(), installed_relation_types()
    if name == "constraints":
        return with_constraints(text, nodes)
    return {"ontology": with_ontology, "shapes": with_shapes, "context": with_context}[name](text, nodes, relations)


def shapes_text(*, closed: bool = False) -> str:
    """The SHACL shapes in Turtle.

    The open shapes allow further triples about a node: inferred ones, `owl:sameAs`, labels in other languages. The
    closed ones, for the RDF as it is exported, allow no other property than those of the node's type, and one label.
    """
    text = schema_text("shapes")
    for part, closing in _CLOSING.items() if closed else ():
        text = text.replace(part, closing)
    return text
