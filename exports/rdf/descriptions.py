"""Triples as columns: many subjects with the same predicates, independent of syntax."""

from __future__ import annotations

from enum import Enum

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from schemas.type_declarations import ValueType


class Reference(Enum):
    """The kinds of objects that are not literals."""

    DATA = "the id of a resource in the graph"
    TERM = "a CURIE of a vocabulary"
    IRI = "an IRI outside of the graph"


@frozen
class Value:
    """The objects of one predicate, one per row; null if the row has none.

    Texts (`ValueType.STRING`) may have a `language` or a `datatype` (a CURIE).
    """

    predicate: str
    objects: pa.Array
    kind: ValueType | Reference
    language: str = ""
    datatype: str = ""


@frozen
class Description:
    """The triples of one subject per row. Without `types`, the first of `values` has no nulls."""

    subjects: pa.Array
    types: tuple[str, ...]
    values: tuple[Value, ...]

    @property
    def triples(self) -> int:
        """Number of triples."""
        objects: int = sum(len(value.objects) - value.objects.null_count for value in self.values)
        return len(self.types) * len(self.subjects) + objects


@frozen
class Chunk:
    """Descriptions with the same rows, and the named graph of each row (none: the default graph).

    `rows` is the number of rows of the script graph that the chunk completes.
    """

    descriptions: tuple[Description, ...]
    graphs: pa.Array | None = None
    rows: int = 0

    @property
    def triples(self) -> int:
        """Number of triples."""
        return sum(description.triples for description in self.descriptions)


def join(*parts: pa.Array | str) -> pa.Array:
    """Concatenate the parts of each row; null if a part is null."""
    scalars = [pa.scalar(part) if isinstance(part, str) else part for part in parts]
    return pc.binary_join_element_wise(*scalars, pa.scalar(""))


def constant(value: str, rows: int) -> pa.Array:
    """An array of `rows` times the same text."""
    return pa.repeat(pa.scalar(value), rows)
