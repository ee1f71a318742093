"""Types of other packages: what a declaration must be like, and what follows from it."""

from __future__ import annotations

import json

import pytest
import rdflib
from attrs import evolve
from rdflib.namespace import OWL, RDF, RDFS

from schemas.further_schema import with_constraints, with_context, with_ontology, with_shapes
from schemas.installed_types import id_prefix, problem_of
from schemas.schema_files import schema_text, shapes_text
from schemas.type_declarations import KNOWLEDGE, LABEL, SUPPORT, Layer, NodeType, Property, RelationType, ValueType
from schemas.vocabulary import ID_PREFIXES, ONTOLOGY_IRI

KGS = rdflib.Namespace(ONTOLOGY_IRI)
NODE = NodeType(
    "OvenHeat", 'How "hot" an oven is.', "its words", (LABEL, Property("degrees", ValueType.INTEGER, "°C."), SUPPORT)
)
RELATION = RelationType(
    "NEEDS_HEAT",
    "The step needs it.",
    Layer.KNOWLEDGE,
    (("SubEvent", "OvenHeat"),),
    (*KNOWLEDGE, Property("from_door", ValueType.NUMBER, "How far.", False)),
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


@pytest.mark.parametrize("name", [name for name in ID_PREFIXES if name != "BenchmarkScore"])
def test_prefixes_are_made_as_those_of_our_types(name: str) -> None:
    assert id_prefix(name) == ID_PREFIXES[name]


def test_the_ontology_has_what_is_new_and_declares_nothing_twice() -> None:
    text = with_ontology(schema_text("ontology"), [NODE], [RELATION])
    graph = rdflib.Graph().parse(data=text, format="turtle")
    assert str(graph.value(KGS.OvenHeat, RDFS.comment)) == NODE.comment
    assert (KGS.needsHeat, RDF.type, OWL.ObjectProperty) in graph
    assert graph.value(KGS.needsHeat, RDFS.range) == KGS.OvenHeat
    assert graph.value(KGS.degrees, RDFS.domain) == KGS.OvenHeat
    assert graph.value(KGS.fromDoor, RDFS.domain) == KGS.Statement
    assert len(list(graph.objects(KGS.support, RDFS.comment))) == 1


def test_shapes_context_and_constraints_follow() -> None:
    shapes = rdflib.Graph().parse(data=with_shapes(shapes_text(), [NODE], [RELATION]), format="turtle")
    paths = {
        (str(shape).removeprefix(ONTOLOGY_IRI), str(shapes.value(item, rdflib.SH.path)).removeprefix(ONTOLOGY_IRI))
        for shape, item in shapes.subject_objects(rdflib.SH.property)
    }
    assert {("OvenHeatShape", "degrees"), ("SubEventShape", "needsHeat"), ("StatementShape", "fromDoor")} <= paths
    terms = json.loads(with_context(schema_text("context"), [NODE], [RELATION]))["@context"]
    assert (terms["OvenHeat"], terms["needsHeat"]["@type"]) == ("kgs:OvenHeat", "@id")
    assert terms["fromDoor"]["@type"] == "xsd:double"
    assert "kgscripts_oven_heat_iri" in with_constraints("", [NODE])


def test_without_types_nothing_changes() -> None:
    for change, name in ((with_ontology, "ontology"), (with_shapes, "shapes"), (with_context, "context")):
        assert change(schema_text(name), [], []) == schema_text(name)
