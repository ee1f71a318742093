"""What every target must keep of a graph. Each kind of target has an adapter; `test_compliance.py` asks all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from exports.targets import ExportOptions
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.type_declarations import ValueType

Nodes = dict[str, dict[str, Any]]
Relations = dict[tuple[str, str, str], dict[str, Any]]


@frozen
class Content:
    """All of a graph: nodes by IRI, relations by start, type and end; `type` and properties without nulls.

    Read from a list of rows, so that what is there twice is an error.
    """

    nodes: Nodes
    relations: Relations

    @classmethod
    def of(cls, nodes: list[dict[str, Any]], relations: list[dict[str, Any]]) -> Content:
        by_iri = {row["iri"]: _known(row, "iri") for row in nodes}
        by_ends = {
            (row["from_iri"], row["type"], row["to_iri"]): _known(row, "from_iri", "to_iri") for row in relations
        }
        assert len(by_iri) == len(nodes), "a node is there twice"
        assert len(by_ends) == len(relations), "a relation is there twice"
        return cls(by_iri, by_ends)


def _known(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None and name not in keys}


def expected(graph: ScriptGraph) -> Content:
    """What a target must hold of `graph`."""
    base = graph.manifest.base_iri

    def with_iris(name: str, row: dict[str, Any], renamed: dict[str, str]) -> dict[str, Any]:
        properties = {p.name: p.type for p in (NODE_TYPES.get(name) or RELATION_TYPES[name]).properties}

        def exported(key: str, value: Any) -> Any:
            if value is not None and (key in renamed or properties[key] is ValueType.NODE):
                return base + value
            if key not in renamed and properties[key] is ValueType.NODES:
                return [base + identifier for identifier in value]
            return value

        return {"type": name, **{renamed.get(key, key): exported(key, value) for key, value in row.items()}}

    ends = {"from_id": "from_iri", "to_id": "to_iri"}
    return Content.of(
        [with_iris(name, row, {"id": "iri"}) for name in NODE_TYPES for row in graph.rows(name)],
        [with_iris(name, row, ends) for name in RELATION_TYPES for row in graph.rows(name)],
    )


@frozen(kw_only=True)
class Adapter:
    """A target that is empty at first, and how its own users read all that it holds."""

    target: str
    read: Callable[[], Content]
    options: ExportOptions = field(factory=lambda: ExportOptions(prune=True))


AdapterFactory = Callable[[pytest.FixtureRequest, Path], Adapter]
"""Makes the adapter of one test, with the server that it needs (`getfixturevalue`) or in a folder of its own."""
