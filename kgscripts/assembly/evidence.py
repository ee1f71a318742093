"""Statements: each knowledge relation as a node, with the passages that say it and the models that read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen

from kgscripts.assembly.names import Integers, Nodes
from kgscripts.assembly.relations import Relations, pairs
from kgscripts.assembly.tables import batches, taken
from schemas.provenance import Model
from schemas.script_graph import ScriptGraphWriter
from schemas.vocabulary import node_id


@frozen
class Stated:
    """Relations of one type, the nodes at their ends, and by row the place of the scenario (-1: none)."""

    name: str
    start: Nodes[Any]
    end: Nodes[Any]
    relations: Relations
    scenario: Integers


@frozen
class _Statement:
    subject: str
    relation: str
    object: str
    scenario: str | None


def write_relations(writer: ScriptGraphWriter, stated: Sequence[Stated], scenarios: Nodes[str]) -> Nodes[Any]:
    """Write the relation tables and Statement; the statements, numbered relation by relation."""
    statements = Nodes(
        (
            _Statement(item.start.ids[start], item.name, item.end.ids[end], scenarios.id_of(scenario))
            for item in stated
            for start, end, scenario in zip(
                item.relations.start.tolist(), item.relations.end.tolist(), item.scenario.tolist(), strict=True
            )
        ),
        lambda said: node_id("Statement", said.relation, said.subject, said.relation, said.object, said.scenario or ""),
    )
    own = [statements.ids[place] for place in statements.place.tolist()]
    fields = ("subject", "relation", "object", "scenario")
    columns = {name: [getattr(said, name) for said in statements.values] for name in fields}
    writer.write("Statement", batches("Statement", {"id": statements.ids, **columns}))
    first = 0
    for item in stated:
        rows = len(item.relations)
        table = {
            "from_id": [item.start.ids[place] for place in item.relations.start.tolist()],
            "to_id": [item.end.ids[place] for place in item.relations.end.tolist()],
            "support": item.relations.support,
            "statement": own[first : first + rows],
            **item.relations.columns,
        }
        writer.write(item.name, batches(item.name, table))
        first += rows
    return statements


def write_evidence(
    writer: ScriptGraphWriter,
    stated: Sequence[Stated],
    statements: Nodes[Any],
    passages: pa.Array,
    models: Nodes[Model],
    extractors: Sequence[Sequence[int]],
) -> None:
    """Write EVIDENCED_BY and READ_BY. `extractors` holds, for each, the places of the models that read together."""
    first = np.cumsum([0, *(len(item.relations) for item in stated)])[:-1].tolist()
    statement, passage = _joined([item.relations.evidence for item in stated], first, statements)
    order = np.lexsort((passage, statement))
    ids = pa.array(statements.ids, pa.string())
    ends = {"from_id": (ids, statement[order]), "to_id": (passages, passage[order])}
    writer.write("EVIDENCED_BY", taken("EVIDENCED_BY", ends))

    statement, extractor = _joined([item.relations.readers for item in stated], first, statements)
    scores = np.concatenate([item.relations.reader_scores for item in stated])
    together = np.array([len(places) for places in extractors], np.int64)[extractor]
    model = np.array([place for number in extractor.tolist() for place in extractors[number]], np.int64)
    statement, model, row = pairs(np.repeat(statement, together), model)
    highest = np.zeros(len(statement))
    np.maximum.at(highest, row, np.repeat(scores, together))
    columns = {
        "from_id": (ids, statement),
        "to_id": (pa.array(models.ids, pa.string()), model),
        "score": (pa.array(highest), np.arange(len(highest))),
    }
    writer.write("READ_BY", taken("READ_BY", columns))


def _joined(
    parts: Sequence[tuple[Integers, Integers]], first: Sequence[int], statements: Nodes[Any]
) -> tuple[Integers, Integers]:
    """(row, other) of all relations as (place of the statement, other)."""
    rows = np.concatenate([row + start for (row, _), start in zip(parts, first, strict=True)])
    return statements.place[rows], np.concatenate([other for _, other in parts])


def write_models(writer: ScriptGraphWriter, models: Nodes[Model]) -> None:
    """Write Model, BenchmarkScore and SCORED."""
    fields = ("name", "version", "digest", "task")
    columns = {name: [getattr(model, name) for model in models.values] for name in fields}
    licences = [model.licence or None for model in models.values]
    writer.write("Model", batches("Model", {"id": models.ids, **columns, "licence": licences}))

    owned = {
        (owner, score.dataset, score.split, score.metric): score
        for owner, model in zip(models.ids, models.values, strict=True)
        for score in model.scores
    }
    scores = Nodes(owned.items(), lambda item: node_id("BenchmarkScore", f"{item[0][1]} {item[0][3]}", *item[0]))
    figures = ("dataset", "split", "metric", "value", "unit", "direction")
    columns = {name: [getattr(score, name) for _, score in scores.values] for name in figures}
    writer.write("BenchmarkScore", batches("BenchmarkScore", {"id": scores.ids, **columns}))

    ends = sorted((key[0], identifier) for identifier, (key, _) in zip(scores.ids, scores.values, strict=True))
    starts, targets = [start for start, _ in ends], [end for _, end in ends]
    writer.write("SCORED", batches("SCORED", {"from_id": starts, "to_id": targets}))
