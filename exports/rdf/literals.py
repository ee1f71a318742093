"""Columns of literals. The escapes are valid in Turtle, N-Quads and JSON."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_OTHER_CONTROLS = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_ESCAPES = str.maketrans(
    {**{chr(code): f"\\u{code:04X}" for code in (*range(0x20), 0x7F)}, **_SHORT},
)


def escaped(texts: pa.Array) -> pa.Array:
    """The texts with quotes, backslashes and all control characters (NUL too) escaped."""
    if pc.any(pc.match_substring_regex(texts, _OTHER_CONTROLS)).as_py():
        return pa.array([None if text is None else text.translate(_ESCAPES) for text in texts.to_pylist()], pa.string())
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
