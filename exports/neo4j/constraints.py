"""The constraints of a Neo4j database: the IRI of a node of each type is unique, which also indexes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.graph_types import NODE_TYPES
from schemas.type_declarations import id_prefix

_HEADER = """\
// The exporter creates these before it writes: the IRI of a node of each type is unique, which also indexes it.
// Each statement ends in a semicolon, and running them again changes nothing. Neo4j 5 or later, any edition.
"""


def constraints(nodes: Iterable[str] = NODE_TYPES) -> Iterator[str]:
    """A Cypher statement for each node type."""
    for name in nodes:
        constraint = f"kgscripts_{id_prefix(name).replace('-', '_')}_iri"
        yield f"CREATE CONSTRAINT {constraint} IF NOT EXISTS FOR (node:{name}) REQUIRE node.iri IS UNIQUE"


def constraints_text() -> str:
    """The constraints as a script for ``cypher-shell``."""
    return _HEADER + "".join(f"{statement};\n" for statement in constraints())
