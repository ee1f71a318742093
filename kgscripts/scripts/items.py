"""The items of a text: its numbered steps, the lines of its list or the rows of its table, as it has them."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from operator import itemgetter

from kgscripts.scripts.names import column
from kgscripts.scripts.types import Item
from schemas.records import PassageKind
from schemas.script_graph import StoredGraph


def read_items(graph: StoredGraph, scenario: str, steps: Collection[str]) -> list[Item]:
    """The items of the only text of the scenario with this id, in the order of the text, each with those of `steps`
    that are read in it; none if several texts tell it, or its text has no items. They begin and end with one that has a
    step: what is around them may be about something else."""
    sources = {row["from_id"] for row in graph.rows("ABOUT", ("from_id",), {"to_id": [scenario]})}
    named = list(graph.rows("Source", ("id", "name"), {"id": sources}))
    if len(named) != 1:
        return []
    (source,) = named
    wanted = {"source": [source["id"]], "kind": [PassageKind.STEP]}
    items = sorted(graph.rows("Passage", ("start", "end", "text"), wanted), key=itemgetter("start"))
    if not items:
        return []
    links = list(graph.rows("REALIZES", ("from_id", "to_id"), {"to_id": steps}))
    starts = {
        row["id"]: row["start"] for row in graph.rows("Passage", ("id", "start"), {"id": column(links, "from_id")})
    }
    told: dict[str, set[int]] = {step: set() for step in steps}
    for link in links:
        if link["from_id"] in starts:
            told[link["to_id"]].add(starts[link["from_id"]])
    # An item within another one ends the outer one: an item is what stands before those that are nested in it.
    ends = [min(one["end"], other["start"]) for one, other in pairwise(items)] + [row["end"] for row in items[-1:]]
    result = [
        Item(
            text=row["text"][: end - row["start"]].strip(),
            source=source["name"],
            start=row["start"],
            end=end,
            steps=[graph.iri(step) for step in steps if any(row["start"] <= start < end for start in told[step])],
        )
        for row, end in zip(items, ends, strict=True)
    ]
    told_in = [place for place, item in enumerate(result) if item.steps]
    return result[told_in[0] : told_in[-1] + 1] if told_in else []
