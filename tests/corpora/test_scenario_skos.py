"""The scenarios as a SKOS concept scheme."""

from __future__ import annotations

import rdflib
from rdflib.namespace import RDF, SKOS

from exports.rdf.dataset import SCENARIO_SCHEME
from kgscripts.corpora.scenarios.labels import SCHEME, turtle_lines
from schemas.scenario_documents import concept_scheme
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id


def test_the_scheme_has_all_labels_and_links() -> None:
    graph = rdflib.Graph().parse(data="\n".join(turtle_lines()), format="turtle")
    iris = {
        concept.label: rdflib.URIRef(DEFAULT_BASE_IRI + node_id("Scenario", concept.label, concept.label))
        for concept in concept_scheme()
    }
    assert set(graph.subjects(RDF.type, SKOS.Concept)) == set(iris.values())
    assert {str(scheme) for scheme in graph.objects(None, SKOS.inScheme)} == {DEFAULT_BASE_IRI + SCENARIO_SCHEME}
    assert SCHEME == SCENARIO_SCHEME
    for concept in concept_scheme():
        iri = iris[concept.label]
        assert str(graph.value(iri, SKOS.prefLabel)) == concept.label
        assert set(map(str, graph.objects(iri, SKOS.altLabel))) == set(concept.alternative_labels)
        assert set(graph.objects(iri, SKOS.broader)) == {iris[label] for label in concept.broader}
        assert set(graph.objects(iri, SKOS.related)) == {iris[label] for label in concept.related}
    assert set(graph.subject_objects(SKOS.narrower)) == {(b, a) for a, b in graph.subject_objects(SKOS.broader)}
