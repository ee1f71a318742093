"""Graph directories as bytes and as rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgscripts import ScriptGraph
from schemas.tables import TABLE_NAMES

Rows = dict[str, list[dict[str, Any]]]


def graph_bytes(directory: Path) -> dict[str, bytes]:
    """Every file of the graph that must not depend on how it was built."""
    files = [
        *directory.glob("nodes/*"),
        *directory.glob("relations/*"),
        *directory.glob("manifest.json"),
        *directory.glob("discarded.jsonl"),
    ]
    return {file.relative_to(directory).as_posix(): file.read_bytes() for file in sorted(files)}


def graph_rows(directory: Path) -> Rows:
    """All rows by table."""
    graph = ScriptGraph.open(directory)
    graph.check_digests()
    return {name: list(graph.rows(name)) for name in TABLE_NAMES}


def labels(rows: Rows, node_type: str) -> dict[str, str]:
    """Label by id."""
    return {row["id"]: row["label"] for row in rows[node_type]}
