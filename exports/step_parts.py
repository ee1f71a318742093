"""The rows of what belongs to the steps of a script: tools, participants, changes, concrete steps, corrections, and the
symmetric relations: alternatives, and the same step of other scenarios; how long steps take."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter

from exports.rows import Row, column
from schemas.changes import Level
from schemas.graph_types import RELATION_TYPES
from schemas.records import OF_PLACE
from schemas.script import Change, Part, Step, StepCorrection, Tool, is_added
from schemas.script_graph import ScriptGraph

_KNOWLEDGE = ("from_id", "to_id", "support", "probability", "statement")
_MANY_SOURCES, _ENOUGH = 5, 2
_FURTHER = {
    "USES": ("role", "predicted", "inferred"),
    "HAS_PARTICIPANT": ("role",),
    "DECOMPOSES_INTO": ("position",),
    "CHANGES": ("level",),
    "CLOSE_MATCH": ("similarity",),
    "NEEDS": ("role", "declared", "used", "amount", "usual"),
}
"""The columns of relations that are read besides `_KNOWLEDGE`."""


def parts_of(graph: ScriptGraph, relation: str, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The rows of a relation that begins at steps or scenarios, by where it begins, each with the `label` of its end.

    They are sorted by support, concrete steps by position; what a person added comes first, and containers and surfaces
    are behind the other tools. Tools of two sources or more are before those of one.
    """
    ends = [end for _, end in RELATION_TYPES[relation].ends]
    rows = list(graph.rows(relation, (*_KNOWLEDGE, *_FURTHER.get(relation, ())), {"from_id": steps}))
    names = {node: both for end in ends for node, both in graph.names(end, column(rows, "to_id")).items()}
    rows.sort(
        key=lambda row: (
            row.get("position", 0),
            not is_added(row["support"], row["probability"]),
            relation == "USES" and row["support"] < _ENOUGH,
            row.get("role") in OF_PLACE,
            -row["support"],
            row.get("level") == Level.LIKELY,
            -row["probability"],
            names[row["to_id"]],
        )
    )
    parts: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        label, text = names[row["to_id"]]
        parts[row["from_id"]].append({**row, "label": label, "label_text": text})
    return parts


def well_supported(step: Step, parts: Sequence[Part]) -> Sequence[Part]:
    """The parts to show of a step: of a step of many sources, those that at least two sources and a twentieth of its
    sources have, or that a person added. What few of many sources have tells little."""
    if step.support < _MANY_SOURCES:
        return parts
    least = max(float(_ENOUGH), step.support / 20)
    return [part for part in parts if part.support >= least or is_added(part.support, part.probability)]


def shown_name(part: Part) -> str:
    """The name of a part in pictures and tables: an inferred tool stands in parentheses, and a question mark behind a
    change that is likely only."""
    if isinstance(part, Change) and part.level is Level.LIKELY:
        return f"{part.label_text}?"
    return f"({part.label})" if isinstance(part, Tool) and part.inferred else part.label_text


def changes_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The rows of CHANGES by step, as `parts_of` has them, with `entity`, `attribute`, `before` and `after`."""
    parts = parts_of(graph, "CHANGES", steps)
    wanted = {"id": {row["to_id"] for rows in parts.values() for row in rows}}
    values = {row["id"]: row for row in graph.rows("StateChange", ("id", "before", "after"), wanted)}
    ends = {"from_id": wanted["id"]}
    attributes = {row["from_id"]: row["to_id"] for row in graph.rows("OF_ATTRIBUTE", where=ends)}
    # A thing that is also a tool is the end of two relations, with the same label.
    things = {row["from_id"]: row["to_id"] for row in graph.rows("OF_ENTITY", where=ends)}
    labels = graph.labels("Attribute", attributes.values())
    labels |= graph.labels("Entity", things.values()) | graph.labels("Tool", things.values())
    return {
        step: [
            {
                **row,
                "entity": labels[things[row["to_id"]]],
                "attribute": labels[attributes[row["to_id"]]],
                "before": values[row["to_id"]]["before"],
                "after": values[row["to_id"]]["after"],
            }
            for row in rows
        ]
        for step, rows in parts.items()
    }


def alternatives_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The alternatives of each step, those in the most sources first."""
    found = _joined(graph, "ALTERNATIVE_TO", steps)
    for rows in found.values():
        rows.sort(key=lambda row: (-row["support"], row["label"], row["to_id"]))
    return found


def matches_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, Sequence[Row]]:
    """The same step of other scenarios (`scenario`) for each step, the most similar first."""
    found = _joined(graph, "CLOSE_MATCH", steps)
    scenarios = graph.labels("Scenario", {row["scenario"] for rows in found.values() for row in rows})
    named = {
        step: [{**row, "scenario": scenarios[row["scenario"]]} for row in rows if row["scenario"]]
        for step, rows in found.items()
    }
    for rows in named.values():
        rows.sort(key=lambda row: (-row["similarity"], row["scenario"], row["to_id"]))
    return named


def _joined(graph: ScriptGraph, relation: str, steps: Collection[str]) -> dict[str, list[Row]]:
    """The rows of a symmetric relation by step, from either end, each with `label` and `scenario` of the other one."""
    columns = (*_KNOWLEDGE, *_FURTHER.get(relation, ()))
    pairs = [
        {**row, "from_id": row[own], "to_id": row[far]}
        for own, far in (("from_id", "to_id"), ("to_id", "from_id"))
        for row in graph.rows(relation, columns, {own: steps})
    ]
    names = ("label", "label_text", "scenario")
    others = {row["id"]: row for row in graph.rows("SubEvent", ("id", *names), {"id": column(pairs, "to_id")})}
    found: dict[str, list[Row]] = defaultdict(list)
    for pair in pairs:
        other = others[pair["to_id"]]
        found[pair["from_id"]].append({**pair, **{name: other[name] for name in names}})
    return found


def durations_of(graph: ScriptGraph, steps: Collection[str]) -> Mapping[str, Sequence[str]]:
    """How long each step takes in the words of its mentions, the most frequent wording first."""
    links = list(graph.rows("REALIZES", ("from_id", "to_id"), {"to_id": steps}))
    passages = graph.rows("Passage", ("id", "durations"), {"id": column(links, "from_id")})
    durations = {row["id"]: row["durations"] for row in passages if row["durations"]}
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for link in links:
        found[link["to_id"]].update(words.lower() for words in durations.get(link["from_id"], ()))
    return {step: sorted(counts, key=lambda words: (-counts[words], words)) for step, counts in found.items()}


def corrections_of(graph: ScriptGraph, nodes: Collection[str]) -> dict[str, tuple[StepCorrection, ...]]:
    """The corrections of each node, the oldest first."""
    links = list(graph.rows("CORRECTED_BY", where={"from_id": nodes}))
    rows = graph.rows("Correction", ("id", "label", "author", "time"), {"id": column(links, "to_id")})
    found: dict[str, list[StepCorrection]] = defaultdict(list)
    for row in sorted(rows, key=itemgetter("time", "id")):
        for link in links:
            if link["to_id"] == row["id"]:
                correction = StepCorrection(label=row["label"], author=row["author"], time=row["time"])
                found[link["from_id"]].append(correction)
    return {node: tuple(found[node]) for node in nodes}
