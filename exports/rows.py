"""Select rows of a graph's tables by value, and find nodes by name.

Only the selected columns and rows are kept in memory.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.errors import GraphDirectoryError, QueryError
from schemas.script_graph import ScriptGraph
from schemas.tables import table_path

Row: TypeAlias = dict[str, Any]


def select(graph: ScriptGraph, name: str, columns: Sequence[str], **among: Collection[str]) -> list[Row]:
    """Return `columns` of the rows of table `name` whose columns have one of the values in `among`.

    Raises
    ------
    GraphDirectoryError
        If the table is damaged.
    """
    if any(not values for values in among.values()):
        return []
    file = graph.directory / table_path(name)
    filters = [(column, "in", set(values)) for column, values in among.items()]
    try:
        rows: list[Row] = pq.read_table(file, columns=list(columns), filters=filters or None).to_pylist()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise GraphDirectoryError(
            f"the table is damaged ({error})", where=str(file), remedy="run `kgscripts build-graph` again"
        ) from error
    return rows


def column(rows: Iterable[Row], name: str) -> set[str]:
    return {row[name] for row in rows}


def labels_of(graph: ScriptGraph, name: str, ids: Collection[str]) -> dict[str, str]:
    return {row["id"]: row["label"] for row in select(graph, name, ("id", "label"), id=ids)}


def find(graph: ScriptGraph, node_type: str, name: str, columns: Sequence[str]) -> Row:
    """Return the node whose IRI, label or else alternative label is `name`, ignoring case.

    Raises
    ------
    QueryError
        If no node or several nodes of the type have this name; the remedy suggests names.
    """
    rows = select(graph, node_type, ("id", *columns))
    wanted = _folded(name)
    found = (
        [row for row in rows if wanted in (row["id"], graph.iri(row["id"]).casefold())]
        or [row for row in rows if wanted == _folded(row["label"])]
        or [row for row in rows if wanted in map(_folded, row.get("alternative_labels", ()))]
    )
    if len(found) == 1:
        return found[0]
    kind = node_type.lower()
    if found:
        raise QueryError(
            f"{len(found)} {kind}s are named {name!r}",
            where=str(graph.directory),
            remedy="name one by its IRI: " + ", ".join(graph.iri(row["id"]) for row in found[:5]),
        )
    raise QueryError(f"there is no {kind} named {name!r}", where=str(graph.directory), remedy=_suggestion(rows, wanted))


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())


def _suggestion(rows: list[Row], wanted: str) -> str:
    """Suggest labels with all words of `wanted`, then labels with a similar spelling."""
    labels: dict[str, str] = {}
    for row in sorted(rows, key=itemgetter("label")):
        for label in (row["label"], *row.get("alternative_labels", ())):
            labels.setdefault(_folded(label), row["label"])
    words = set(wanted.split())
    holding = [label for folded, label in labels.items() if words <= set(folded.split())]
    near = [labels[folded] for folded in difflib.get_close_matches(wanted, labels, n=5)]
    likely = list(dict.fromkeys((*holding, *near)))[:5]
    if likely:
        return "did you mean " + " or ".join(repr(label) for label in likely) + "?"
    return "`kgscripts show DIR` lists the scenarios, `kgscripts show DIR SCENARIO` the tools of one"
