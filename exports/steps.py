"""Read the steps of a script, with their parts and the passages behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from exports.evidence import evidence_of
from exports.rows import Row
from exports.step_parts import alternatives_of, changes_of, corrections_of, durations_of, matches_of, parts_of
from schemas.changes import Level
from schemas.script import Change, Evidence, Match, Part, Participant, Step, Tool
from schemas.script_graph import ScriptGraph
from schemas.type_declarations import installed_relation_types

_OF_STEPS = ("rank", "mean_position", "typicality", "usual", "essential", "essential_probability", "optional")


def read_steps(graph: ScriptGraph, relations: Mapping[str, Row], most: int) -> list[Step]:
    """The steps whose HAS_SUB_EVENT rows are `relations`, by their ids and in their order.

    Each step and each of its parts has at most `most` passages as evidence.
    """
    steps = list(relations)
    uses, takes_part = parts_of(graph, "USES", steps), parts_of(graph, "HAS_PARTICIPANT", steps)
    changes, concrete = changes_of(graph, steps), parts_of(graph, "DECOMPOSES_INTO", steps)
    alternatives, matches = alternatives_of(graph, steps), matches_of(graph, steps)
    further = {
        item.name: parts_of(graph, item.name, steps)
        for item in installed_relation_types()
        if item.ends[0][0] == "SubEvent"
    }
    wordings = parts_of(graph, "EXPRESSED_AS", steps)
    names = {
        step: {"label": label, "label_text": text} for step, (label, text) in graph.names("SubEvent", steps).items()
    }
    corrections, durations = corrections_of(graph, steps), durations_of(graph, steps)
    statements = {row["statement"] for row in relations.values()}
    for related in (uses, takes_part, changes, concrete, alternatives, matches, *further.values()):
        statements |= {row["statement"] for step in steps for row in related.get(step, ())}
    evidence = evidence_of(graph, statements, most)

    def parts(rows: Iterable[Row]) -> list[Part]:
        return [Part(**common(graph, row, evidence)) for row in rows]

    return [
        Step(
            **common(graph, {**row, **names[step]}, evidence),
            **{name: row[name] for name in _OF_STEPS},
            wordings=[wording["label"] for wording in wordings.get(step, ())],
            durations=durations.get(step, ()),
            tools=[
                Tool(
                    **common(graph, tool, evidence), **{name: tool[name] for name in ("role", "predicted", "inferred")}
                )
                for tool in uses.get(step, ())
            ],
            participants=[
                Participant(**common(graph, entity, evidence), role=entity["role"])
                for entity in takes_part.get(step, ())
            ],
            changes=[
                Change(
                    **common(graph, change, evidence),
                    **{name: change[name] for name in ("entity", "attribute", "before", "after")},
                    level=Level(change["level"]),
                )
                for change in changes.get(step, ())
            ],
            decomposes_into=parts(concrete.get(step, ())),
            alternatives=parts(alternatives.get(step, ())),
            matches=[
                Match(**common(graph, other, evidence), scenario=other["scenario"], similarity=other["similarity"])
                for other in matches.get(step, ())
            ],
            further={name: tuple(parts(rows[step])) for name, rows in further.items() if rows.get(step)},
            corrections=corrections[step],
        )
        for step, row in relations.items()
    ]


def common(graph: ScriptGraph, row: Row, evidence: Mapping[str, Sequence[Evidence]]) -> dict[str, Any]:
    """What all parts have, of the row of a relation with the label of its end."""
    return {
        "iri": graph.iri(row["to_id"]),
        "label": row["label"],
        "label_text": row["label_text"],
        "support": row["support"],
        "probability": row["probability"],
        "evidence": evidence.get(row["statement"], ()),
    }
