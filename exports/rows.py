"""Find nodes by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from schemas.errors import QueryError
from schemas.script_graph import ScriptGraph

Row: TypeAlias = dict[str, Any]


def column(rows: Iterable[Row], name: str) -> set[str]:
    return {row[name] for row in rows}


def find(graph: ScriptGraph, node_type: str, name: str, columns: Sequence[str]) -> Row:
    """Return the node whose IRI, label or else alternative label is `name`, ignoring case.

    Raises
    ------
    QueryError
        If no node or several nodes of the type have this name; the remedy suggests names.
    """
    rows = list(graph.rows(node_type, ["id", *columns]))
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
