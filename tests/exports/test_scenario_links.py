"""Broader and related scenarios in the RDF of a graph."""

from __future__ import annotations

from pathlib import Path

import pyshacl
import pytest
import rdflib
from rdflib.namespace import SKOS

from exports.rdf.shapes import shapes_text
from exports.targets import export
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id
from tests.exports.kitchen import TOLD, kitchen_graph

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")


def test_scenarios_of_the_graph_are_linked_and_conform(tmp_path: Path) -> None:
    (story,) = [{"a.txt": next(iter(sources.values()))} for label, sources in TOLD.items() if label == "making coffee"]
    labels = ("going shopping", "shopping for clothes", "flying in a plane", "checking in at an airport", "making tea")
    graph = kitchen_graph(tmp_path / "graph", {label: {f"{label}.txt": story["a.txt"]} for label in labels})
    export(graph, str(tmp_path / "graph.ttl"))
    parsed = rdflib.Graph().parse(tmp_path / "graph.ttl")
    iris = {label: rdflib.URIRef(DEFAULT_BASE_IRI + node_id("Scenario", label, label)) for label in labels}
    assert set(parsed.subject_objects(SKOS.broader)) == {(iris["shopping for clothes"], iris["going shopping"])}
    pair = (iris["flying in a plane"], iris["checking in at an airport"])
    assert set(parsed.subject_objects(SKOS.related)) == {pair, pair[::-1]}
    shapes = rdflib.Graph().parse(data=shapes_text(closed=True), format="turtle")
    conforms, _, text = pyshacl.validate(parsed, shacl_graph=shapes)
    assert conforms, text
