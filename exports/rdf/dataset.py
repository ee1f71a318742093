"""The description of the graph as a data set (VoID, DCAT), and the concept scheme of its scenarios."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from exports.rdf.descriptions import Chunk, Description, Reference, Value
from exports.rdf.terms import DATASET_KIND, class_terms, relation_term
from schemas.graph_types import NODE_TYPES, RELATION_TYPES, ValueType
from schemas.script_graph import ScriptGraph

DATASET = f"{DATASET_KIND}/script-graph"
SCENARIO_SCHEME = f"{DATASET_KIND}/scenarios"
BUILD_ID_TERM = "dcterms:identifier"
_VOCABULARIES = ("kgs", "skos", "oa", "prov", "dqv", "mls")


def _text(predicate: str, text: str) -> Value:
    return Value(predicate, pa.array([text]), ValueType.STRING)


def _resource(identifier: str, types: tuple[str, ...], *values: Value) -> Description:
    return Description(pa.array([identifier]), types, values)


def describe_dataset(graph: ScriptGraph) -> Iterator[Chunk]:
    """Describe the whole graph. The last chunk holds the build id and marks that everything else was written."""
    scheme = _resource(SCENARIO_SCHEME, ("skos:ConceptScheme",), _text("rdfs:label", "Everyday scenarios"))
    yield Chunk((scheme,))
    partitions = []
    for name in (*NODE_TYPES, *RELATION_TYPES):
        rows = graph.manifest.rows(name)
        is_node = name in NODE_TYPES
        kind, link = ("class", "void:classPartition") if is_node else ("property", "void:propertyPartition")
        term = class_terms(name)[0] if is_node else relation_term(name)
        partition = _resource(
            f"{DATASET}.{term.partition(':')[2]}",
            ("void:Dataset",),
            Value(f"void:{kind}", pa.array([term]), Reference.TERM),
            Value("void:entities" if is_node else "void:triples", pa.array([rows]), ValueType.INTEGER),
        )
        of_dataset = _resource(DATASET, (), Value(link, partition.subjects, Reference.DATA))
        partitions += [partition, of_dataset]
    yield Chunk(tuple(partitions))
    vocabularies = [
        _resource(DATASET, (), Value("void:vocabulary", pa.array([f"{prefix}:"]), Reference.TERM))
        for prefix in _VOCABULARIES
    ]
    yield Chunk(tuple(vocabularies))
    yield Chunk(
        (
            _resource(
                DATASET,
                ("void:Dataset", "dcat:Dataset"),
                _text("dcterms:title", "Script graph"),
                _text("void:uriSpace", graph.manifest.base_iri),
                Value("void:entities", pa.array([sum(map(graph.manifest.rows, NODE_TYPES))]), ValueType.INTEGER),
                _text(BUILD_ID_TERM, graph.build_id),
            ),
        )
    )
