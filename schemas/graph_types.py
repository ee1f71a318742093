"""The node and relation types of the script graph, with their properties: ours, and those of installed packages.

Ours are declared in ``data/graph_types.toml``. Tables, ontology, shapes, constraints, exports and documentation follow
these lists, and a contract test compares them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from importlib import resources
from typing import Any

from schemas.changes import Level
from schemas.provenance import Direction, Exposure
from schemas.records import PassageKind, Role, ToolRole
from schemas.type_declarations import (
    KNOWLEDGE,
    LABEL,
    LABEL_TEXT,
    SUPPORT,
    Layer,
    NodeType,
    Property,
    RelationType,
    ValueType,
    installed_node_types,
    installed_relation_types,
)

_ENUMS: Mapping[str, type[StrEnum]] = {
    enum.__name__: enum for enum in (Direction, Exposure, Level, PassageKind, Role, ToolRole)
}
_NUMBERS: Mapping[str, Mapping[str, Any]] = {
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "count": {"type": "integer", "minimum": 0},
}
_DECLARED = tomllib.loads(resources.files("schemas").joinpath("data/graph_types.toml").read_text("utf-8"))


def _property(name: str, declared: Mapping[str, Any]) -> Property:
    fields = {"type": "string", **declared}
    fields |= _NUMBERS.get(fields["type"], {})
    values = fields.pop("values", []) + [value for enum in fields.pop("enums", ()) for value in _ENUMS[enum]]
    return Property(name, ValueType(fields.pop("type")), values=tuple(values), **fields)


_SHARED = {item.name: item for item in (LABEL, LABEL_TEXT, SUPPORT)} | {
    name: _property(name, declared) for name, declared in _DECLARED["shared"].items()
}


def _properties(declared: Mapping[str, Any]) -> tuple[Property, ...]:
    return tuple(
        _SHARED[name] if content == "shared" else _property(name, content) for name, content in declared.items()
    )


def _node_type(name: str, properties: Mapping[str, Any], **fields: str) -> NodeType:
    return NodeType(name, properties=_properties(properties), **fields)


def _relation_type(
    name: str,
    layer: str,
    ends: Sequence[tuple[str, str]],
    properties: Mapping[str, Any] | None = None,
    has_statement: bool = False,
    **fields: Any,
) -> RelationType:
    declared = _properties(properties or {})
    return RelationType(
        name,
        layer=Layer(layer),
        ends=tuple((start, end) for start, end in ends),
        properties=(*KNOWLEDGE, *declared) if has_statement else declared,
        **fields,
    )


NODE_TYPES: dict[str, NodeType] = {
    **{name: _node_type(name, **declared) for name, declared in _DECLARED["nodes"].items()},
    **{node.name: node for node in installed_node_types()},
}
RELATION_TYPES: dict[str, RelationType] = {
    **{name: _relation_type(name, **declared) for name, declared in _DECLARED["relations"].items()},
    **{relation.name: relation for relation in installed_relation_types()},
}
