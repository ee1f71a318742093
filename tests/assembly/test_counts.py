"""Every number in the graph against the plain count of `oracle`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
from hypothesis import given, settings

from kgscripts.pipeline import build_graph
from schemas.records import Document
from tests.assembly import oracle
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.oracle import Step
from tests.assembly.tiny_reader import DOCUMENTS, TinyReader


def _steps(rows: Rows) -> dict[str, Step]:
    """What each SubEvent is, read off its actions."""
    scenarios = labels(rows, "Scenario")
    actions = {row["id"]: row for row in rows["Action"]}
    steps: dict[str, Step] = {}
    for row in rows["EXPRESSED_AS"]:
        action = actions[row["to_id"]]
        key = tuple(action[part] or "" for part in ("predicate", "particle", "object", "preposition"))
        shared = key[:3] if action["object"] else (*key, action["prepositional_object"] or "")
        scenario = next(step["scenario"] for step in rows["SubEvent"] if step["id"] == row["from_id"])
        step = Step(scenarios[scenario] if scenario else "", shared)
        assert steps.setdefault(row["from_id"], step) == step
    return steps


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS)
def test_every_number_is_what_the_plain_count_says(documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build_graph(output=folder, texts=documents, reader=TinyReader())
        rows = graph_rows(Path(folder))
    steps, scenarios, mentions = _steps(rows), labels(rows, "Scenario"), oracle.mentions_of(documents)
    keys = {
        row["id"]: tuple(
            row[part] or "" for part in ("predicate", "particle", "object", "preposition", "prepositional_object")
        )
        for row in rows["Action"]
    }
    names = labels(rows, "Tool") | labels(rows, "Entity")

    assert {
        (
            scenarios[row["from_id"]],
            steps[row["to_id"]],
            *(row[name] for name in ("support", "probability", "mean_position", "optional")),
        )
        for row in rows["HAS_SUB_EVENT"]
    } == oracle.has_sub_event(documents, mentions)
    assert {
        (steps[row["from_id"]], keys[row["to_id"]], row["support"], row["probability"]) for row in rows["EXPRESSED_AS"]
    } == oracle.expressed_as(mentions)
    assert {
        (steps[row["from_id"]], names[row["to_id"]], *(row[name] for name in ("support", "probability", "pmi")))
        for row in rows["USES"]
    } == oracle.named_by(mentions, "tools")
    assert {
        (steps[row["from_id"]], names[row["to_id"]], *(row[name] for name in ("support", "probability", "pmi", "role")))
        for row in rows["HAS_PARTICIPANT"]
    } == oracle.named_by(mentions, "participants")
    assert {(steps[row["id"]], row["support"], row["mentions"]) for row in rows["SubEvent"]} == {
        (step, oracle.support(told), len(told))
        for step in {mention.step for mention in mentions}
        for told in [[mention for mention in mentions if mention.step == step]]
    }
    _check_order(rows, steps, mentions)
    _check_ranks(rows)


def _check_order(rows: Rows, steps: dict[str, Step], mentions: Sequence[oracle.Mention]) -> None:
    counts = oracle.orders(mentions)
    majority = oracle.majority(counts)
    found = nx.DiGraph()
    for row in rows["PRECEDES"]:
        first, second = steps[row["from_id"]], steps[row["to_id"]]
        told, against = counts[first, second], counts[second, first]
        assert told > against
        assert row["support"] == told
        assert row["probability"] == round(told / (told + against), 4)
        found.add_edge(first, second, margin=told - against)
    assert nx.is_directed_acyclic_graph(found)
    for first, second, margin in majority.edges(data="margin"):
        # Every majority is in the graph, directly or by a path of as much evidence, unless such a path denies it.
        strong = nx.DiGraph([edge[:2] for edge in found.edges(data="margin") if edge[2] >= margin])
        strong.add_nodes_from((first, second))
        assert nx.has_path(strong, first, second) or nx.has_path(strong, second, first)


def _check_ranks(rows: Rows) -> None:
    """Each scenario's ranks are 1, 2, ...; no relation contradicts them; the next is the earliest of what may come."""
    earlier = {(row["to_id"], row["from_id"]) for row in rows["PRECEDES"]}
    for scenario in {row["from_id"] for row in rows["HAS_SUB_EVENT"]}:
        told = sorted(
            (row for row in rows["HAS_SUB_EVENT"] if row["from_id"] == scenario), key=lambda row: int(row["rank"])
        )
        assert [row["rank"] for row in told] == list(range(1, len(told) + 1))
        for place, row in enumerate(told):
            left = {other["to_id"] for other in told[place:]}
            ready = [
                (other["mean_position"], other["to_id"])
                for other in told[place:]
                if not any((other["to_id"], before) in earlier for before in left)
            ]
            assert (row["mean_position"], row["to_id"]) == min(ready)
