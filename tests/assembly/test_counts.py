"""Every number in the graph against the plain count of `oracle`; `test_changes` has those of two readers of events."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import example, given, settings

from kgscripts.assembly.tables.order import LEAST_BOUND, LEAST_SHARED_BOUND
from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph
from kgscripts.wilson import lower_bound
from schemas.records import Document
from schemas.vocabulary import node_id
from tests.assembly import oracle
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.oracle import Step, Texts
from tests.assembly.salience_oracle import expected_marks, found_marks
from tests.assembly.tiny_reader import MANY_DOCUMENTS, TinySegmenter, tiny

EXTRACTORS: dict[str, list[Extractor]] = {
    "labels": tiny(),
    "overlapping segments": [*tiny(), TinySegmenter()],
}
_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")


def steps_of(rows: Rows) -> dict[str, Step]:
    """What each SubEvent is, read off its actions: those with a noun, or with a pronoun if all have one."""
    scenarios = labels(rows, "Scenario")
    actions = {row["id"]: tuple(row[part] or "" for part in _PARTS) for row in rows["Action"]}
    scenario_of = {row["id"]: row["scenario"] for row in rows["SubEvent"]}
    steps: dict[str, Step] = {}
    for row in sorted(rows["EXPRESSED_AS"], key=lambda row: actions[row["to_id"]][2] in oracle.PRONOUNS):
        key = actions[row["to_id"]]
        if key[2] in oracle.PRONOUNS and row["from_id"] in steps and steps[row["from_id"]].shared[2] != key[2]:
            continue
        scenario = scenario_of[row["from_id"]]
        step = Step(scenarios[scenario] if scenario else "", key[:3] if key[2] else key)
        assert steps.setdefault(row["from_id"], step) == step
    return steps


@pytest.mark.parametrize("extractors", EXTRACTORS.values(), ids=EXTRACTORS)
@settings(max_examples=2)
@example(documents=[])
@given(documents=MANY_DOCUMENTS)
def test_every_number_is_what_the_plain_count_says(extractors: list[Extractor], documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build_graph(output=folder, texts=documents, extractors=extractors)
        rows = graph_rows(Path(folder))
    check_numbers(rows, oracle.read(documents, extractors))


def check_numbers(rows: Rows, texts: Texts) -> None:
    """Hold a graph against the plain count of what was read in its texts."""
    steps, scenarios = steps_of(rows), labels(rows, "Scenario")
    keys = {row["id"]: tuple(row[part] or "" for part in _PARTS) for row in rows["Action"]}
    names = labels(rows, "Tool") | labels(rows, "Entity")

    assert {
        (
            scenarios[row["from_id"]],
            steps[row["to_id"]],
            *(row[name] for name in ("support", "probability", "mean_position")),
        )
        for row in rows["HAS_SUB_EVENT"]
    } == oracle.has_sub_event(texts)
    whole = {key: " ".join(filter(None, both)) for key, both in oracle.label_texts(texts).items()}
    assert {keys[row["id"]]: row["label_text"] for row in rows["Action"]} == whole
    expressed = [(row["from_id"], keys[row["to_id"]]) for row in rows["EXPRESSED_AS"]]
    for row in rows["SubEvent"]:
        said = oracle.label_texts(texts, scenarios.get(row["scenario"], ""))
        own = [key for step, key in expressed if step == row["id"]]
        same = {" ".join(filter(None, said[key])) for key in own if " ".join(filter(None, key)) == row["label"]}
        without_place = {said[key][0] for key in own if " ".join(filter(None, key[:3])) == row["label"]}
        assert row["label_text"] in (same or without_place)
    assert {
        (steps[row["from_id"]], keys[row["to_id"]], row["support"], row["probability"]) for row in rows["EXPRESSED_AS"]
    } == oracle.expressed_as(texts)
    assert {
        (steps[row["from_id"]], names[row["to_id"]], *(row[name] for name in ("support", "probability", "pmi", "role")))
        for row in rows["USES"]
    } == oracle.named_by(texts, "tools")
    assert {
        (steps[row["from_id"]], names[row["to_id"]], *(row[name] for name in ("support", "probability", "pmi", "role")))
        for row in rows["HAS_PARTICIPANT"]
    } == oracle.named_by(texts, "participants")
    assert {(steps[row["id"]], row["support"], row["mentions"]) for row in rows["SubEvent"]} == {
        (step, oracle.support(texts.of_step(step)), len(texts.of_step(step))) for step in texts.steps()
    }
    assert {(scenarios[row["id"]], row["support"]) for row in rows["Scenario"]} == {
        (scenario, sum(scenario in about for about in texts.about.values()))
        for scenario in set().union(*texts.about.values())
    }
    _check_identity(rows, steps, texts)
    _check_order(rows, steps, texts)
    _check_ranks(rows)
    assert found_marks(rows) == expected_marks(rows)


def _check_identity(rows: Rows, steps: dict[str, Step], texts: Texts) -> None:
    """Each sub-event has the id of its leading action, and lists those of its others."""
    scenarios = {row["label"]: row["id"] for row in rows["Scenario"]}
    leading = oracle.leading_actions(texts)

    def identifier(step: Step, action: tuple[str, ...]) -> str:
        words = " ".join(part for part in action if part)
        return node_id("SubEvent", words, scenarios.get(step.scenario, ""), *action)

    for row in rows["SubEvent"]:
        leader, others = leading[steps[row["id"]]]
        assert row["id"] == identifier(steps[row["id"]], leader)
        assert row["replaces"] == sorted(identifier(steps[row["id"]], other) for other in others)


def _check_order(rows: Rows, steps: dict[str, Step], texts: Texts) -> None:
    counts = oracle.orders(texts)
    likelihoods: dict[tuple[Step, Step], int] = {}
    for scenario in {first.scenario for first, _ in counts}:
        of_scenario = Counter({pair: number for pair, number in counts.items() if pair[0].scenario == scenario})
        likelihoods |= oracle.likelihoods(of_scenario)
    ranks = {steps[row["to_id"]]: row["rank"] for row in rows["HAS_SUB_EVENT"]}
    found = nx.DiGraph()
    for row in rows["PRECEDES"]:
        first, second = steps[row["from_id"]], steps[row["to_id"]]
        told, against = counts[first, second], counts[second, first]
        assert told > against
        assert row["support"] == told
        assert row["probability"] == oracle.share(told, told + against)
        assert row["lower"] == lower_bound(told, told + against)
        assert not against or 1000 * row["lower"] >= LEAST_SHARED_BOUND
        assert row["required"] or row["lower"] < 0.7
        assert ranks[first] < ranks[second]
        found.add_edge(first, second, margin=told - against)
    for (first, second), told in counts.items():
        against = counts[second, first]
        sure = told > against and (not against or 1000 * lower_bound(told, told + against) >= LEAST_BOUND)
        if sure and ranks[first] < ranks[second]:
            # It is in the graph, directly or by a path of as much evidence.
            strong = nx.DiGraph([edge[:2] for edge in found.edges(data="margin") if edge[2] >= told - against])
            strong.add_nodes_from((first, second))
            assert nx.has_path(strong, first, second)
        # Likelihoods may differ by their last digit, since sums of floats are in another order. A likely order is that
        # of the ranks, unless a chain of orders with as much evidence denies it.
        if likelihoods.get((first, second), 0) >= 601 and ranks[first] > ranks[second]:
            chain = nx.DiGraph(
                pair
                for pair, number in counts.items()
                if number - counts[pair[::-1]] >= max(1, told - against) and likelihoods.get(pair, 0) >= 599
            )
            chain.add_nodes_from((first, second))
            assert nx.has_path(chain, second, first)


def _check_ranks(rows: Rows) -> None:
    """Each scenario's ranks are 1, 2, ..."""
    for scenario in {row["from_id"] for row in rows["HAS_SUB_EVENT"]}:
        ranks = sorted(row["rank"] for row in rows["HAS_SUB_EVENT"] if row["from_id"] == scenario)
        assert ranks == list(range(1, len(ranks) + 1))
