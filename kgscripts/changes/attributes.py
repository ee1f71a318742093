"""Attributes that mean the same: each name leads to one, so that wetness and moisture are one node."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import resources


@cache
def attribute_names() -> dict[str, tuple[str, ...]]:
    """The other names of each attribute that has any.

    `python -m benchmarks.attribute_names` makes the list from the train split of OpenPI.
    """
    table = resources.files("kgscripts.changes").joinpath("data/attributes.tsv").read_text("utf-8")
    rows = (line.partition("\t") for line in table.splitlines()[1:])
    return {leading: tuple(others.split("|")) for leading, _, others in rows}


def attributes_digest() -> str:
    """SHA-256 of the groups of attributes that mean the same."""
    return hashlib.sha256(json.dumps(attribute_names(), sort_keys=True).encode()).hexdigest()


def leading_attribute(name: str) -> str:
    """The attribute that a name means: itself, or the leading name of its group."""
    return _leading().get(name, name)


@cache
def _leading() -> dict[str, str]:
    return {other: leading for leading, others in attribute_names().items() for other in others}
