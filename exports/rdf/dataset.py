"""The description of the graph as a data set (VoID, DCAT), of its build (PROV) and of the metrics of its models (DQV),
the scheme of its scenarios, and the language of its labels.

The facts of the build in `run.json` are not a part of the graph: equal graphs have equal build ids whenever they were
built.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from exports.rdf.descriptions import Chunk, Description, Reference, Value, constant
from exports.rdf.terms import DATASET_KIND, METRIC_KIND, class_terms, property_term, relation_term
from schemas.graph_directory import read_file
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.provenance import read_measurements
from schemas.script_graph import StoredGraph
from schemas.type_declarations import ValueType
from schemas.vocabulary import slug

_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")


def text_language(graph: StoredGraph) -> str:
    """The language that the graph's parsers read (BCP 47); "" without a parser, or with parsers of several."""
    languages = {language for language in graph.select("Model", ["language"])["language"].to_pylist() if language}
    return languages.pop() if len(languages) == 1 and all(map(_TAG.match, languages)) else ""


def metric_ids(names: pa.Array) -> pa.Array:
    """The id of each metric, made of its name as ids of nodes are."""
    return pa.array([_metric_id(name) for name in names.to_pylist()], pa.string())


def _metric_id(name: str) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    words = slug(name)
    return f"{METRIC_KIND}/{words}-{digest}" if words else f"{METRIC_KIND}/{digest}"


def describe_metrics(names: pa.ChunkedArray) -> Chunk:
    """Describe each of the metrics once."""
    distinct = pc.unique(names.combine_chunks())
    values = (
        Value("rdfs:label", distinct, ValueType.STRING, "en"),
        Value("dqv:expectedDataType", constant("xsd:double", len(distinct)), Reference.TERM),
    )
    return Chunk((Description(metric_ids(distinct), ("dqv:Metric",), values),))


@frozen(kw_only=True)
class RunFacts:
    """Version of kgscripts, and when the build began and ended (`xsd:dateTime`); None where it is not known."""

    version: str | None = None
    started: str | None = None
    ended: str | None = None


def run_facts(directory: Path) -> RunFacts:
    """Read `run.json` of a graph directory; a file that is missing or damaged gives nothing."""
    try:
        content = json.loads(read_file(directory / "run.json"))
        started = datetime.fromisoformat(content["started"])
        ended = started + timedelta(seconds=content["seconds"])
        version = content["versions"]["kgscripts"]
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return RunFacts()
    return RunFacts(
        version=version if isinstance(version, str) else None,
        started=started.isoformat(timespec="seconds"),
        ended=ended.isoformat(timespec="seconds"),
    )


DATASET = f"{DATASET_KIND}/script-graph"
SCENARIO_SCHEME = f"{DATASET_KIND}/scenarios"
BUILD = f"{DATASET_KIND}/build"
SOFTWARE = f"{DATASET_KIND}/kgscripts"
BUILD_ID_TERM = "dcterms:identifier"
_VOCABULARIES = ("kgs", "skos", "oa", "prov", "dqv", "mls")
_NO_LICENCE = "No licence is stated: the terms of the sources and of the models apply."


def _text(predicate: str, text: str, language: str = "", datatype: str = "") -> Value:
    return Value(predicate, pa.array([text]), ValueType.STRING, language, datatype)


def _time(predicate: str, time: str | None) -> Value:
    return Value(predicate, pa.array([time], pa.string()), ValueType.STRING, datatype="xsd:dateTime")


def _link(predicate: str, identifier: str) -> Value:
    return Value(predicate, pa.array([identifier]), Reference.DATA)


def _resource(identifier: str, types: tuple[str, ...], *values: Value) -> Description:
    return Description(pa.array([identifier]), types, values)


