"""The shapes hold under RDFS inference and beside what others say; the description of data set, build and metrics."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pyshacl
import pytest
import rdflib
from attrs import evolve, frozen
from rdflib.namespace import DCTERMS, OWL, PROV, RDF, RDFS, SH, SKOS, XSD

from exports.rdf.dataset import RunFacts, run_facts
from exports.rdf.files import export
from exports.rdf.ontology import ontology_text
from exports.rdf.shapes import shapes_text
from exports.rdf.terms import PREFIXES
from exports.targets import ExportOptions
from kgscripts import ScriptGraph
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id
from tests.exports.kitchen import TOLD, kitchen_graph, kitchen_rows
from tests.graphs import write_graph

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib")
KGS = rdflib.Namespace(PREFIXES["kgs"])
DQV = rdflib.Namespace(PREFIXES["dqv"])
OA = rdflib.Namespace(PREFIXES["oa"])
DATA = rdflib.Namespace(DEFAULT_BASE_IRI)
POT = DATA[node_id("Tool", "pot", "pot")]
PASTA = DATA[node_id("Scenario", "cooking pasta", "cooking pasta")]
RUN = {"started": "2024-05-01T10:00:00+00:00", "seconds": 90.5, "versions": {"kgscripts": "0.1.0"}}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    graph = kitchen_graph(tmp_path_factory.mktemp("open") / "graph")
    (graph.directory / "run.json").write_text(json.dumps(RUN), encoding="utf-8")
    return graph


@pytest.fixture(scope="module")
def exported(kitchen: ScriptGraph, tmp_path_factory: pytest.TempPathFactory) -> rdflib.Graph:
    file = tmp_path_factory.mktemp("open") / "graph.ttl"
    export(kitchen, str(file), ExportOptions())
    return rdflib.Graph().parse(file)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> rdflib.Graph:
    """Two sentences, since checking takes some milliseconds a node."""
    folder = tmp_path_factory.mktemp("tiny")
    sentences = TOLD["cooking pasta"]["how_to.md"][:2]
    graph = kitchen_graph(folder / "graph", {"cooking pasta": {"how_to.md": sentences}})
    export(graph, str(folder / "graph.ttl"), ExportOptions())
    data = rdflib.Graph().parse(folder / "graph.ttl")
    assert problems(data) == ""
    return data


@cache
def parsed(text: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format="turtle")


def results(data: rdflib.Graph, *, closed: bool = False, inference: str | None = "rdfs") -> tuple[rdflib.Graph, str]:
    """The validation results, and the report as text, or "" if the data conform."""
    ontology = parsed(ontology_text()) if inference else None
    conforms, found, text = pyshacl.validate(
        data, shacl_graph=parsed(shapes_text(closed=closed)), ont_graph=ontology, inference=inference
    )
    assert isinstance(found, rdflib.Graph)
    return found, "" if conforms else str(text)


def problems(data: rdflib.Graph, *, closed: bool = False, inference: str | None = "rdfs") -> str:
    """The report, or "" if the data conform."""
    return results(data, closed=closed, inference=inference)[1]


def beside(data: rdflib.Graph) -> None:
    """Triples of others: links, labels, annotations, a vocabulary's axioms and replaced resources of their own."""
    others = """
        @prefix ex: <https://example.org/> .
        ex:note a oa:Annotation ; oa:hasTarget [ oa:hasSource ex:page ;
            oa:hasSelector [ a oa:TextPositionSelector ; oa:start 1 ; oa:end 2 ] ] .
        ex:old dcterms:isReplacedBy ex:new .
        ex:quality a dqv:QualityMeasurement ; dqv:value 3 .
        skos:altLabel rdfs:subPropertyOf rdfs:label . skos:prefLabel rdfs:subPropertyOf rdfs:label .
        ex:someone prov:wasAssociatedWith ex:us ; a prov:Activity ."""
    data.parse(data="".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items()) + others)
    data.add((POT, OWL.sameAs, rdflib.URIRef("http://www.wikidata.org/entity/Q132397")))
    data.add((POT, RDFS.label, rdflib.Literal("Topf", lang="de")))
    data.add((PASTA, SKOS.prefLabel, rdflib.Literal("Nudeln kochen", lang="de")))
    data.add((PASTA, RDFS.seeAlso, rdflib.URIRef("https://example.org/pasta")))


