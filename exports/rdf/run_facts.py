"""The facts about the build of a graph in `run.json`.

It is not a part of the graph: equal graphs have equal build ids whenever they were built.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

from attrs import frozen

from schemas.graph_directory import read_file


@frozen(kw_only=True)
class RunFacts:
    """Version of kgscripts, and when the build began and ended (`xsd:dateTime`); None where it is not known."""

    version: str | None = None
    started: str | None = None
    ended: str | None = None


def run_facts(directory: Path) -> RunFacts:
    """Read `run.json` of a graph directory; a file that is missing or damaged gives nothing."""
    try:
        content = json.loads(read_file(directory / "run.json"))
        started = datetime.fromisoformat(content["started"])
        ended = started + timedelta(seconds=content["seconds"])
        version = content["versions"]["kgscripts"]
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return RunFacts()
    return RunFacts(
        version=version if isinstance(version, str) else None,
        started=started.isoformat(timespec="seconds"),
        ended=ended.isoformat(timespec="seconds"),
    )
