"""How good a graph is by itself: measurements that `kgscripts evaluate graph DIR --attach` keeps beside the graph.

They are no part of the graph, as `run.json` is none: they are of the build that they name, and of no other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from attrs import asdict, frozen

from schemas.graph_directory import MEASUREMENTS, read_file
from schemas.output_files import write_lines
from schemas.provenance import Direction, Unit


@frozen(kw_only=True)
class Measurement:
    """A number about a graph."""

    metric: str
    value: float
    unit: Unit
    direction: Direction


def write_measurements(directory: Path, build_id: str, measurements: Iterable[Measurement]) -> None:
    """Keep measurements of a build in its graph directory, in place of older ones.

    Raises ConfigurationError if they cannot be written.
    """
    content = {"build": build_id, "measurements": [asdict(item) for item in measurements]}
    write_lines(directory / MEASUREMENTS, [json.dumps(content, indent=1, ensure_ascii=False)])


def read_measurements(directory: Path, build_id: str) -> tuple[Measurement, ...]:
    """The measurements of a build; none if there are none, if they are of another build, or if the file is damaged."""
    try:
        content = json.loads(read_file(directory / MEASUREMENTS))
        if content["build"] != build_id:
            return ()
        return tuple(
            Measurement(
                metric=str(row["metric"]),
                value=float(row["value"]),
                unit=Unit(row["unit"]),
                direction=Direction(row["direction"]),
            )
            for row in content["measurements"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ()


def measurements_version(directory: Path, build_id: str) -> str:
    """What tells the measurements of a build from others of it; "" without any."""
    found = read_measurements(directory, build_id)
    return hashlib.sha256(repr(found).encode()).hexdigest()[:8] if found else ""
