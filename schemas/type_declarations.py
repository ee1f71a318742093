"""Declarations of node and relation types: of kgscripts (`schemas.graph_types`) and of other packages.

Another package declares a tuple of types in a module that imports nothing of kgscripts but this one, and names it by
the entry point group ``kgscripts.types``: ``ovens = "oven_types:TYPES"``. Tables, ontology, shapes, JSON-LD context,
constraints, exports and queries follow wherever the package is installed (`schemas.installed_types`).
"""

from __future__ import annotations

from enum import StrEnum

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
