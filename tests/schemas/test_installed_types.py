"""Types of other packages: what a declaration must be like, and what follows from it."""

from __future__ import annotations

import pytest
import rdflib
from attrs import evolve
from rdflib.collection import Collection
from rdflib.namespace import OWL, RDF, RDFS, SH

from exports.neo4j.property_graph import constraints
from exports.rdf.context import context_terms
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import (
    KNOWLEDGE,
    LABEL,
    SUPPORT,
    Layer,
    NodeType,
    Property,
    RelationType,
    ValueType,
    problem_of,
)
from schemas.vocabulary import ONTOLOGY_IRI

KGS = rdflib.Namespace(ONTOLOGY_IRI)
NODE = NodeType(
    "OvenHeat", 'How "hot" an oven is.', "its words", (LABEL, Property("degrees", ValueType.INTEGER, "°C."), SUPPORT)
)
RELATION = RelationType(
    "NEEDS_HEAT",
    "The step needs it.",
    Layer.KNOWLEDGE,
    (("SubEvent", "OvenHeat"),),
    (*KNOWLEDGE, Property("from_door", ValueType.NUMBER, "How far.", False, minimum=2)),
)


@pytest.mark.parametrize(
    ("declaration", "problem"),
    [
        (NODE, ""),
        (RELATION, ""),
        ("OvenHeat", "is neither a NodeType nor a RelationType"),
        (evolve(NODE, name="oven_heat"), "is no name in CamelCase"),
        (evolve(NODE, name='Oven" heat'), "is no name in CamelCase"),
        (evolve(NODE, name="Known"), "Known is declared twice"),
        (evolve(NODE, properties=(SUPPORT,)), "OvenHeat needs LABEL as its first property"),
        (evolve(NODE, properties=(LABEL, Property("oven`", ValueType.STRING, "."))), "is no name of a property"),
        (evolve(NODE, properties=(LABEL, Property("ovens", ValueType.STRINGS, "."))), "'ovens' needs the type STRING"),
        (evolve(RELATION, name="needsHeat"), "is no name in UPPER_CASE"),
        (evolve(RELATION, properties=()), "needs the layer KNOWLEDGE, and KNOWLEDGE as its first properties"),
        (evolve(RELATION, layer=Layer.INSTANCE), "needs the layer KNOWLEDGE"),
        (evolve(RELATION, ends=(*RELATION.ends, ("Scenario", "OvenHeat"))), "needs one pair of ends"),
    ],
)
def test_what_a_declaration_must_be_like(declaration: object, problem: str) -> None:
    found = problem_of(declaration, ["Known"])
    assert problem in found
    assert bool(problem) == bool(found)


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NODE_TYPES, NODE.name, NODE)
    monkeypatch.setitem(RELATION_TYPES, RELATION.name, RELATION)


@pytest.mark.usefixtures("_installed")
def test_the_ontology_has_what_is_new_and_declares_nothing_twice() -> None:
    graph = rdflib.Graph().parse(data=ontology_text(), format="turtle")
    assert str(graph.value(KGS.OvenHeat, RDFS.comment)) == NODE.comment
    assert (KGS.needsHeat, RDF.type, OWL.ObjectProperty) in graph
    assert graph.value(KGS.needsHeat, RDFS.range) == KGS.OvenHeat
    assert graph.value(KGS.degrees, RDFS.domain) == KGS.OvenHeat
    assert graph.value(KGS.fromDoor, RDFS.domain) == KGS.Statement
    (domain,) = graph.objects(KGS.support, RDFS.domain)
    (owners,) = graph.objects(domain, OWL.unionOf)
    assert KGS.OvenHeat in Collection(graph, owners)


@pytest.mark.usefixtures("_installed")
def test_shapes_context_and_constraints_follow() -> None:
    shapes = rdflib.Graph().parse(data=shapes_text(), format="turtle")
    paths = {
        (str(shape).removeprefix(ONTOLOGY_IRI), str(shapes.value(item, SH.path)).removeprefix(ONTOLOGY_IRI)): item
        for shape, item in shapes.subject_objects(SH.property)
    }
    assert {("OvenHeatShape", "degrees"), ("SubEventShape", "needsHeat")} <= set(paths)
    assert shapes.value(paths["StatementShape", "fromDoor"], SH.minInclusive) == rdflib.Literal(2)
    for path, term in ((RDF.predicate, KGS.needsHeat), (RDF.object, KGS.OvenHeat)):
        shape = paths["StatementShape", str(path)]
        (choice,) = [*shapes.objects(shape, SH["in"]), *shapes.objects(shape, SH["or"])]
        assert term in {shapes.value(item, SH["class"], default=item) for item in Collection(shapes, choice)}
    terms = context_terms()
    assert (terms["OvenHeat"], terms["needsHeat"]["@type"]) == ("kgs:OvenHeat", "@id")
    assert terms["fromDoor"]["@type"] == "xsd:double"
    assert "kgscripts_oven_heat_iri" in list(constraints())[-1]
