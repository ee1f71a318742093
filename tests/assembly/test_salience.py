"""Which steps are usual, and in which order they are chosen, against a plain computation."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.assembly.engine import Engine
from kgscripts.assembly.tables.typicality import COMMON_PER_CENT, LEAST_TOLD, salience_ranks, usual_steps
from kgscripts.typicality.importance import shipped_importance
from kgscripts.typicality.weights import shipped_weights
from schemas.graph_types import RELATION_TYPES
from tests.assembly.built import Rows
from tests.assembly.salience_oracle import Marks, expected_marks

LEAST = shipped_importance().least_essential
_LABELS = ["boil", "boil it", "boil water", "put water", "put down water", "put water in pot"]
_ACTIONS = [
    {"id": number, "label": label, "predicate": predicate, "particle": particle, "object": thing, "preposition": place}
    for number, (label, predicate, particle, thing, place) in enumerate(
        [
            ("boil", "boil", "", "", ""),
            ("boil it", "boil", "", "it", ""),
            ("boil water", "boil", "", "water", ""),
            ("put water", "put", "", "water", ""),
            ("put down water", "put", "down", "water", ""),
            ("put down water", "put", "", "water", "down"),
            ("put water in pot", "put", "", "water", "in"),
            ("put down", "put", "down", "", ""),
        ],
        start=1,
    )
]
_WORDS = ("label", "predicate", "particle", "object", "preposition")
_ENDS = [("start", pa.int32()), ("end", pa.int32()), ("support", pa.int64()), ("added", pa.bool_())]
_SCHEMAS = {
    **dict.fromkeys(
        ("named_step", "step"), pa.schema([("step", pa.int32()), ("scenario", pa.int32()), ("label", pa.string())])
    ),
    "action": pa.schema([("action", pa.int32()), *((name, pa.string()) for name in _WORDS)]),
    "has_sub_event": pa.schema([*_ENDS, ("mean_position", pa.float64())]),
    "expressed_as": pa.schema(_ENDS),
    "added_has_sub_event": pa.schema(_ENDS[:2]),
    "segment": pa.schema([("scenario", pa.int32()), ("document", pa.int32())]),
    "realization": pa.schema(
        [*((name, pa.int32()) for name in ("scenario", "step", "document")), ("instructed", pa.bool_())]
    ),
    "written_step": pa.schema([("document", pa.int32()), ("scenario", pa.int32())]),
    "step_typicality": pa.schema(
        [
            ("step", pa.int32()),
            *((name, pa.float64()) for name in ("typicality", "essential_probability", "optional_probability")),
        ]
    ),
    "step_as_written": pa.schema([("step", pa.int32()), ("name", pa.string()), ("importance", pa.string())]),
}


@st.composite
def _graphs(draw: st.DrawFn) -> Rows:
    """Steps of two scenarios and of none, with many ties."""
    rows: Rows = {"SubEvent": [], "HAS_SUB_EVENT": [], "EXPRESSED_AS": [], "Action": _ACTIONS}
    rows["Scenario"] = [{"id": scenario, "support": draw(st.integers(4, 11))} for scenario in (1, 2)]
    for step in range(1, draw(st.integers(1, 15)) + 1):
        scenario, support = draw(st.integers(0, 2)), draw(st.integers(1, 4))
        rows["SubEvent"].append({"id": step, "label": draw(st.sampled_from(_LABELS)), "scenario": scenario})
        for action in draw(st.sets(st.sampled_from(range(1, len(_ACTIONS) + 1)), max_size=4)):
            told = draw(st.integers(1, support))
            rows["EXPRESSED_AS"].append({"from_id": step, "to_id": action, "support": told})
        if scenario:
            position = draw(st.sampled_from([0.25, 0.5]))
            typicality = draw(st.sampled_from([None, 0.3, 0.6199, 0.62, 0.7, 1.0]))
            essential = draw(st.sampled_from([0.1, LEAST - 0.01, LEAST, 0.9]))
            ends = {"from_id": scenario, "to_id": step}
            rows["HAS_SUB_EVENT"].append(
                ends
                | {"support": support, "mean_position": position, "typicality": typicality}
                | {"added": draw(st.sampled_from([False, False, True])), "essential_probability": essential}
                # What has no vector has neither probability.
                | {"essential": typicality is not None and essential >= LEAST}
            )
    return rows


def _marks(rows: Rows, *, min_support: int = 1, partitions: int = 1) -> Marks:
    """What the rules find in the tables of assembly that these rows come from."""
    ends = {
        name: [{"added": False} | row | {"start": row["from_id"], "end": row["to_id"]} for row in rows[name.upper()]]
        for name in ("has_sub_event", "expressed_as")
    }
    tables = ends | {
        "named_step": [row | {"step": row["id"]} for row in rows["SubEvent"]],
        "step": [row | {"step": row["id"]} for row in rows["SubEvent"]],
        "added_has_sub_event": [row for row in ends["has_sub_event"] if row["added"]],
        "action": [row | {"action": row["id"]} for row in rows["Action"]],
        "step_typicality": [
            row | {"step": row["end"]} for row in ends["has_sub_event"] if row["typicality"] is not None
        ],
        "segment": [
            {"scenario": row["id"], "document": number} for row in rows["Scenario"] for number in range(row["support"])
        ],
        # Two mentions in each source.
        "realization": 2
        * [
            {"scenario": row["start"], "step": row["end"], "document": number}
            for row in ends["has_sub_event"]
            for number in range(row["support"])
        ],
    }
    with TemporaryDirectory() as folder:
        scratch = Path(folder, "graph", "next", "scratch")
        with Engine(scratch, memory=None, partitions=partitions, min_support=min_support, records=0) as engine:
            for name, schema in _SCHEMAS.items():
                engine.add(name, pa.Table.from_pylist(tables.get(name, []), schema))
            engine.run(usual_steps())
            engine.run(salience_ranks())
            found = engine.table("FROM step_salience_rank JOIN step_usual USING (step)").to_pylist()
    return {row["step"]: (row["usual"], row["salience_rank"]) for row in found}


@settings(max_examples=15)
@given(rows=_graphs(), min_support=st.integers(1, 3), partitions=st.sampled_from([1, 3]))
def test_steps_are_chosen_as_the_plain_computation_says(rows: Rows, min_support: int, partitions: int) -> None:
    kept = rows | {
        name: [row for row in rows[name] if row["support"] >= min_support or row.get("added")]
        for name in ("HAS_SUB_EVENT", "EXPRESSED_AS")
    }
    assert _marks(rows, min_support=min_support, partitions=partitions) == expected_marks(kept)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"verbatim": 1}),
        ({}, {"typicality": 0.9}),
        ({}, {"typicality": 0.5, "support": 40}),
        ({}, {"support": 3}),
        ({"added": True, "support": 0}, {}),
        ({"support": 41, "typicality": 0.1}, {"support": 40}),
        ({}, {"label": "boil"}),
        ({}, {"label": "boil it"}),
        ({}, {"label": "put water"}),
        ({"label": "put down water"}, {"label": "put water"}),
        ({"label": "put water in pot"}, {"label": "put water"}),
        ({"label": "put down"}, {"label": "boil it"}),
        ({"support": 3, "typicality": 0.1, "essential": True}, {"support": 40, "typicality": 0.9}),
        ({"support": 3, "typicality": 0.9}, {"support": 2, "typicality": 0.9, "essential": True}),
    ],
)
def test_the_one_step_is_chosen_before_the_other(one: dict[str, Any], other: dict[str, Any]) -> None:
    rows: Rows = {"SubEvent": [], "HAS_SUB_EVENT": [], "EXPRESSED_AS": [], "Action": _ACTIONS}
    rows["Scenario"] = [{"id": 7, "support": 101}]
    actions = {row["label"]: row["id"] for row in _ACTIONS}
    for number, changed in ((2, one), (1, other)):
        step: dict[str, Any] = {"label": "boil water", "support": 4, "verbatim": 4, "typicality": None} | changed
        step["essential_probability"] = float(step.get("essential", False))
        ends = {"from_id": 7, "to_id": number}
        rows["SubEvent"].append({"id": number, "scenario": 7, "label": step["label"]})
        rows["HAS_SUB_EVENT"].append(ends | {"mean_position": 0.5} | step)
        support = min(step["verbatim"], step["support"])
        rows["EXPRESSED_AS"].append({"from_id": number, "to_id": actions[step["label"]], "support": support})
    assert {step: rank for step, (_, rank) in _marks(rows).items()} == {2: 1, 1: 2}


@pytest.mark.parametrize(
    ("support", "sources", "usual"), [(4, 10, True), (3, 7, True), (3, 8, False), (2, 2, True), (39, 100, False)]
)
def test_a_step_that_many_sources_tell_is_usual_whatever_its_typicality(
    support: int, sources: int, usual: bool
) -> None:
    step = {"from_id": 7, "to_id": 1, "mean_position": 0.5, "typicality": 0.1, "support": support}
    rows: Rows = {
        "SubEvent": [{"id": 1, "scenario": 7, "label": "boil water"}],
        "HAS_SUB_EVENT": [step],
        "EXPRESSED_AS": [],
        "Action": _ACTIONS,
        "Scenario": [{"id": 7, "support": sources}],
    }
    assert _marks(rows) == {1: (usual, 1)}


@pytest.mark.parametrize(
    ("essential", "optional", "found"),
    [
        (LEAST, 0.9, (True, True, False)),
        (LEAST - 0.01, 0.5, (False, False, True)),
        (0.1, 0.49, (False, False, False)),
        (None, None, (False, False, False)),
    ],
)
def test_an_essential_step_is_usual_and_not_optional(
    essential: float | None, optional: float | None, found: tuple[bool, bool, bool]
) -> None:
    typical = {"step": 1, "typicality": 0.1, "essential_probability": essential, "optional_probability": optional}
    tables: dict[str, list[dict[str, Any]]] = {
        "named_step": [{"step": 1, "scenario": 7, "label": "boil water"}],
        "step_typicality": [typical],
        "segment": [{"scenario": 7, "document": document} for document in range(LEAST_TOLD)],
    }
    with TemporaryDirectory() as folder:
        scratch = Path(folder, "graph", "next", "scratch")
        with Engine(scratch, memory=None, partitions=1, min_support=1, records=0) as engine:
            for name, schema in _SCHEMAS.items():
                engine.add(name, pa.Table.from_pylist(tables.get(name, []), schema))
            engine.run(usual_steps())
            (row,) = engine.table("FROM step_usual").to_pylist()
    assert (row["usual"], row["essential"], row["optional"]) == found


@pytest.mark.parametrize(
    ("instructed", "told", "written", "usual"),
    [(False, 3, False, False), (True, 1, False, True), (True, 1, True, False), (True, 2, True, True)],
)
def test_what_a_text_instructs_is_usual_unless_a_script_lacks_it_and_no_other_text_tells_it(
    instructed: bool, told: int, written: bool, usual: bool
) -> None:
    tables: dict[str, list[dict[str, Any]]] = {
        "named_step": [{"step": 1, "scenario": 7, "label": "boil water"}],
        "step_typicality": [{"step": 1, "typicality": 0.1}],
        "segment": [{"scenario": 7, "document": document} for document in range(20)],
        "realization": [
            {"scenario": 7, "step": 1, "document": document, "instructed": instructed} for document in range(told)
        ],
        "written_step": [{"document": 19, "scenario": 7}] if written else [],
    }
    with TemporaryDirectory() as folder:
        scratch = Path(folder, "graph", "next", "scratch")
        with Engine(scratch, memory=None, partitions=1, min_support=1, records=0) as engine:
            for name, schema in _SCHEMAS.items():
                engine.add(name, pa.Table.from_pylist(tables.get(name, []), schema))
            engine.run(usual_steps())
            (row,) = engine.table("FROM step_usual").to_pylist()
    assert row["usual"] is usual


def test_the_documents_name_the_thresholds_that_ship() -> None:
    comments = {item.name: item.comment for item in RELATION_TYPES["HAS_SUB_EVENT"].properties}
    assert f"its typicality is {shipped_weights().usual} or more" in comments["usual"]
    assert f"at least {LEAST_TOLD} sources and {COMMON_PER_CENT} % of them tell it" in comments["usual"]