def test_the_open_shapes_hold_under_inference_and_beside_foreign_triples(exported: rdflib.Graph) -> None:
    """Of the export alone, the closed shapes are the stricter check, and `tiny` has the inference."""
    together = exported + rdflib.Graph()
    beside(together)
    assert problems(together) == ""


def test_the_closed_shapes_hold_for_the_export_alone(exported: rdflib.Graph) -> None:
    assert problems(exported, closed=True, inference=None) == ""
    with_link = exported + rdflib.Graph()
    with_link.add((POT, OWL.sameAs, rdflib.URIRef("http://www.wikidata.org/entity/Q132397")))
    assert "ClosedConstraintComponent" in problems(with_link, closed=True, inference=None)


def text(value: str) -> rdflib.Literal:
    return rdflib.Literal(value)


@frozen
class Fault:
    """Other values of a property of a node (or of the first of a type), and what a validator then finds there."""

    node: rdflib.URIRef | str
    predicate: rdflib.URIRef
    values: tuple[rdflib.term.Node | str, ...]
    constraint: str
    of_property: bool = True

    def found_in(self, data: rdflib.Graph) -> tuple[rdflib.term.Node, rdflib.term.Node | None, rdflib.term.Node]:
        """The node, the path and the kind of the constraint."""
        path = self.predicate if self.of_property else None
        return first(self.node, data), path, SH[f"{self.constraint}ConstraintComponent"]

    def make(self, data: rdflib.Graph) -> None:
        node = first(self.node, data)
        values = [first(value, data) for value in self.values]
        data.remove((node, self.predicate, None))
        for value in values:
            data.add((node, self.predicate, value))


def first(node: rdflib.term.Node | str, data: rdflib.Graph) -> rdflib.term.Node:
    """The node itself, or the first of the type with this name."""
    return node if isinstance(node, rdflib.term.Node) else min(data.subjects(RDF.type, KGS[node]), key=str)


EN = [rdflib.Literal(name, lang="en") for name in ("pasta", "noodles")]
FAULTS: tuple[dict[str, Fault], ...] = (
    {
        "no label": Fault(POT, RDFS.label, (), "MinCount"),
        "two preferred labels of a language": Fault(PASTA, SKOS.prefLabel, (EN[0], EN[1]), "UniqueLang"),
        "no support": Fault(POT, KGS.support, (), "MinCount"),
        "an unknown exposure": Fault("BenchmarkScore", KGS.exposure, (text("secret"),), "In"),
        "no metric": Fault("BenchmarkScore", DQV.isMeasurementOf, (), "MinCount"),
        "a score of nothing": Fault("BenchmarkScore", DQV.computedOn, (), "MinCount"),
        "a probability of two": Fault("Statement", KGS.probability, (rdflib.Literal(2.0),), "MaxInclusive"),
        "no evidence": Fault("Statement", KGS.evidencedBy, (), "Xone", of_property=False),
        "no span": Fault("Passage", OA.hasSelector, (), "MinCount"),
        "an unknown kind": Fault("Passage", KGS.kind, (text("chapter"),), "In"),
        "a replaced tool": Fault(POT, DCTERMS.isReplacedBy, ("SubEvent",), "Pattern", of_property=False),
    },
    {
        "a number as label": Fault(POT, RDFS.label, (rdflib.Literal(3),), "Or"),
        "no preferred label": Fault(PASTA, SKOS.prefLabel, (), "MinCount"),
        "no exposure": Fault("BenchmarkScore", KGS.exposure, (), "MinCount"),
        "a metric that is none": Fault("BenchmarkScore", DQV.isMeasurementOf, (POT,), "Class"),
        "a span that is none": Fault("Passage", OA.hasSelector, (POT,), "Node"),
    },
)
"""Those of a group are made in the same data."""


@pytest.mark.parametrize("group", range(len(FAULTS)))
def test_the_open_shapes_find_faults_under_inference(group: int, tiny: rdflib.Graph) -> None:
    data = tiny + rdflib.Graph()
    for fault in FAULTS[group].values():
        fault.make(data)
    report, _ = results(data)
    found = {
        (report.value(result, SH.focusNode), report.value(result, SH.resultPath), kind)
        for result, kind in report.subject_objects(SH.sourceConstraintComponent)
    }
    missed = [name for name, fault in FAULTS[group].items() if fault.found_in(tiny) not in found]
    assert not missed, found


