"""The values of a query's result as plain Python values, the same for all stores.

The child process of `exports.query.confined` imports this module: it imports no more than the engine has loaded anyway.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schemas.results import Value

_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBERS = ("double", "float", "decimal")


def term_value(term: Any) -> Value:
    """A term of RDF: a number or boolean, else text."""
    from pyoxigraph import BlankNode, Literal, NamedNode

    if term is None:
        return None
    if isinstance(term, BlankNode):
        return f"_:{term.value}"
    if not isinstance(term, Literal):
        return str(term.value) if isinstance(term, NamedNode) else str(term)
    datatype = term.datatype.value.removeprefix(_XSD)
    text: str = term.value
    if datatype == "boolean":
        return text in ("true", "1")
    try:
        return int(text) if datatype == "integer" else float(text) if datatype in _NUMBERS else text
    except ValueError:
        return text


def cypher_value(value: Any) -> Value:
    """A value of Ladybug: nodes and relations are mappings of their properties, with their type as `_label`."""
    if isinstance(value, dict):
        if "_NODES" in value:
            return {"nodes": cypher_value(value["_NODES"]), "relations": cypher_value(value["_RELS"])}
        if "_LABEL" in value:
            return element(value["_LABEL"], value)
        return {str(key): cypher_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [cypher_value(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def element(label: str, properties: dict[str, Any]) -> Value:
    """A node or relation with this label and the properties that have a value and are not internal."""
    known = {
        name: cypher_value(item)
        for name, item in sorted(properties.items())
        if item is not None and not name.startswith("_")
    }
    return {"_label": label, **known}
