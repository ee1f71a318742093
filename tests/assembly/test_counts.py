"""Every number in the graph against the plain count of `oracle`."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import example, given, settings

from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph
from schemas.records import Document
from schemas.vocabulary import node_id
from tests.assembly import oracle
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.oracle import Step, Texts
from tests.assembly.salience_oracle import expected_marks, found_marks
from tests.assembly.tiny_reader import MANY_DOCUMENTS, OtherTinyExtractor, TinySegmenter, tiny

EXTRACTORS: dict[str, list[Extractor]] = {
    "labels": tiny(),
    "overlapping segments": [*tiny(), TinySegmenter()],
    "two readers of events": [*tiny(), TinySegmenter(), OtherTinyExtractor()],
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
@settings(max_examples=7)
@example(documents=[])
@given(documents=MANY_DOCUMENTS)
def test_every_number_is_what_the_plain_count_says(extractors: list[Extractor], documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        build_graph(output=folder, texts=documents, extractors=extractors)
        rows = graph_rows(Path(folder))
    texts = oracle.read(documents, extractors)
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
    place = {step: number for number, (_, step) in enumerate(sorted(steps.items()))}
    optional = oracle.optional(texts, place)
    assert {steps[row["to_id"]]: row["optional"] for row in rows["HAS_SUB_EVENT"]} == optional
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
    found = nx.DiGraph()
    for row in rows["PRECEDES"]:
        first, second = steps[row["from_id"]], steps[row["to_id"]]
        told, against = counts[first, second], counts[second, first]
        assert told > against
        assert row["support"] == told
        assert row["probability"] == oracle.share(told, told + against)
        # Likelihoods may differ by their last digit, since sums of floats are in another order.
        assert likelihoods[first, second] >= 599
        found.add_edge(first, second, margin=told - against)
    assert nx.is_directed_acyclic_graph(found)
    for (first, second), likely in likelihoods.items():
        if likely >= 601:
            # It is in the graph, directly or by a path of as much evidence, unless such a path denies it.
            margin = counts[first, second] - counts[second, first]
            strong = nx.DiGraph([edge[:2] for edge in found.edges(data="margin") if edge[2] >= margin])
            strong.add_nodes_from((first, second))
            assert nx.has_path(strong, first, second) or nx.has_path(strong, second, first)


def _check_ranks(rows: Rows) -> None:
    """Each scenario's ranks are 1, 2, ...; no relation contradicts them; the next is the earliest of what may come."""
    earlier = {(row["to_id"], row["from_id"]) for row in rows["PRECEDES"]}
    for scenario in {row["from_id"] for row in rows["HAS_SUB_EVENT"]}:
        ranked = sorted(
            (row for row in rows["HAS_SUB_EVENT"] if row["from_id"] == scenario), key=lambda row: int(row["rank"])
        )
        assert [row["rank"] for row in ranked] == list(range(1, len(ranked) + 1))
        for place, row in enumerate(ranked):
            left = {other["to_id"] for other in ranked[place:]}
            ready = [
                (other["mean_position"], other["to_id"])
                for other in ranked[place:]
                if not any((other["to_id"], before) in earlier for before in left)
            ]
            assert (row["mean_position"], row["to_id"]) == min(ready)
