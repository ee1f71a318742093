"""Values of changes as the generator writes them: a template, and the thing that the text names in it.

"in the drawer" is the template "in @" with the drawer, "dirty" a template alone.
"""

from __future__ import annotations

import re

SLOT = "@"
"""Where a template has the thing."""

_PREPOSITIONS = (
    "in|on|at|under|around|over|behind|beside|near|against|between|through|to|with|above|below|of|off|from|by|inside"
    "|outside|into|onto"
)
_WITH_THING = re.compile(rf"(?P<template>(?:\S+ ){{0,2}}?(?:{_PREPOSITIONS})) (?P<thing>\S.*)")


def split_value(value: str) -> tuple[str, str]:
    """The template of a value, and the thing in it ("" if it has none).

    >>> split_value("covered with mix"), split_value("clean")
    (('covered with @', 'mix'), ('clean', ''))
    """
    match = _WITH_THING.fullmatch(value)
    return (f"{match['template']} {SLOT}", match["thing"]) if match else (value, "")


def joined_value(template: str, thing: str) -> str:
    """The value of a template with its thing."""
    return template.replace(SLOT, thing)
