"""A pair as a line of JSON: ``{"abstract": "...", "concrete": "..." | ["step", ...], "id"?}``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from kgscripts.corpora.json_records import string, strings
from schemas.errors import InputError


@frozen
class PairRecord:
    """Both sides as raw text; some steps may be blank. `in_steps`: the concrete side was a list of steps."""

    abstract: str
    steps: list[str]
    in_steps: bool


def is_pair_record(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object means to be a pair."""
    return "abstract" in record or "concrete" in record


def pair_record(record: Mapping[str, Any]) -> PairRecord:
    """The pair that a JSON object tells.

    Raises InputError for a side that is missing, empty or of another type.
    """
    abstract = string(record, "abstract")
    value = record.get("concrete")
    if not isinstance(value, str | list):
        raise InputError('"concrete" is neither a string nor a list of strings')
    steps = [string(record, "concrete")] if isinstance(value, str) else strings(record, "concrete")
    if not abstract.strip() or not "".join(steps).strip():
        raise InputError(f"the {'concrete' if abstract.strip() else 'abstract'} side is empty")
    return PairRecord(abstract, steps, isinstance(value, list))
