"""Triples as columns: many subjects with the same predicates, independent of syntax, and columns of literals, whose
escapes are valid in Turtle, N-Quads and JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
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


_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_OTHER_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_ESCAPES = str.maketrans(
    {**{chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F)}, **_SHORT},
)


def escaped(texts: pa.Array) -> pa.Array:
    """The texts with quotes, backslashes and all control characters (NUL too) escaped."""
    if pc.any(pc.match_substring_regex(texts, _OTHER_CONTROLS)).as_py():
        return pa.array([None if text is None else text.translate(_ESCAPES) for text in texts.to_pylist()], pa.string())
    # The backslash is the first, since the other escapes begin with one.
    for character, escape in _SHORT.items():
        texts = pc.replace_substring(texts, character, escape)
    return texts


def double(value: float) -> str:
    """The canonical lexical form of an xsd:double (XML Schema 1.1, part 2, E.2), with as many digits as it takes."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0.0E0" if math.copysign(1, value) < 0 else "0.0E0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    power = int(exponent) + len(digits) - 1
    return f"{'-' if sign else ''}{text[0]}.{text[1:] or '0'}E{power}"


def each_distinct(values: pa.Array, form: Callable[[float], str]) -> pa.Array:
    """`form` of each number, computed once for equal numbers; null for null."""
    encoded = values.dictionary_encode()
    forms = pa.array([form(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return forms.take(encoded.indices)
