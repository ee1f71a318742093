"""`docs/graph.md` from the types, so that the documentation of the graph cannot fall behind them.

Write it anew with ``python -m schemas.documentation docs/graph.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from schemas.graph_types import NODE_TYPES, RELATION_TYPES, Layer, Property
from schemas.vocabulary import DEFAULT_BASE_IRI, ID_PREFIXES, ONTOLOGY_IRI

_INTRODUCTION = f"""# The graph

Written by `python -m schemas.documentation docs/graph.md` from `schemas/graph_types.py`; a test keeps it true.

A node's IRI is the graph's base IRI (`{DEFAULT_BASE_IRI}` unless `--base-iri` says otherwise), a kind, a readable
slug and a hash of the node's key: `tool/rolling-pin-0f31…`. The hash decides, the slug is for people. In RDF the types
are classes and the relations properties of `{ONTOLOGY_IRI}` (prefix `kgs:`); in a property graph they are labels and
relationship types, and every node has its IRI as `iri`.

Two nodes are joined by at most one relation of each type. Every relation of the knowledge layer that has a
`statement` can be asked for its evidence: `Statement EVIDENCED_BY Passage`, `Statement READ_BY Model`.
`support` counts sources, not repetitions within one. All offsets are in Unicode code points, end exclusive.
"""

_LAYERS = {
    Layer.KNOWLEDGE: "what is said of the world",
    Layer.EVIDENCE: "who says so, where, and how good they are",
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


def _lines() -> Iterator[str]:
    yield _INTRODUCTION
    yield "## Nodes\n"
    for node in NODE_TYPES.values():
        yield f"### {node.name}\n\n{node.comment} Key: {node.key}. IRI: `{ID_PREFIXES[node.name]}/…`\n"
        yield from _properties(node.properties)
    for layer, title in _LAYERS.items():
        yield f"## Relations of the {layer} layer: {title}\n"
        for relation in RELATION_TYPES.values():
            if relation.layer is layer:
                ends = ", ".join(f"{start} → {end}" for start, end in relation.ends)
                yield f"### {relation.name}\n\n{ends}. {relation.comment}\n"
                yield from _properties(relation.properties)


def graph_document() -> str:
    """The text of `docs/graph.md`."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(graph_document(), encoding="utf-8")
