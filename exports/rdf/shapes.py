"""The SHACL shapes of the graph (Turtle), generated from the declarations of node and relation types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from exports.rdf.terms import (
    DATATYPES,
    EXTERNAL_RELATIONS,
    INVERSE_PROPERTIES,
    MEMBER_PROPERTIES,
    property_term,
    relation_term,
    turtle_prefixes,
)
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import KNOWLEDGE, NodeType, Property, RelationType, ValueType

_TEXT = "sh:or ( [ sh:datatype xsd:string ] [ sh:datatype rdf:langString ] )"
_SPAN = {("Passage", "start"), ("Passage", "end")}
"""Properties of the selector of a passage (`kgs:SpanShape`)."""
_ONE = "sh:minCount 1 ; sh:maxCount 1"
_FURTHER = {
    "Scenario": (
        f"sh:path skos:inScheme ; sh:class skos:ConceptScheme ; {_ONE}",
        "sh:path skos:broader ; sh:class kgs:Scenario",
        "sh:path skos:related ; sh:class kgs:Scenario",
    ),
    "Passage": (f"sh:path oa:hasSelector ; sh:node kgs:SpanShape ; {_ONE}",),
    "BenchmarkScore": (
        f"sh:path dqv:isMeasurementOf ; sh:class dqv:Metric ; {_ONE}",
        "sh:path dqv:computedOn ; sh:class kgs:Model ; sh:minCount 1",
    ),
}
"""Properties that no declaration has, since the export makes them of others."""
_PREDICTED, _EVIDENCED = (
    "[ sh:property [ sh:path kgs:predicted ; sh:hasValue true ] ]",
    "[ sh:property [ sh:path kgs:evidencedBy ; sh:minCount 1 ] ]",
)
_ORIGIN = (
    f"sh:xone ( {_PREDICTED} {_EVIDENCED} [ sh:property [ sh:path kgs:correctedBy ; sh:minCount 1 ] ; "
    f"sh:not {_PREDICTED} , {_EVIDENCED} ] )",
    "sh:property [ sh:path [ sh:alternativePath ( kgs:readBy kgs:correctedBy ) ] ; sh:minCount 1 ]",
)
"""A statement is predicted, read in passages, or added by a person only; a model or a person gave it."""
_SELECTOR = (
    "sh:class oa:TextPositionSelector",
    f"sh:property [ sh:path oa:start ; sh:datatype xsd:integer ; {_ONE} ; sh:minInclusive 0 ; sh:lessThan oa:end ]",
    f"sh:property [ sh:path oa:end ; sh:datatype xsd:integer ; {_ONE} ]",
)
_REPLACED = (
    'rdfs:comment "An earlier IRI of a merged cluster leads to one step, and is no node any more."@en',
    "sh:not [ sh:class kgs:SubEvent ]",
    'sh:pattern "sub-event/[^/]+$"',
    f"sh:property [ sh:path dcterms:isReplacedBy ; sh:class kgs:SubEvent ; {_ONE} ]",
)


@frozen(kw_only=True)
class Violation:
    """A violation of `node`, with the property (none: the node as a whole)."""

    node: str
    path: str | None
    message: str


def shapes_text(*, closed: bool = False) -> str:
    """The shapes in Turtle, of our types and those of installed packages.

    The open shapes allow further triples about a node: inferred ones, `owl:sameAs`, labels in other languages. The
    closed ones, for the RDF as it is exported, allow no other property than those of the node's type, and one label.
    """
    shapes = {name: [*_of_node(node, closed), *_of_relations(name)] for name, node in NODE_TYPES.items()}
    shapes["Statement"] += _of_statements()
    shapes["QualifiedRelation"] = list(_of_qualified_relations())
    targets = {name: (f"sh:targetClass kgs:{name}", *constraints) for name, constraints in shapes.items()}
    targets |= {"Span": _SELECTOR, "Replaced": _REPLACED}
    closing = ("sh:closed true", "sh:ignoredProperties ( rdf:type )") if closed else ()
    blocks = (
        " ;\n    ".join((f"kgs:{name}Shape a sh:NodeShape", "sh:nodeKind sh:IRI", *closing, *constraints)) + " .\n"
        for name, constraints in targets.items()
    )
    return "\n".join([turtle_prefixes() + "@prefix sh: <http://www.w3.org/ns/shacl#> .\n", *blocks])


def _of_node(node: NodeType, closed: bool) -> Iterator[str]:
    labels = " ; sh:maxCount 1" if closed else ""
    for item in node.properties:
        key, term = (node.name, item.name), property_term(node.name, item.name)
        if item.name == "label":
            yield _property(f"rdfs:label ; {_TEXT} ; sh:minCount 1{labels}")
            if node.name == "Scenario":
                yield _property(f"skos:prefLabel ; {_TEXT} ; sh:minCount 1 ; sh:uniqueLang true{labels}")
        elif key in INVERSE_PROPERTIES:
            yield f"sh:property [ sh:path [ sh:inversePath {INVERSE_PROPERTIES[key]} ] ; sh:node kgs:ReplacedShape ]"
        elif key in MEMBER_PROPERTIES:
            yield _property(f"{term} ; sh:nodeKind sh:IRI ; {_ONE if item.required else 'sh:maxCount 1'}")
            yield _property(f"( {term} [ sh:zeroOrMorePath rdf:rest ] rdf:first ) ; {_TEXT}")
            yield _property(f"{MEMBER_PROPERTIES[key]} ; {_TEXT}")
        elif key not in _SPAN and not (node.name == "Statement" and item.name in ("subject", "relation", "object")):
            yield _value(term, item, required=item.required)
    yield from (f"sh:property [ {further} ]" for further in _FURTHER.get(node.name, ()))


def _of_relations(name: str) -> Iterator[str]:
    """The relations that start at nodes of a type."""
    for key, relation in RELATION_TYPES.items():
        if ends := [end for start, end in relation.ends if start == name]:
            numbers = f" ; sh:minCount {relation.at_least}" if relation.at_least else ""
            numbers += f" ; sh:maxCount {relation.at_most}" if relation.at_most is not None else ""
            yield _property(f"{relation_term(key)} ; {_class(ends)}{numbers}")
            for end, term in EXTERNAL_RELATIONS.get(key, {}).items():
                if end in ends:
                    yield _property(f"{term} ; {_class([end])}")


def _of_statements() -> Iterator[str]:
    stated = {name: relation for name, relation in RELATION_TYPES.items() if relation.has_statement}
    ends = [pair for relation in stated.values() for pair in relation.ends]
    yield _property(f"rdf:subject ; {_class(start for start, _ in ends)} ; {_ONE}")
    yield _property(f"rdf:predicate ; sh:in ( {' '.join(map(relation_term, stated))} ) ; {_ONE}")
    yield _property(f"rdf:object ; {_class(end for _, end in ends)} ; {_ONE}")
    for term, item in _numbers(stated).items():
        yield _value(term, item, required=item in KNOWLEDGE)
    yield from _ORIGIN


def _of_qualified_relations() -> Iterator[str]:
    qualified = {name: item for name, item in RELATION_TYPES.items() if item.properties and not item.has_statement}
    numbers = _numbers(qualified)
    # Each relation has all properties of its type, and those of one type only.
    of_types = dict.fromkeys(tuple(_numbers({name: item})) for name, item in qualified.items())
    one = " ".join(f"[ {' ; '.join(_property(f'{term} ; sh:minCount 1') for term in terms)} ]" for terms in of_types)
    yield f"sh:xone ( {one} )"
    yield _property(f"rdf:subject ; sh:nodeKind sh:IRI ; {_ONE}")
    yield _property(f"rdf:predicate ; sh:in ( {' '.join(map(relation_term, qualified))} ) ; {_ONE}")
    yield _property(f"rdf:object ; sh:nodeKind sh:IRI ; {_ONE}")
    for term, item in numbers.items():
        yield _value(term, item, required=False)


def _numbers(relations: Mapping[str, RelationType]) -> dict[str, Property]:
    """The properties of relations by their predicates, each once."""
    by_predicate: dict[str, Property] = {}
    for name, relation in relations.items():
        for item in relation.properties:
            if item.name != "statement":
                by_predicate.setdefault(property_term(name, item.name), item)
    return by_predicate


def _value(term: str, item: Property, *, required: bool) -> str:
    parts = [_class([item.node_type]) if item.type is ValueType.NODE else f"sh:datatype {DATATYPES[item.type]}"]
    parts += ["sh:minCount 1"] * required + ["sh:maxCount 1"]
    parts += [f"sh:minInclusive {item.minimum}"] if item.minimum is not None else []
    parts += [f"sh:maxInclusive {item.maximum}"] if item.maximum is not None else []
    parts += [f"sh:in ( {' '.join(map(json.dumps, item.values))} )"] if item.values else []
    parts += [f"sh:pattern {json.dumps(item.pattern)}"] if item.pattern else []
    return _property(" ; ".join([term, *parts]))


def _property(constraint: str) -> str:
    return f"sh:property [ sh:path {constraint} ]"


def _class(names: Iterable[str]) -> str:
    """One of these classes."""
    first, *others = (f"sh:class kgs:{name}" for name in dict.fromkeys(names))
    return f"sh:or ( {' '.join(f'[ {each} ]' for each in (first, *others))} )" if others else first
