"""Find nodes of a graph by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from kgscripts.corpora.scenarios.labels import scenario_ids
from schemas.errors import UnknownNameError
from schemas.records import Action
from schemas.script_graph import StoredGraph

Row: TypeAlias = dict[str, Any]


def column(rows: Iterable[Row], name: str) -> set[str]:
    return {row[name] for row in rows}


ACTION_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")
"""The columns of an action that `action_of_row` needs."""


def action_of_row(row: Row) -> Action:
    """The action of a row of the table of actions."""
    return Action(**{part: row[part] or "" for part in ACTION_PARTS})


def find_scenario(graph: StoredGraph, name: str) -> Row:
    """Return the scenario with this label, alternative label or IRI, or with another name of the same activity.

    Case does not matter. Names of the same activity are those that a build would count as this scenario: "make some
    tea", "how to make tea" for "making tea".

    Raises
    ------
    QueryError
        If no scenario or several scenarios have this name; the remedy has the nearest names.
    """
    return find(graph, "Scenario", name, ("label", "alternative_labels", "support"), scenario_ids)


def find(
    graph: StoredGraph,
    node_type: str,
    name: str,
    columns: Sequence[str],
    ids_of: Callable[[str], Collection[str]] = lambda _: (),
) -> Row:
    """Return the node whose IRI, label or else alternative label is `name`, ignoring case, or one of `ids_of(name)`.

    Raises
    ------
    QueryError
        If no node or several nodes of the type have this name; the remedy suggests names.
    """
    rows = list(graph.rows(node_type, ["id", *columns]))
    wanted = folded(name)
    matches = _named(graph, rows, wanted)
    if not matches:
        ids = ids_of(name)
        matches = [row for row in rows if row["id"] in ids]
    if len(matches) == 1:
        return matches[0]
    kind = node_type.lower()
    if matches:
        raise UnknownNameError(
            f"{len(matches)} {kind}s are named {name!r}",
            where=str(graph.directory),
            remedy="name one by its IRI: " + ", ".join(graph.iri(row["id"]) for row in matches[:5]),
        )
    labels: dict[str, str] = {}
    for row in sorted(rows, key=itemgetter("label")):
        for label in (row["label"], *row.get("alternative_labels", ())):
            labels.setdefault(folded(label), row["label"])
    raise UnknownNameError(
        f"there is no {kind} named {name!r}",
        where=str(graph.directory),
        remedy=nearest(labels, wanted)
        or "`kgscripts show DIR` lists the scenarios, `kgscripts show DIR SCENARIO` the tools of one",
    )


def _named(graph: StoredGraph, rows: Sequence[Row], wanted: str) -> list[Row]:
    return (
        [row for row in rows if wanted in (row["id"], graph.iri(row["id"]).casefold())]
        or [row for row in rows if wanted == folded(row["label"])]
        or [row for row in rows if wanted in map(folded, row.get("alternative_labels", ()))]
    )


def folded(name: str) -> str:
    """A name in lower case with single spaces."""
    return " ".join(name.casefold().split())


def nearest(labels: Mapping[str, str], wanted: str) -> str:
    """The question whether one of the nearest labels is meant, "" if none is near; `labels` has them by their names.

    Names with all words of `wanted` come first, then names with a similar spelling.
    """
    words = set(wanted.split())
    holding = [label for name, label in labels.items() if words <= set(name.split())]
    near = [labels[name] for name in difflib.get_close_matches(wanted, labels, n=5)]
    likely = list(dict.fromkeys((*holding, *near)))[:5]
    return "did you mean " + " or ".join(repr(label) for label in likely) + "?" if likely else ""
