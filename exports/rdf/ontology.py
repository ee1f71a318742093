"""The ontology of the graph (OWL, in Turtle), generated from the declarations of node and relation types."""

from __future__ import annotations

import json
from collections.abc import Iterator

from exports.rdf.terms import (
    DATATYPES,
    EXTERNAL_RELATIONS,
    MEMBER_PROPERTIES,
    QUALIFIED_RELATION,
    class_terms,
    property_term,
    property_terms,
    relation_term,
    turtle_prefixes,
)
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Property, ValueType, id_prefix
from schemas.vocabulary import ONTOLOGY_IRI

_ONTOLOGY = f"<{ONTOLOGY_IRI.removesuffix('#')}>"
_ABOUT = (
    "What people know about everyday activities: their steps, tools, participants, order and effects, with the "
    "passages that are evidence for it and the models that read them. P-Plan, schema.org, SKOS, PROV-O, Web "
    "Annotation, DQV and ML-Schema are referred to, not imported."
)
_HEADER = f"""{_ONTOLOGY} a owl:Ontology ;
    dcterms:title "Script knowledge"@en ;
    rdfs:label "Script knowledge"@en ;
    rdfs:comment "{_ABOUT}"@en ;
    dcterms:license <https://www.apache.org/licenses/LICENSE-2.0> ;
    owl:versionInfo "1" .
"""
_REPLACED = "An IRI that the step may have had before its cluster was merged is dcterms:isReplacedBy the step."
_NEEDED = "A usual need is also a schema:tool or a schema:supply of the scenario."
_FURTHER: dict[str, tuple[str, ...]] = {
    "kgs:Scenario": ("rdfs:subClassOf p-plan:Plan, schema:HowTo",),
    "kgs:SubEvent": ("rdfs:subClassOf p-plan:Step, schema:HowToDirection", f'skos:scopeNote "{_REPLACED}"@en'),
    "kgs:Tool": ("rdfs:subClassOf schema:HowToTool",),
    "kgs:Source": ("rdfs:subClassOf prov:Entity, schema:CreativeWork",),
    "kgs:Passage": ("rdfs:subClassOf prov:Entity, oa:SpecificResource",),
    "kgs:Statement": ("rdfs:subClassOf rdf:Statement, prov:Entity",),
    "kgs:Correction": ("rdfs:subClassOf prov:Activity",),
    QUALIFIED_RELATION: ("rdfs:subClassOf rdf:Statement",),
    "kgs:hasSubEvent": ("rdfs:subPropertyOf [ owl:inverseOf p-plan:isStepOfPlan ]",),
    "kgs:precedes": ("rdfs:subPropertyOf [ owl:inverseOf p-plan:isPrecededBy ]",),
    "kgs:needs": (f'skos:scopeNote "{_NEEDED}"@en',),
    "kgs:uses": ("rdfs:subPropertyOf schema:tool",),
    "kgs:scored": ("rdfs:subPropertyOf dqv:hasQualityMeasurement",),
    "kgs:evidencedBy": ("rdfs:subPropertyOf prov:wasDerivedFrom",),
    "kgs:readBy": ("rdfs:subPropertyOf prov:wasAttributedTo",),
    "kgs:correctedBy": ("rdfs:subPropertyOf prov:wasInfluencedBy",),
    "kgs:within": ("rdfs:subPropertyOf dcterms:isPartOf",),
    "kgs:about": ("rdfs:subPropertyOf schema:about",),
    "kgs:name": ("rdfs:subPropertyOf schema:name",),
}
"""Statements of the ontology about its terms that no declaration has, mainly relations to other vocabularies."""


def ontology_text() -> str:
    """The ontology in Turtle, of our types and those of installed packages."""
    resources = [*_classes(), *_relations(), *_properties(), *_members()]
    return "\n".join([turtle_prefixes(), _HEADER, *resources])


