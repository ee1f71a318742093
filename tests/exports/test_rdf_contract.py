"""Ontology, shapes and JSON-LD context, parsed, say what the declarations of the types say."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyoxigraph
import pyshacl
import pytest
import rdflib
from rdflib.collection import Collection
from rdflib.namespace import OWL, RDF, RDFS, SH, SKOS, XSD

from exports.rdf.context import context_terms, json_key
from exports.rdf.mapping import GraphChunks
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from exports.rdf.terms import (
    EXTERNAL_RELATIONS,
    INVERSE_PROPERTIES,
    MEMBER_PROPERTIES,
    PREFIXES,
    QUALIFIED_RELATION,
    class_terms,
    expand,
    property_term,
    relation_term,
)
from kgscripts import ScriptGraph
from schemas.corrections import CorrectionKind
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Property, ValueType
from schemas.vocabulary import ONTOLOGY_IRI
from tests.graphs import odd_graph

KGS = rdflib.Namespace(ONTOLOGY_IRI)
OA = rdflib.Namespace(PREFIXES["oa"])
DATATYPES = {
    ValueType.STRING: XSD.string,
    ValueType.INTEGER: XSD.integer,
    ValueType.NUMBER: XSD.double,
    ValueType.BOOLEAN: XSD.boolean,
}
SPAN = ("oa:start", "oa:end")
IRI_VALUED = (ValueType.NODE, ValueType.STRINGS)
OBJECT_TYPES = (OWL.ObjectProperty, OWL.DatatypeProperty)


def parsed(turtle: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=turtle, format="turtle")


@pytest.fixture(scope="module")
def ontology() -> rdflib.Graph:
    return parsed(ontology_text())


@pytest.fixture(scope="module")
def shapes() -> rdflib.Graph:
    """The closed shapes, which name every property; the open ones lack no more than `sh:closed`."""
    return parsed(shapes_text(closed=True))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("contract") / "graph")


def holder(name: str) -> str:
    """The class of what a property of a node or relation type hangs on."""
    if name in NODE_TYPES:
        return name
    return "Statement" if RELATION_TYPES[name].has_statement else "QualifiedRelation"


def properties() -> list[tuple[str, Property]]:
    """Every property that becomes a triple with the node as its subject, with its node or relation type."""
    nodes = [(name, item) for name, kind in NODE_TYPES.items() for item in kind.properties]
    relations = [(name, item) for name, kind in RELATION_TYPES.items() for item in kind.properties]
    found = nodes + [(name, item) for name, item in relations if item.name != "statement"]
    return [(name, item) for name, item in found if item.type is not ValueType.NODES]


def own_properties() -> dict[str, list[tuple[str, Property]]]:
    """The properties by their IRI, those of this ontology only."""
    found: dict[str, list[tuple[str, Property]]] = {}
    for name, item in properties():
        if (iri := expand(property_term(name, item.name))).startswith(ONTOLOGY_IRI):
            found.setdefault(iri, []).append((name, item))
    return found


def classes_of(graph: rdflib.Graph, node: rdflib.term.Node | None) -> set[rdflib.term.Node]:
    """A class, or those that a union is of."""
    assert node is not None
    union = graph.value(node, OWL.unionOf)
    return {node} if union is None else set(Collection(graph, union))


def test_the_ontology_has_every_class_and_no_other(ontology: rdflib.Graph) -> None:
    declared = {c for c in ontology.subjects(RDF.type, OWL.Class) if isinstance(c, rdflib.URIRef)}
    assert declared == {KGS[name] for name in NODE_TYPES} | {rdflib.URIRef(expand(QUALIFIED_RELATION))}
    for name, node in NODE_TYPES.items():
        assert str(ontology.value(KGS[name], RDFS.comment)) == node.comment
        assert node.key in str(ontology.value(KGS[name], rdflib.URIRef(expand("skos:note"))))
        for term in class_terms(name)[1:]:
            assert (KGS[name], RDFS.subClassOf, rdflib.URIRef(expand(term))) in ontology


def test_the_ontology_has_every_property_and_no_other(ontology: rdflib.Graph) -> None:
    declared = {str(p) for kind in OBJECT_TYPES for p in ontology.subjects(RDF.type, kind)}
    assert declared == {expand(relation_term(name)) for name in RELATION_TYPES} | set(own_properties()) | {
        expand(term) for term in MEMBER_PROPERTIES.values() if term.startswith("kgs:")
    }


def test_all_that_is_declared_is_explained(ontology: rdflib.Graph) -> None:
    for subject in set(ontology.subjects(RDFS.isDefinedBy, None)):
        for needed in (RDFS.label, RDFS.comment):
            (text,) = ontology.objects(subject, needed)
            assert isinstance(text, rdflib.Literal)
            assert text.language == "en"
            assert text.strip()
    declared = {s for s in ontology.subjects(RDF.type, None) if str(s).startswith(ONTOLOGY_IRI)}
    assert declared == set(ontology.subjects(RDFS.isDefinedBy, None))


@pytest.mark.parametrize("name", RELATION_TYPES)
def test_relations_have_their_comment_and_ends(ontology: rdflib.Graph, name: str) -> None:
    relation = RELATION_TYPES[name]
    iri = rdflib.URIRef(expand(relation_term(name)))
    assert (iri, RDF.type, OWL.ObjectProperty) in ontology
    assert str(ontology.value(iri, RDFS.comment)) == relation.comment
    assert classes_of(ontology, ontology.value(iri, RDFS.domain)) == {KGS[start] for start, _ in relation.ends}
    assert classes_of(ontology, ontology.value(iri, RDFS.range)) == {KGS[end] for _, end in relation.ends}


@pytest.mark.parametrize("name", EXTERNAL_RELATIONS)
def test_a_relation_that_has_one_predicate_of_another_vocabulary_is_a_kind_of_it(
    ontology: rdflib.Graph, name: str
) -> None:
    terms = {rdflib.URIRef(expand(term)) for term in EXTERNAL_RELATIONS[name].values()}
    found = set(ontology.objects(rdflib.URIRef(expand(relation_term(name))), RDFS.subPropertyOf))
    assert found == (terms if len(terms) == 1 else set())


@pytest.mark.parametrize("iri", own_properties())
def test_properties_have_their_domain_and_range(ontology: rdflib.Graph, iri: str) -> None:
    subject, found = rdflib.URIRef(iri), own_properties()[iri]
    assert classes_of(ontology, ontology.value(subject, RDFS.domain)) == {KGS[holder(name)] for name, _ in found}
    (value_type,) = {item.type for _, item in found}
    expected = {ValueType.NODE: KGS.Scenario, ValueType.STRINGS: RDF.List} | DATATYPES
    assert ontology.value(subject, RDFS.range) == expected[value_type]
    kind = OWL.ObjectProperty if value_type in IRI_VALUED else OWL.DatatypeProperty
    assert (subject, RDF.type, kind) in ontology
    comments = {item.comment for _, item in found}
    if len(comments) == 1:
        assert str(ontology.value(subject, RDFS.comment)) in comments


def test_the_ontology_fetches_nothing(ontology: rdflib.Graph) -> None:
    assert (None, OWL.imports, None) not in ontology


def test_the_shapes_are_valid_shacl(shapes: rdflib.Graph) -> None:
    conforms, _, text = pyshacl.validate(rdflib.Graph(), shacl_graph=shapes, meta_shacl=True)
    assert conforms, text


def test_the_open_shapes_differ_in_closedness_and_the_number_of_labels_alone(shapes: rdflib.Graph) -> None:
    opened = parsed(shapes_text())
    assert (None, SH.closed, None) not in opened
    names = set(opened.subjects(RDF.type, SH.NodeShape))
    assert names == set(shapes.subjects(SH.closed, rdflib.Literal(True)))
    at_most_one = set(shapes.subject_objects(SH.maxCount))
    labels = [path for path, _ in at_most_one if shapes.value(path, SH.path) in (RDFS.label, SKOS.prefLabel)]
    assert len(at_most_one) - len(set(opened.subject_objects(SH.maxCount))) == len(labels) == 9
    # pySHACL adds rdfs:subClassOf to shapes that it has used.
    closing = {SH.closed, SH.ignoredProperties, SH.maxCount, RDF.first, RDF.rest, RDFS.subClassOf}
    assert Counter(p for _, p, _ in opened if p not in closing) == Counter(p for _, p, _ in shapes if p not in closing)


def paths(shapes: rdflib.Graph, name: str) -> dict[rdflib.term.Node, rdflib.term.Node]:
    """The property shapes of a node shape, by their path."""
    found = [(shapes.value(shape, SH.path), shape) for shape in shapes.objects(KGS[f"{name}Shape"], SH.property)]
    simple = [(path, shape) for path, shape in found if isinstance(path, rdflib.URIRef)]
    assert len(dict(simple)) == len(simple), f"{name} has two shapes for one path"
    return dict(simple)


@pytest.mark.parametrize("name", [*NODE_TYPES, "QualifiedRelation"])
def test_every_class_has_a_closed_shape_of_its_own_properties(shapes: rdflib.Graph, name: str) -> None:
    shape = KGS[f"{name}Shape"]
    assert shapes.value(shape, SH.targetClass) == KGS[name]
    assert shapes.value(shape, SH.closed) == rdflib.Literal(True)
    terms = {property_term(owner, item.name) for owner, item in properties() if holder(owner) == name}
    terms |= {relation_term(key) for key, kind in RELATION_TYPES.items() for start, _ in kind.ends if start == name}
    terms |= {
        "SubEvent": {"skos:closeMatch", "skos:altLabel", "kgs:condition", "kgs:variant", "kgs:isLeftOutOf", "kgs:part"},
        "Tool": {"skos:broader"},
        "Scenario": {
            *("skos:prefLabel", "skos:altLabel", "skos:inScheme", "skos:broader", "skos:related"),
            *("schema:tool", "schema:supply"),
        },
        "Attribute": {"skos:altLabel", "skos:broader"},
        "Passage": {"oa:hasSelector", "kgs:quantity", "kgs:size", "kgs:duration"},
        "BenchmarkScore": {"dqv:isMeasurementOf", "dqv:computedOn"},
        "QualifiedRelation": {"rdf:subject", "rdf:predicate", "rdf:object"},
    }.get(name, set())
    assert set(paths(shapes, name)) == {rdflib.URIRef(expand(term)) for term in terms.difference(SPAN)}


@pytest.mark.parametrize("name", NODE_TYPES)
def test_shapes_ask_for_the_types_and_what_is_required(shapes: rdflib.Graph, name: str) -> None:
    for item in [item for owner, item in properties() if owner == name]:
        term = property_term(name, item.name)
        of_span = {shapes.value(s, SH.path): s for s in shapes.objects(KGS.SpanShape, SH.property)}
        shape = (of_span if term in SPAN else paths(shapes, name))[rdflib.URIRef(expand(term))]
        assert (shapes.value(shape, SH.minCount) == rdflib.Literal(1)) == item.required, item.name
        assert shapes.value(shape, SH.maxCount) == rdflib.Literal(1)
        if term == "rdfs:label":
            choice = shapes.value(shape, SH["or"])
            assert choice is not None
            allowed = [shapes.value(each, SH.datatype) for each in Collection(shapes, choice)]
            assert allowed == [XSD.string, RDF.langString]
        elif item.type in DATATYPES and term != "rdf:predicate":
            assert shapes.value(shape, SH.datatype) == DATATYPES[item.type], item.name


def test_properties_of_several_nodes_are_inverse_and_have_a_closed_shape(shapes: rdflib.Graph) -> None:
    types = NODE_TYPES | RELATION_TYPES
    lists = {(name, item.name) for name in types for item in types[name].properties if item.type is ValueType.NODES}
    assert lists == set(INVERSE_PROPERTIES)
    for (name, _), term in INVERSE_PROPERTIES.items():
        (inverse,) = shapes.subjects(SH.inversePath, rdflib.URIRef(expand(term)))
        (of_owner,) = shapes.subjects(SH.path, inverse)
        assert (KGS[f"{name}Shape"], SH.property, of_owner) in shapes
        shape = shapes.value(of_owner, SH.node)
        assert shapes.value(shape, SH.closed) == rdflib.Literal(True)
        (path,) = shapes.objects(shape, SH.property)
        assert shapes.value(path, SH.path) == rdflib.URIRef(expand(term))
        assert shapes.value(path, SH["class"]) == KGS[name]
        assert context_terms()[term] == {"@id": term, "@type": "@id"}


@pytest.mark.parametrize("name", RELATION_TYPES)
def test_shapes_ask_for_the_ends_of_relations(shapes: rdflib.Graph, name: str) -> None:
    for start in {start for start, _ in RELATION_TYPES[name].ends}:
        shape = paths(shapes, start)[rdflib.URIRef(expand(relation_term(name)))]
        choice = shapes.value(shape, SH["or"])
        shown = [shape] if choice is None else list(Collection(shapes, choice))
        expected = {KGS[end] for begin, end in RELATION_TYPES[name].ends if begin == start}
        assert {shapes.value(each, SH["class"]) for each in shown} == expected


def test_the_context_has_every_term_that_is_written(graph: ScriptGraph) -> None:
    context = context_terms()
    for chunk in GraphChunks(graph):
        for description in chunk.descriptions:
            for value in description.values:
                assert json_key(value.predicate) in context, value.predicate
            for term in description.types:
                assert json_key(term) in context or term.partition(":")[0] in context, term
    for name, item in properties():
        entry = context[json_key(property_term(name, item.name))]
        assert entry["@id"] == property_term(name, item.name)
        if item.type in IRI_VALUED or property_term(name, item.name) == "rdf:predicate":
            assert entry["@type"] == "@id"
        elif item.type is ValueType.STRING:
            assert "@type" not in entry
        else:
            assert expand(entry["@type"]) == str(DATATYPES[item.type])
    assert {prefix: context[prefix] for prefix in PREFIXES} == PREFIXES


def test_the_context_alone_makes_rdf_of_a_node(tmp_path: Path) -> None:
    document = {"@context": context_terms(), "id": "urn:t", "type": "Tool", "support": 3, "rdfs:label": "pan"}
    path = tmp_path / "node.jsonld"
    path.write_text(json.dumps(document), encoding="utf-8")
    quads = set(pyoxigraph.parse(path=str(path), format=pyoxigraph.RdfFormat.JSON_LD))
    assert len(quads) == 3
    assert {quad.predicate.value for quad in quads} == {str(RDF.type), str(KGS.support), str(RDFS.label)}


def test_values_are_those_of_corrections_and_named_by_their_comments() -> None:
    items = [item for types in (NODE_TYPES, RELATION_TYPES) for kind in types.values() for item in kind.properties]
    assert [item.name for item in items if not all(value in item.comment for value in item.values)] == []
    (kind,) = (item for item in NODE_TYPES["Correction"].properties if item.name == "kind")
    assert kind.values == tuple(CorrectionKind)


def test_every_term_of_this_vocabulary_that_is_written_is_declared(ontology: rdflib.Graph, graph: ScriptGraph) -> None:
    written: set[str] = set()
    for chunk in GraphChunks(graph):
        for description in chunk.descriptions:
            written |= {*description.types, *(value.predicate for value in description.values)}
    declared = set(ontology.subjects(RDFS.isDefinedBy, None))
    assert {rdflib.URIRef(expand(term)) for term in written if term.startswith("kgs:")} <= declared
