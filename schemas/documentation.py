"""Generate the pages on nodes and relations from the types: ``python -m schemas.documentation docs/reference``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import Layer, Property
from schemas.vocabulary import ID_PREFIXES

_GENERATED = (
    "Generated from `schemas/data/graph_types.toml` by `python -m schemas.documentation docs/reference`; a test "
    "compares them."
)
_NODES = "## Nodes\n"
"""The heading of the generated part of `graph.md`; what is above is written there."""

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
    yield _NODES
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


def pages(folder: Path) -> dict[str, str]:
    """The pages of `docs/reference` with their generated parts, by file name."""
    written = (folder / "graph.md").read_text(encoding="utf-8").partition(_NODES)[0]
    generated = (("graph.md", written, _nodes()), ("relations.md", "", _relations()))
    return {name: above + "\n".join(lines).rstrip("\n") + "\n" for name, above, lines in generated}


if __name__ == "__main__":
    for name, text in pages(Path(sys.argv[1])).items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
