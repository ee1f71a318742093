"""The JSON schema of an answer, made from the classes of records, and the check of an answer against it.

A model gives no offsets, lemmas or probabilities: where a record has a span, it quotes the words of the text, and what
follows from these is ours (`_OURS`).
"""

from __future__ import annotations

import hashlib
import json
import types
import typing
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any

import attrs

from schemas.records import EventMention, Need, Record, Segment, StateChange

QUOTE = "quote"
SCENARIOS = "scenarios"
KINDS: Mapping[str, type[Record]] = {
    "events": EventMention,
    "changes": StateChange,
    "needs": Need,
    SCENARIOS: Segment,
}
"""The parts of an answer, in their order: a list of records of a kind each."""

_START, _END = "start", "end"
_OURS = frozenset({"lemma", "words", "phrase", "clause", "measures", "instructed", "score", "inferred"}) | frozenset(
    {"mentioned", "probability", "level", "confidence", "instead", "optional"}
)
_OF_EVENT = frozenset({"action"})
"""A change belongs to the event with the same quote, which has the action."""

_MOST_RECORDS, _MOST_PARTS = 32, 8
"""The longest lists, of records and of their parts: small models write the same item again and again."""

Schema = dict[str, Any]


@cache
def schema(*, scenarios: bool) -> Schema:
    """The JSON schema of an answer; `scenarios`: whether it has scenarios too."""
    kinds = {name: kind for name, kind in KINDS.items() if scenarios or name != SCENARIOS}
    return _object(
        {name: {"type": "array", "items": _of_class(kind), "maxItems": _MOST_RECORDS} for name, kind in kinds.items()}
    )


@cache
def schema_digest() -> str:
    """SHA-256 of both schemas."""
    both = [schema(scenarios=True), schema(scenarios=False)]
    return hashlib.sha256(json.dumps(both).encode()).hexdigest()


def _of_class(cls: type) -> Schema:
    hints = typing.get_type_hints(cls)
    named = {attribute.name: hints[attribute.name] for attribute in attrs.fields(cls)}
    quoted = {QUOTE: {"type": "string"}} if _START in named else {}
    left_out = _OURS | {_START, _END} | (_OF_EVENT if cls is StateChange else frozenset())
    return _object(quoted | {name: _of_type(hint) for name, hint in named.items() if name not in left_out})


def _of_type(hint: Any) -> Schema:
    origin = typing.get_origin(hint)
    if origin is tuple:
        return {"type": "array", "items": _of_type(typing.get_args(hint)[0]), "maxItems": _MOST_PARTS}
    if origin is types.UnionType:
        (inner,) = (item for item in typing.get_args(hint) if item is not type(None))
        of_inner = _of_type(inner)
        return {"type": [of_inner["type"], "null"], "enum": [*of_inner["enum"], None]}
    if hint is str:
        return {"type": "string"}
    if issubclass(hint, StrEnum):
        return {"type": "string", "enum": [item.value for item in hint]}
    return _of_class(hint)


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def problem(value: Any, wanted: Schema, where: str = "the answer") -> str:
    """What is wrong with a value of JSON, by a schema that `schema` gives; "" if nothing is."""
    kinds = [wanted["type"]] if isinstance(wanted["type"], str) else wanted["type"]
    if not any(_is(value, kind) for kind in kinds):
        return f"{where} is not of the type {' or '.join(kinds)}"
    if "enum" in wanted and value not in wanted["enum"]:
        return f"{where} is none of {', '.join(map(str, wanted['enum']))}"
    if isinstance(value, str) and not _encodable(value):
        return f"{where} has half a character"
    if isinstance(value, dict):
        properties = wanted["properties"]
        if missing := [name for name in properties if name not in value]:
            return f"{where} lacks {missing[0]!r}"
        if unknown := [name for name in value if name not in properties]:
            return f"{where} has {unknown[0][:40]!r}, which the schema does not have"
        problems = (problem(value[name], properties[name], f"{name} of {where}") for name in properties)
        return next(filter(None, problems), "")
    if isinstance(value, list):
        if len(value) > wanted["maxItems"]:
            return f"{where} has more than {wanted['maxItems']} items"
        problems = (problem(item, wanted["items"], f"item {number} of {where}") for number, item in enumerate(value, 1))
        return next(filter(None, problems), "")
    return ""


_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind])


def _encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)