def test_labels_have_the_language_of_the_parser(exported: rdflib.Graph, tmp_path: Path) -> None:
    assert exported.value(POT, RDFS.label) == rdflib.Literal("pot", lang="en")
    assert set(exported.objects(PASTA, SKOS.altLabel)) == {
        rdflib.Literal(name, lang="en") for name in ("cook pasta", "make spaghetti")
    }
    plain = {KGS.name, KGS.metric, KGS.text, KGS.digest, KGS.predicate}
    texts = [value for _, p, value in exported if p in plain and isinstance(value, rdflib.Literal)]
    assert {value.language for value in texts} == {None}
    for others in ([], ["en", "de"], ["no language"]):
        rows = kitchen_rows()
        (model,) = rows["Model"]
        more = [{**model, "id": f"{model['id']}{i}", "language": name} for i, name in enumerate(others)]
        rows["Model"] = [{**model, "language": None}, *more]
        file = tmp_path / "graph.nt.ttl"
        export(write_graph(tmp_path / f"graph{len(others)}{others[:1]}", rows), str(file), ExportOptions())
        assert rdflib.Graph().parse(file).value(POT, RDFS.label) == rdflib.Literal("pot"), others


def test_scores_are_measurements_of_metrics_computed_on_models(exported: rdflib.Graph) -> None:
    measured = {
        str(exported.value(metric, RDFS.label))
        for score in exported.subjects(RDF.type, DQV.QualityMeasurement)
        for metric in exported.objects(score, DQV.isMeasurementOf)
        if (metric, RDF.type, DQV.Metric) in exported and (metric, DQV.expectedDataType, XSD.double) in exported
    }
    assert measured == {"precision", "recall"}
    assert set(exported.subject_objects(DQV.computedOn)) == {(o, s) for s, o in exported.subject_objects(KGS.scored)}


def test_the_data_set_says_who_made_it_when_and_of_what(exported: rdflib.Graph) -> None:
    dataset, build, software = (DATA[f"dataset/{name}"] for name in ("script-graph", "build", "kgscripts"))
    assert exported.value(dataset, PROV.wasGeneratedBy) == build
    assert (build, RDF.type, PROV.Activity) in exported
    assert set(exported.objects(build, PROV.used)) == set(exported.subjects(RDF.type, KGS.Source))
    assert set(exported.objects(build, PROV.wasAssociatedWith)) == {software, *exported.subjects(RDF.type, KGS.Model)}
    times = [exported.value(build, PROV.startedAtTime), exported.value(build, PROV.endedAtTime)]
    assert times == [rdflib.Literal(f"2024-05-01T10:0{time}+00:00", datatype=XSD.dateTime) for time in ("0:00", "1:30")]
    assert exported.value(dataset, DCTERMS.created) == times[1]
    assert exported.value(dataset, DCTERMS.creator) == software
    assert (software, RDF.type, PROV.SoftwareAgent) in exported
    assert "0.1.0" in map(str, exported.objects(software))
    assert str(exported.value(dataset, DCTERMS.language)) == "en"
    assert exported.value(dataset, DCTERMS.license) is None
    assert "No licence is stated" in str(exported.value(dataset, DCTERMS.rights))


@pytest.mark.parametrize("suffix", ["ttl", "nq", "jsonld"])
def test_a_licence_that_is_stated_is_that_of_the_data_set(kitchen: ScriptGraph, tmp_path: Path, suffix: str) -> None:
    licence = "https://creativecommons.org/licenses/by/4.0/"
    licensed = evolve(kitchen, manifest=evolve(kitchen.manifest, licence=licence))
    export(licensed, str(tmp_path / f"graph.{suffix}"), ExportOptions())
    data = rdflib.Dataset(default_union=True)
    data.parse(tmp_path / f"graph.{suffix}")
    dataset = DATA["dataset/script-graph"]
    assert list(data.objects(dataset, DCTERMS.license)) == [rdflib.URIRef(licence)]
    assert list(data.objects(dataset, DCTERMS.rights)) == []


@pytest.mark.parametrize(
    "run",
    [
        None,
        b"[" * 100_000,
        b"\xff",
        b"[]",
        json.dumps(RUN | {"started": "yesterday"}).encode(),
        json.dumps(RUN | {"seconds": 1e300}).encode(),
        json.dumps(RUN | {"versions": {"kgscripts": ["0"]}, "started": 5}).encode(),
    ],
)
def test_a_build_without_a_readable_run_has_no_times(run: bytes | None, tmp_path: Path) -> None:
    if run is not None:
        (tmp_path / "run.json").write_bytes(run)
    assert run_facts(tmp_path) == RunFacts()
