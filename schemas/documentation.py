"""Generate the pages on nodes and relations from the types: ``python -m schemas.documentation docs/reference``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Layer, Property
from schemas.vocabulary import DEFAULT_BASE_IRI, ID_PREFIXES, ONTOLOGY_IRI

_GENERATED = (
    "Generated from `schemas/graph_types.py` by `python -m schemas.documentation docs/reference`; a test compares them."
)
_INTRODUCTION = f"""# The graph

{_GENERATED}

This page describes ids, RDF and the types of nodes; [relations.md](relations.md) lists the types of relations.

A node's IRI consists of the graph's base IRI (`--base-iri`, default `{DEFAULT_BASE_IRI}`), a prefix for
its type, a readable slug, and 96 bits of the SHA-256 of its key in hexadecimal: `tool/rolling-pin-0f31…`. The hash
identifies the node; the slug is for readers. In RDF, types are classes and relations are properties of
`{ONTOLOGY_IRI}` (prefix `kgs:`). In a property graph they are labels and relationship types, and
every node has its IRI as the property `iri`.

Two nodes are joined by at most one relation of each type. Every relation of the knowledge layer that has a
`statement` has evidence: `Statement EVIDENCED_BY Passage`, `Statement READ_BY Model`.
`support` counts sources; repetitions within a source count once. All offsets are in Unicode code points, end exclusive.

IRIs last. The IRI of a SubEvent follows from the leading action of its cluster. The IRIs that the cluster's other
actions would have given it are in `replaces`, in RDF `<old IRI> dcterms:isReplacedBy <IRI>`: a bookmark that was made
before the cluster was merged leads to the merged step ([query](../guide/queries.md)).
"""

_RDF = """## In RDF

`kgscripts schema ontology|shapes|context|constraints` prints the ontology, the SHACL shapes, the JSON-LD context and
the constraints for Neo4j.

**Labels** (`rdfs:label`, `skos:prefLabel`, `skos:altLabel`) have the language of the texts, that of the graph's parser:
`"knife"@en`. They are plain if a graph has no parser, or parsers of several languages. All other texts are plain.

**Shapes** are open: they allow inferred triples, `owl:sameAs`, and what others say about a node, so that an export
conforms under RDFS inference with the ontology and beside other data. The closed shapes (`kgscripts schema shapes
--closed`, `kgscripts validate DIR --closed`) allow no property that they do not name; they are for the RDF as exported.
`kgscripts validate` needs `pip install 'kgscripts[shacl]'` for the shapes; without it, it checks everything else, says
that the shapes were not checked, and ends with 2.

**Scenarios** are `skos:Concept`s of the scheme `<base>dataset/scenarios`. Those of the 200 that are in the graph have
`skos:broader` ("shopping for clothes": "going shopping") and `skos:related` ("flying in a plane": "checking in at an
airport"). `kgscripts corpora scenarios -o FILE.ttl` writes the whole scheme.

**Scores** are `dqv:QualityMeasurement`s: `dqv:isMeasurementOf` a `dqv:Metric`, `dqv:computedOn` the model.

**The data set** `<base>dataset/script-graph` has partitions (VoID), its build id (`dcterms:identifier`), its creator
(the software), its licence and its language. `kgscripts build-graph --licence IRI` states the licence
(`dcterms:license`); otherwise `dcterms:rights` says that none is stated, since it depends on the texts.

**The build** `<base>dataset/build` is a `prov:Activity` that used all sources and was associated with the software and
the models. Its times, the date of the data set (`dcterms:created`) and the version of the software come from `run.json`
and are absent without it. They are no part of the build id: the same directory always gives the same RDF, and a store
that has a build is not written again because its date changed.
"""

_LAYERS = {
    Layer.KNOWLEDGE: "what holds in general",
    Layer.EVIDENCE: "where it was read, by which model, and how good the model is",
    Layer.INSTANCE: "the texts themselves",
}


def _properties(properties: tuple[Property, ...]) -> Iterator[str]:
    if not properties:
        return
    yield "| property | type | meaning |"
    yield "|---|---|---|"
    for item in properties:
        optional = "" if item.required else " (may be absent)"
        yield f"| `{item.name}` | {item.type}{optional} | {item.comment} |"
    yield ""


def _nodes() -> Iterator[str]:
    yield _INTRODUCTION
    yield _RDF
    yield "## Nodes\n"
    for node in NODE_TYPES.values():
        yield f"### {node.name}\n\n{node.comment} Key: {node.key}. IRI: `{ID_PREFIXES[node.name]}/…`\n"
        yield from _properties(node.properties)


def _relations() -> Iterator[str]:
    yield f"# Relations of the graph\n\n{_GENERATED} [graph.md](graph.md) describes the nodes.\n"
    for layer, title in _LAYERS.items():
        yield f"## Relations of the {layer} layer: {title}\n"
        for relation in RELATION_TYPES.values():
            if relation.layer is layer:
                ends = ", ".join(f"{start} → {end}" for start, end in relation.ends)
                yield f"### {relation.name}\n\n{ends}. {relation.comment}\n"
                yield from _properties(relation.properties)


def pages() -> dict[str, str]:
    """The generated pages of `docs/reference`, by file name."""
    return {
        name: "\n".join(lines).rstrip("\n") + "\n"
        for name, lines in (("graph.md", _nodes()), ("relations.md", _relations()))
    }


if __name__ == "__main__":
    for name, text in pages().items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