def describe_dataset(graph: StoredGraph) -> Iterator[Chunk]:
    """Describe the whole graph. The last chunk holds the build id and marks that everything else was written."""
    facts = run_facts(graph.directory)
    scheme = _resource(SCENARIO_SCHEME, ("skos:ConceptScheme",), _text("rdfs:label", "Everyday scenarios", "en"))
    yield Chunk((scheme,))
    yield Chunk(tuple(_partitions(graph)))
    vocabularies = [
        _resource(DATASET, (), Value("void:vocabulary", pa.array([f"{prefix}:"]), Reference.TERM))
        for prefix in _VOCABULARIES
    ]
    yield Chunk(tuple(vocabularies))
    yield from _describe_build(graph, facts)
    yield from _describe_measurements(graph)
    licence = graph.manifest.licence
    language = text_language(graph)
    yield Chunk(
        (
            _resource(
                DATASET,
                ("void:Dataset", "dcat:Dataset"),
                _text("dcterms:title", "Script graph", "en"),
                _text("void:uriSpace", graph.manifest.base_iri),
                Value("void:entities", pa.array([sum(map(graph.manifest.rows, NODE_TYPES))]), ValueType.INTEGER),
                *([_text("dcterms:language", language)] if language else []),
                Value("dcterms:license", pa.array([licence]), Reference.IRI)
                if licence
                else _text("dcterms:rights", _NO_LICENCE, "en"),
                _link("dcterms:creator", SOFTWARE),
                _link("prov:wasGeneratedBy", BUILD),
                _time("dcterms:created", facts.ended),
                _text(BUILD_ID_TERM, graph.build_id),
            ),
        )
    )


def _partitions(graph: StoredGraph) -> Iterator[Description]:
    for name in (*NODE_TYPES, *RELATION_TYPES):
        is_node = name in NODE_TYPES
        kind, link = ("class", "void:classPartition") if is_node else ("property", "void:propertyPartition")
        term = class_terms(name)[0] if is_node else relation_term(name)
        partition = _resource(
            f"{DATASET}.{term.partition(':')[2]}",
            ("void:Dataset",),
            Value(f"void:{kind}", pa.array([term]), Reference.TERM),
            Value(
                "void:entities" if is_node else "void:triples",
                pa.array([graph.manifest.rows(name)]),
                ValueType.INTEGER,
            ),
        )
        yield partition
        yield _resource(DATASET, (), Value(link, partition.subjects, Reference.DATA))


def _describe_measurements(graph: StoredGraph) -> Iterator[Chunk]:
    """How good the graph is by itself, if that was measured and kept (`kgscripts evaluate graph --attach`)."""
    measurements = read_measurements(graph.directory, graph.build_id)
    if not measurements:
        return
    metrics = pa.chunked_array([[item.metric for item in measurements]])
    metric = metric_ids(metrics.combine_chunks())
    ids = pa.array([f"{DATASET}.{identifier.rpartition('/')[2]}" for identifier in metric.to_pylist()])
    values = (
        Value("dqv:isMeasurementOf", metric, Reference.DATA),
        Value("dqv:computedOn", constant(DATASET, len(ids)), Reference.DATA),
        Value(
            property_term("BenchmarkScore", "value"), pa.array([item.value for item in measurements]), ValueType.NUMBER
        ),
        Value(
            property_term("BenchmarkScore", "unit"), pa.array([item.unit for item in measurements]), ValueType.STRING
        ),
        Value(
            property_term("BenchmarkScore", "direction"),
            pa.array([item.direction for item in measurements]),
            ValueType.STRING,
        ),
    )
    yield describe_metrics(metrics)
    yield Chunk((Description(ids, ("dqv:QualityMeasurement",), values),))


def _describe_build(graph: StoredGraph, facts: RunFacts) -> Iterator[Chunk]:
    """The activity that made the graph, with the sources and models that it used."""
    software = _resource(
        SOFTWARE,
        ("prov:SoftwareAgent",),
        _text("rdfs:label", "kgscripts"),
        Value("schema:softwareVersion", pa.array([facts.version], pa.string()), ValueType.STRING),
    )
    activity = _resource(
        BUILD,
        ("prov:Activity",),
        _text("rdfs:label", "Build of the script graph", "en"),
        _link("prov:wasAssociatedWith", SOFTWARE),
        _time("prov:startedAtTime", facts.started),
        _time("prov:endedAtTime", facts.ended),
    )
    yield Chunk((software, activity))
    for name, predicate in (("Model", "prov:wasAssociatedWith"), ("Source", "prov:used")):
        for batch in graph.batches(name):
            value = Value(predicate, batch.column("id"), Reference.DATA)
            yield Chunk((Description(constant(BUILD, batch.num_rows), (), (value,)),))
