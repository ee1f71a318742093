"""What the types of other packages add to the ontology, the shapes, the JSON-LD context and the Neo4j constraints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.installed_types import id_prefix
from schemas.type_declarations import KNOWLEDGE, NodeType, Property, RelationType, ValueType

_DATATYPES = {
    ValueType.STRING: "xsd:string",
    ValueType.INTEGER: "xsd:integer",
    ValueType.NUMBER: "xsd:double",
    ValueType.BOOLEAN: "xsd:boolean",
}
_DEFINED = "    rdfs:isDefinedBy <https://w3id.org/kgscripts/ontology> .\n"


def camel_case(name: str) -> str:
    """``HAS_SUB_EVENT`` or ``mean_position`` as the local name of an RDF property."""
    first, *rest = name.lower().split("_")
    return first + "".join(word.capitalize() for word in rest)


def with_ontology(text: str, nodes: Sequence[NodeType], relations: Sequence[RelationType]) -> str:
    """The ontology with the classes and properties of further types."""
    found = [
        f"kgs:{node.name} a owl:Class ;\n    rdfs:label {_text(id_prefix(node.name).replace('-', ' '))} ;\n"
        f"    rdfs:comment {_text(node.comment)} ;\n"
        f"    skos:note {_text(f'Two are the same if they agree in: {node.key}.')} ;\n{_DEFINED}"
        for node in nodes
    ]
    for relation in relations:
        ((start, end),) = relation.ends
        found.append(
            f"kgs:{camel_case(relation.name)} a owl:ObjectProperty ;\n"
            f"    rdfs:label {_text(relation.name.lower().replace('_', ' '))} ;\n"
            f"    rdfs:comment {_text(relation.comment)} ;\n"
            f"    rdfs:domain kgs:{start} ;\n    rdfs:range kgs:{end} ;\n{_DEFINED}"
        )
    for owner, item in _own_properties(text, nodes, relations):
        found.append(
            f"kgs:{camel_case(item.name)} a owl:DatatypeProperty ;\n"
            f"    rdfs:label {_text(item.name.replace('_', ' '))} ;\n    rdfs:comment {_text(item.comment)} ;\n"
            f"    rdfs:domain kgs:{owner} ;\n    rdfs:range {_DATATYPES[item.type]} ;\n{_DEFINED}"
        )
    return "\n".join([text, *found]) if found else text


def _own_properties(
    text: str, nodes: Iterable[NodeType], relations: Iterable[RelationType]
) -> Iterator[tuple[str, Property]]:
    """The properties that the ontology does not have yet, each once, with the class that they hang on."""
    known = {"label"}
    owners = [(node.name, node.properties) for node in nodes]
    owners += [("Statement", _further(relation)) for relation in relations]
    for owner, properties in owners:
        for item in properties:
            if item.name not in known and not re.search(rf"^kgs:{camel_case(item.name)} a ", text, re.MULTILINE):
                known.add(item.name)
                yield owner, item


def _further(relation: RelationType) -> tuple[Property, ...]:
    return relation.properties[len(KNOWLEDGE) :]


def with_shapes(text: str, nodes: Sequence[NodeType], relations: Sequence[RelationType]) -> str:
    """The shapes with those of further node types, and with further relations of all nodes and statements."""
    for node in nodes:
        lines = "".join(f" ;\n    {_property_shape(item, required=item.required)}" for item in node.properties)
        text += f"\nkgs:{node.name}Shape a sh:NodeShape ;\n    sh:targetClass kgs:{node.name} ;\n"
        text += f"    sh:nodeKind sh:IRI{lines} .\n"
    for relation in relations:
        ((start, end),) = relation.ends
        term = f"kgs:{camel_case(relation.name)}"
        text = _in_shape(text, start, f"sh:property [ sh:path {term} ; sh:class kgs:{end} ]")
        statement = text.index("kgs:StatementShape")
        text = text[:statement] + _in_statement(text[statement:], start, end, term)
        for item in _further(relation):
            if f"sh:path kgs:{camel_case(item.name)} " not in text[text.index("kgs:StatementShape") :].split("\n\n")[0]:
                text = _in_shape(text, "Statement", _property_shape(item, required=False))
    return text


def _in_statement(text: str, start: str, end: str, term: str) -> str:
    """The shape of statements, which begins the text, with a further relation."""
    text = text.replace("sh:path rdf:predicate ; sh:in (", f"sh:path rdf:predicate ; sh:in ( {term}", 1)
    for path, name in (("rdf:subject", start), ("rdf:object", end)):
        beginning = f"sh:path {path} ; sh:or ("
        text = text.replace(beginning, f"{beginning} [ sh:class kgs:{name} ]", 1)
    return text


def _in_shape(text: str, node_type: str, constraint: str) -> str:
    """The shapes with a further constraint of a node type's shape."""
    beginning = f"    sh:targetClass kgs:{node_type} ;\n"
    return text.replace(beginning, f"{beginning}    {constraint} ;\n", 1)


def _property_shape(item: Property, *, required: bool) -> str:
    if item.name == "label":
        kinds = "sh:or ( [ sh:datatype xsd:string ] [ sh:datatype rdf:langString ] )"
        return f"sh:property [ sh:path rdfs:label ; {kinds} ; sh:minCount 1 ]"
    least = " sh:minCount 1 ;" if required else ""
    return (
        f"sh:property [ sh:path kgs:{camel_case(item.name)} ; sh:datatype {_DATATYPES[item.type]} ;{least} "
        "sh:maxCount 1 ]"
    )


def with_context(text: str, nodes: Sequence[NodeType], relations: Sequence[RelationType]) -> str:
    """The JSON-LD context with the terms of further types."""
    if not nodes and not relations:
        return text
    content = json.loads(text)
    terms = content["@context"]
    for node in nodes:
        terms.setdefault(node.name, f"kgs:{node.name}")
    for relation in relations:
        term = camel_case(relation.name)
        terms.setdefault(term, {"@id": f"kgs:{term}", "@type": "@id"})
    for item in (*(item for node in nodes for item in node.properties), *(p for r in relations for p in _further(r))):
        if item.name != "label":
            term = camel_case(item.name)
            datatype = {} if item.type is ValueType.STRING else {"@type": _DATATYPES[item.type]}
            terms.setdefault(term, {"@id": f"kgs:{term}", **datatype})
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def with_constraints(text: str, nodes: Sequence[NodeType]) -> str:
    """The Neo4j constraints with those of further node types."""
    return text + "".join(
        f"CREATE CONSTRAINT kgscripts_{id_prefix(node.name).replace('-', '_')}_iri IF NOT EXISTS "
        f"FOR (node:{node.name}) REQUIRE node.iri IS UNIQUE;\n"
        for node in nodes
    )


def _text(words: str) -> str:
    """A text of Turtle in English."""
    return f"{json.dumps(words, ensure_ascii=False)}@en"
