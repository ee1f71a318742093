"""Builds whose texts are read elsewhere: pieces that are finished, or actors of Ray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kgscripts.building.build import Progress
from kgscripts.building.report import BuildReport
from schemas.errors import ConfigurationError
from schemas.terminal import echo, printable

MAKING = ("base_iri", "licence", "min_support", "min_readers")
"""The options that say how a graph is made of records; others say how texts are read."""


def taken_in(options: dict[str, Any], progress: Callable[[Progress], None] | None) -> BuildReport:
    """Take in the finished pieces of the directory of the options, and name the others."""
    from kgscripts.distributed.ingest import take_in_pieces

    directory = options.pop("output")
    if unused := sorted(name for name, value in options.items() if value and name not in ("memory", "jobs")):
        raise ConfigurationError(
            f"{unused[0].replace('_', '-')} is an option of the reading",
            where="--take-in",
            remedy="give it to `kgscripts split-reading` in a file of --config",
        )
    taken = take_in_pieces(directory, progress=progress, **{name: value for name, value in options.items() if value})
    for number, reason in sorted(taken.missing.items()):
        echo(f"piece {number} is {reason}: kgscripts read-piece {printable(taken.place)} --piece {number}", err=True)
    return taken.report


def on_ray(
    options: dict[str, Any], engine: str | None, address: str | None, progress: Callable[[Progress], None] | None
) -> BuildReport:
    """Build with the options, and read on Ray."""
    if engine != "ray":
        raise ConfigurationError(
            "there is no such engine" if engine else "--ray-address is for --engine ray",
            where=f"--engine {engine}" if engine else None,
            remedy="give --engine ray, or leave both away",
        )
    from kgscripts.distributed.on_ray import build_on_ray

    if unused := sorted(set(options) & {"limit", "corrections"}):
        raise ConfigurationError(f"--{unused[0]} cannot be given with --engine", remedy="leave one of them away")
    making = {name: options.pop(name) for name in MAKING if name in options}
    return build_on_ray(
        options.pop("inputs"),
        options.pop("output"),
        address=address,
        workers=options.pop("jobs", 1),
        memory=options.pop("memory", None),
        progress=progress,
        making=making,
        **options,
    ).report
