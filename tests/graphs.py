"""Script graphs for tests and benchmarks: one with every type and odd characters, and generated ones of any size."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa

from kgscripts import ScriptGraph
from schemas.changes import Level
from schemas.graph_directory import locked
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.graph_writer import ScriptGraphWriter
from schemas.manifest import Manifest
from schemas.tables import TABLE_NAMES, key_columns, table_schema
from schemas.type_declarations import Property, ValueType
from schemas.vocabulary import DEFAULT_BASE_IRI, node_id

ODD_TEXTS = (
    "plain",
    "quotes \" ' ` and \\ backslash \\n not a newline",
    "new\nline, carriage\rreturn, tab\t",
    "nul \x00 and bell \x07",
    "emoji 🍝 family 👩‍👩‍👧",
    "right to left: שלום العربية",
    "combining e\u0301 and \u200b zero width",
    "<b>&amp;</b> {curly} $dollar %percent ${injection} '); MATCH (n) DETACH DELETE n //",
    "x" * 10_000,
    "  spaces  ",
)

Rows = dict[str, list[dict[str, Any]]]


def write_graph(directory: Path, rows: Rows, base_iri: str = DEFAULT_BASE_IRI) -> ScriptGraph:
    """Write `rows` (type -> rows in any order) as a graph directory."""
    with locked(directory), ScriptGraphWriter(directory) as writer:
        for name, table_rows in rows.items():
            writer.write(name, _batches(name, table_rows))
        writer.finish(
            Manifest(base_iri=base_iri, sources=0, characters=0, sources_digest="", configuration={}, discards={})
        )
    return ScriptGraph.open(directory)


def _batches(name: str, rows: list[dict[str, Any]]) -> Iterable[pa.RecordBatch]:
    ordered = sorted(rows, key=lambda row: tuple(row[column] for column in key_columns(name)))
    yield from pa.Table.from_pylist(ordered, schema=table_schema(name)).to_batches(max_chunksize=65_536)


def _value(item: Property, number: int, nodes: list[str]) -> Any:
    values: dict[ValueType, Any] = {
        ValueType.STRING: ODD_TEXTS[number % len(ODD_TEXTS)],
        ValueType.STRINGS: [ODD_TEXTS[(number + i) % len(ODD_TEXTS)] for i in range(number % 3 or not item.required)],
        ValueType.INTEGER: number * 7 - 3,
        ValueType.NUMBER: round(number / 3 - 1, 4),
        ValueType.BOOLEAN: number % 2 == 0,
        ValueType.NODE: nodes[number % len(nodes)],
        ValueType.NODES: sorted(f"{nodes[number]}-replaced-{i}" for i in range(number % 3)),
    }
    if item.name in ("typicality", "similarity", "lower", "essential_probability"):  # which their shapes limit
        values[ValueType.NUMBER] = number % 5 / 4
    if item.name == "level":
        values[ValueType.STRING] = list(Level)[number % len(Level)].value
    return None if not item.required and number % 4 == 3 else values[item.type]


def odd_rows(a_type: int = 10) -> Rows:
    """`a_type` nodes of every type and as many relations for every pair of ends, with values of every kind."""
    ids = {
        name: [node_id(name, text, str(i)) for i, text in zip(range(a_type), cycle(ODD_TEXTS), strict=False)]
        for name in NODE_TYPES
    }
    fitting = {
        "scenario": "Scenario",
        "source": "Source",
        "statement": "Statement",
    }
    rows: Rows = {}
    for name, node in NODE_TYPES.items():
        rows[name] = [
            {
                "id": identifier,
                **{p.name: _value(p, i, ids[fitting.get(p.name, name)]) for p in node.properties},
            }
            for i, identifier in enumerate(ids[name])
        ]
    for name, relation in RELATION_TYPES.items():
        rows[name] = [
            {
                "from_id": ids[start][i],
                "to_id": ids[end][(i * 3 + 1) % a_type],
                **{p.name: _value(p, i, ids["Statement"]) for p in relation.properties},
            }
            for start, end in relation.ends
            for i in range(a_type)
        ]
    about = [row for row in rows["ABOUT"] if row["from_id"] == ids["Passage"][0]]
    rows["ABOUT"] += [{**row, "to_id": ids["Scenario"][2 % a_type], "confidence": 0.25} for row in about]
    rows["Statement"] = _statements(rows, ids["Scenario"])
    return rows


def _statements(rows: Rows, scenarios: list[str]) -> list[dict[str, Any]]:
    """Give each relation that has a statement one of its own; evidence stays with the first of them."""
    numbered = list({row["from_id"]: None for row in rows["EVIDENCED_BY"] + rows["READ_BY"]})
    statements: list[dict[str, Any]] = []
    for name, relation in RELATION_TYPES.items():
        for row in rows[name] if relation.has_statement else ():
            i = len(statements)
            start, end = row["from_id"], row["to_id"]
            row["statement"] = numbered[i] if i < len(numbered) else node_id("Statement", "", start, name, end)
            scenario = None if i % 4 == 3 else scenarios[i % len(scenarios)]
            statements.append(
                {"id": row["statement"], "subject": start, "relation": name, "object": end, "scenario": scenario}
            )
    return statements


def odd_graph(directory: Path) -> ScriptGraph:
    """A graph that holds every node and relation type and characters that break careless exporters."""
    return write_graph(directory, odd_rows())


def generated_graph(directory: Path, relations: int, seed: int = 0) -> ScriptGraph:
    """A graph of about `relations` relations in the proportions of a real one: mostly instances and evidence."""
    chance = random.Random(seed)
    passages = max(10, relations // 5)
    sub_events = max(5, passages // 10)
    rows: Rows = {name: [] for name in TABLE_NAMES}
    ids = {
        name: [node_id(name, f"{name} {i}", str(i)) for i in range(count)]
        for name, count in {
            "Scenario": 50,
            "SubEvent": sub_events,
            "Action": sub_events,
            "Tool": 200,
            "Source": passages // 50 + 1,
            "Passage": passages,
            "Model": 1,
        }.items()
    }
    for i, identifier in enumerate(ids["Scenario"]):
        rows["Scenario"].append(
            {"id": identifier, "label": f"scenario {i}", "alternative_labels": [], "listed": True, "support": 5}
        )
    for i, identifier in enumerate(ids["SubEvent"]):
        rows["SubEvent"].append(
            {
                "id": identifier,
                "label": f"boil water {i}",
                "label_text": f"boil the water {i}",
                "scenario": ids["Scenario"][i % 50],
                "support": 2,
                "mentions": 3,
                "replaces": [],
            }
        )
        rows["Action"].append(
            {
                "id": ids["Action"][i],
                "label": f"boil water {i}",
                "label_text": f"boil the water {i}",
                "predicate": "boil",
                "object": f"water {i}",
                "support": 2,
            }
        )
    for i, identifier in enumerate(ids["Tool"]):
        rows["Tool"].append({"id": identifier, "label": f"tool {i}", "support": 3})
    for i, identifier in enumerate(ids["Source"]):
        rows["Source"].append(
            {"id": identifier, "name": f"story {i}", "digest": f"{i:064x}", "format": "text", "characters": 900}
        )
    rows["Model"].append(
        {"id": ids["Model"][0], "name": "rules", "version": "1", "digest": "0" * 64, "task": "reading"}
    )
    for i, identifier in enumerate(ids["Passage"]):
        source = ids["Source"][i // 50]
        rows["Passage"].append(
            {
                "id": identifier,
                "kind": "mention",
                "start": i % 50 * 20,
                "end": i % 50 * 20 + 12,
                "text": f"boil the water {i}",
                "source": source,
            }
        )
        rows["WITHIN"].append({"from_id": identifier, "to_id": source})
        rows["REALIZES"].append({"from_id": identifier, "to_id": ids["SubEvent"][i % sub_events], "score": 1.0})
        if i % 50:
            rows["NEXT"].append({"from_id": ids["Passage"][i - 1], "to_id": identifier})
    knowledge = [("EXPRESSED_AS", a, b) for a, b in zip(ids["SubEvent"], ids["Action"], strict=True)]
    knowledge += [("HAS_SUB_EVENT", ids["Scenario"][i % 50], b) for i, b in enumerate(ids["SubEvent"])]
    knowledge += [("USES", a, t) for a in ids["SubEvent"] for t in chance.sample(ids["Tool"], 2)]
    rank = {identifier: i // 50 + 1 for i, identifier in enumerate(ids["SubEvent"])}
    for name, start, end in knowledge:
        statement = node_id("Statement", "", start, name, end)
        rows["Statement"].append(
            {"id": statement, "subject": start, "relation": name, "object": end, "scenario": ids["Scenario"][0]}
        )
        row = {"from_id": start, "to_id": end, "support": 2, "probability": 0.5, "statement": statement}
        if name == "HAS_SUB_EVENT":
            row |= {"mean_position": 0.25, "rank": rank[end], "optional": True}
            row |= {"essential": False, "usual": True, "salience_rank": rank[end]}
        if name == "USES":
            row |= {"pmi": 1.25, "role": "instrument", "predicted": False, "inferred": False}
        rows[name].append(row)
        rows["READ_BY"].append({"from_id": statement, "to_id": ids["Model"][0], "score": 1.0})
        for passage in chance.sample(ids["Passage"], min(4, passages)):
            rows["EVIDENCED_BY"].append({"from_id": statement, "to_id": passage})
    return write_graph(directory, rows)
