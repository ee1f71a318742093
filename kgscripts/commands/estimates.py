"""`kgscripts build-graph --dry-run`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from kgscripts.building.estimating import estimate_build
from kgscripts.building.report import spent_words
from schemas.terminal import echo, printable

_OF_MAKING = ("output", "base_iri", "licence", "min_support", "min_readers", "corrections", "memory", "jobs")


def print_estimate(options: Mapping[str, Any]) -> None:
    """Print what a build with these options would spend."""
    reading = {name: value for name, value in options.items() if name not in _OF_MAKING}
    found = estimate_build(reading.pop("inputs", ()), **reading)
    echo(f"sources {found.sources:,} · words {found.words:,} · nothing was sent or written")
    for name, numbers in found.spent.items():
        lines = textwrap.wrap(printable(spent_words(numbers)), 78 - len(name), break_on_hyphens=False)
        echo("\n".join(f"{name if not number else ' ' * len(name)}  {line}" for number, line in enumerate(lines)))
    if not found.spent:
        echo("none of these extractors asks a server")