def _classes() -> Iterator[str]:
    for name, node in NODE_TYPES.items():
        term, *superclasses = class_terms(name)
        note = _english(f"Two are the same if they agree in: {node.key}.")
        further = [f"rdfs:subClassOf {other}" for other in superclasses]
        yield _resource(
            term, "owl:Class", id_prefix(name).replace("-", " "), node.comment, *further, f"skos:note {note}"
        )
    comment = "A relation without a statement, as a resource that holds its numbers."
    yield _resource(QUALIFIED_RELATION, "owl:Class", "qualified relation", comment)


def _relations() -> Iterator[str]:
    for name, relation in RELATION_TYPES.items():
        starts, ends = zip(*relation.ends, strict=True)
        terms = list(dict.fromkeys(EXTERNAL_RELATIONS.get(name, {}).values()))
        external = [f"rdfs:subPropertyOf {term}" for term in terms if len(terms) == 1]
        yield _resource(
            relation_term(name),
            "owl:ObjectProperty" + ", owl:SymmetricProperty" * relation.symmetric,
            name.lower().replace("_", " "),
            relation.comment,
            f"rdfs:domain {_union(f'kgs:{start}' for start in starts)}",
            f"rdfs:range {_union(f'kgs:{end}' for end in ends)}",
            *external,
        )


def _properties() -> Iterator[str]:
    """The properties of this vocabulary, each once, whatever the number of types that have it."""
    by_term: dict[str, list[tuple[str, Property]]] = {}
    for term, owner, item in property_terms():
        if term.startswith("kgs:"):
            by_term.setdefault(term, []).append((owner, item))
    for term, uses in by_term.items():
        first = uses[0][1]
        is_object = first.type in (ValueType.NODE, ValueType.STRINGS)
        yield _resource(
            term,
            "owl:ObjectProperty" if is_object else "owl:DatatypeProperty",
            first.name.replace("_", " "),
            _comment(uses),
            f"rdfs:domain {_union(owner for owner, _ in uses)}",
            f"rdfs:range {_range(first)}",
        )


def _members() -> Iterator[str]:
    """The predicates of this vocabulary from a node to each text of a list."""
    for name, node in NODE_TYPES.items():
        for item in node.properties:
            term = MEMBER_PROPERTIES.get((name, item.name), "")
            if term.startswith("kgs:"):
                label = term.removeprefix("kgs:")
                comment = f"One of the texts of {property_term(name, item.name)}."
                domain = f"rdfs:domain kgs:{name}"
                yield _resource(term, "owl:DatatypeProperty", label, comment, domain, "rdfs:range xsd:string")


def _comment(uses: list[tuple[str, Property]]) -> str:
    """The comment of a property; one for each class if the comments differ."""
    owners: dict[str, list[str]] = {}
    for owner, item in uses:
        owners.setdefault(item.comment, []).append(owner.removeprefix("kgs:"))
    if len({owner for owner, _ in uses}) == 1 or len(owners) == 1:
        return " / ".join(owners)
    return " ".join(f"{', '.join(dict.fromkeys(names))}: {comment}" for comment, names in owners.items())


def _range(item: Property) -> str:
    if item.type is ValueType.NODE:
        return f"kgs:{item.node_type}"
    return "rdf:List" if item.type is ValueType.STRINGS else DATATYPES[item.type]


def _union(terms: Iterator[str]) -> str:
    """A class, or the union of several."""
    first, *others = dict.fromkeys(terms)
    return f"[ a owl:Class ; owl:unionOf ( {' '.join([first, *others])} ) ]" if others else first


def _resource(term: str, kind: str, label: str, comment: str, *further: str) -> str:
    lines = (
        f"{term} a {kind}",
        f"rdfs:label {_english(label)}",
        f"rdfs:comment {_english(comment)}",
        *further,
        *_FURTHER.get(term, ()),
        f"rdfs:isDefinedBy {_ONTOLOGY}",
    )
    return " ;\n    ".join(lines) + " .\n"


def _english(words: str) -> str:
    return f"{json.dumps(words, ensure_ascii=False)}@en"
