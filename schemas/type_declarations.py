"""Declarations of node and relation types: of kgscripts (`schemas.graph_types`) and of other packages.

Another package declares a tuple of types in a module that imports nothing of kgscripts but this one, and names it by
the entry point group ``kgscripts.types``: ``ovens = "oven_types:TYPES"``. Tables, ontology, shapes, JSON-LD context,
constraints, exports and queries follow wherever the package is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib.metadata import entry_points

from attrs import field, frozen


class ValueType(StrEnum):
    """The type of a property's value."""

    STRING = "string"
    STRINGS = "strings"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NODE = "node"
    """The id of another node; its IRI once exported."""
    NODES = "nodes"
    """Ids of other nodes, ascending and distinct; their IRIs once exported."""


class Layer(StrEnum):
    """Knowledge holds in general, evidence says where and by which model it was read, instances are the texts."""

    KNOWLEDGE = "knowledge"
    EVIDENCE = "evidence"
    INSTANCE = "instance"


@frozen
class Property:
    """A property of a node or relation; `required` ones are never null. Shapes check the fields after `required`."""

    name: str
    type: ValueType
    comment: str
    required: bool = True
    minimum: int | None = field(default=None, kw_only=True)
    maximum: int | None = field(default=None, kw_only=True)
    values: tuple[str, ...] = field(default=(), kw_only=True)
    """All values that it may have; if empty, any value."""
    pattern: str = field(default="", kw_only=True)
    """A regular expression that its values match."""
    node_type: str = field(default="", kw_only=True)
    """The type of the node that it names (`ValueType.NODE`); "" if there are several."""


@frozen
class NodeType:
    """A node type; two nodes with the same `key` (described in words) are the same node."""

    name: str
    comment: str
    key: str
    properties: tuple[Property, ...]


@frozen
class RelationType:
    """A relation type; a pair of nodes has at most one relation of each type."""

    name: str
    comment: str
    layer: Layer
    ends: tuple[tuple[str, str], ...]
    properties: tuple[Property, ...] = field(default=())
    at_least: int = field(default=0, kw_only=True)
    """The number of relations of this type of each node at which the relation can start."""
    at_most: int | None = field(default=None, kw_only=True)
    symmetric: bool = field(default=False, kw_only=True)
    """Whether it is symmetric; a symmetric relation is stored once."""

    @property
    def has_statement(self) -> bool:
        """Whether each relation of this type has a Statement that holds its evidence."""
        return any(item.name == "statement" for item in self.properties)


LABEL = Property("label", ValueType.STRING, "The node in words.")
LABEL_TEXT = Property(
    "label_text",
    ValueType.STRING,
    "The label as a person would write it, in English order and with articles, as most sources have them.",
)
SUPPORT = Property("support", ValueType.INTEGER, "Number of sources that mention it.", minimum=0)
KNOWLEDGE = (
    Property("support", ValueType.INTEGER, "Number of sources that it was read in.", minimum=0),
    Property(
        "probability",
        ValueType.NUMBER,
        "Share of the cases in which it holds; the relation type says which cases.",
        minimum=0,
        maximum=1,
    ),
    Property("statement", ValueType.NODE, "The statement that holds its evidence.", node_type="Statement"),
)
"""The properties of every relation that rules count; others come after them."""


GROUP = "kgscripts.types"

_SINGLE_VALUES = (ValueType.STRING, ValueType.INTEGER, ValueType.NUMBER, ValueType.BOOLEAN)
_NODE_NAME = re.compile(r"([A-Z][a-z0-9]+)+")
_RELATION_NAME = re.compile(r"[A-Z]+(_[A-Z0-9]+)*")
_PROPERTY_NAME = re.compile(r"[a-z]+(_[a-z0-9]+)*")


@cache
def _installed() -> tuple[NodeType | RelationType, ...]:
    by_name: dict[str, NodeType | RelationType] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        try:
            types = tuple(entry.load())
        except Exception as error:
            raise ImportError(f"the types {entry.name!r} ({entry.value}) cannot be loaded: {error}") from error
        for item in types:
            if problem := problem_of(item, by_name):
                raise ImportError(f"the types {entry.name!r} ({entry.value}): {problem}")
            by_name[item.name] = item
    return tuple(by_name.values())


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
