"""The node and relation types that other packages declare, by the entry point group ``kgscripts.types``.

They are loaded when `schemas` is imported, since every part of it follows the types.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points

from schemas.type_declarations import KNOWLEDGE, LABEL, Layer, NodeType, RelationType, ValueType

GROUP = "kgscripts.types"

_SINGLE_VALUES = (ValueType.STRING, ValueType.INTEGER, ValueType.NUMBER, ValueType.BOOLEAN)
_NODE_NAME = re.compile(r"([A-Z][a-z0-9]+)+")
_RELATION_NAME = re.compile(r"[A-Z]+(_[A-Z0-9]+)*")
_PROPERTY_NAME = re.compile(r"[a-z]+(_[a-z0-9]+)*")


@cache
def _installed() -> tuple[NodeType | RelationType, ...]:
    found: dict[str, NodeType | RelationType] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        try:
            types = tuple(entry.load())
        except Exception as error:
            raise ImportError(f"the types {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
        for item in types:
            if problem := problem_of(item, found):
                raise ImportError(f"the types {entry.name!r} ({entry.value}): {problem}")
            found[item.name] = item
    return tuple(found.values())


def problem_of(item: object, known: Iterable[str]) -> str:
    """What is wrong with a declaration beside those with `known` names; "" for nothing."""
    if not isinstance(item, NodeType | RelationType):
        return f"{item!r} is neither a NodeType nor a RelationType"
    pattern, form = (_NODE_NAME, "CamelCase") if isinstance(item, NodeType) else (_RELATION_NAME, "UPPER_CASE")
    if not pattern.fullmatch(item.name):
        return f"{item.name!r} is no name in {form}"
    if item.name in known:
        return f"{item.name} is declared twice"
    if wrong := [each.name for each in item.properties if not _PROPERTY_NAME.fullmatch(each.name)]:
        return f"{wrong[0]!r} is no name of a property in lower_case"
    further = item.properties[len(KNOWLEDGE) :] if isinstance(item, RelationType) else item.properties
    if wrong := [each.name for each in further if each.type not in _SINGLE_VALUES]:
        return f"{wrong[0]!r} needs the type STRING, INTEGER, NUMBER or BOOLEAN"
    if isinstance(item, NodeType) and item.properties[:1] != (LABEL,):
        return f"{item.name} needs LABEL as its first property"
    if isinstance(item, RelationType):
        if item.layer is not Layer.KNOWLEDGE or item.properties[: len(KNOWLEDGE)] != KNOWLEDGE:
            return f"{item.name} needs the layer KNOWLEDGE, and KNOWLEDGE as its first properties"
        if len(item.ends) != 1:
            return f"{item.name} needs one pair of ends"
    return ""


def installed_node_types() -> tuple[NodeType, ...]:
    """The node types of other packages, in the order of their entry points.

    Raises
    ------
    ImportError
        If one cannot be loaded, or breaks a rule of declarations.
    """
    return tuple(item for item in _installed() if isinstance(item, NodeType))


def installed_relation_types() -> tuple[RelationType, ...]:
    """The relation types of other packages; raises what `installed_node_types` raises."""
    return tuple(item for item in _installed() if isinstance(item, RelationType))


def id_prefix(node_type: str) -> str:
    """What the ids of the nodes of such a type begin with: ``oven-temperature`` for `OvenTemperature`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", node_type).lower()
