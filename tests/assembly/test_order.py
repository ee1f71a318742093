"""Ranked pairs against a naive implementation, and their promises on random tournaments."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.assembly.tables.order import LEAST_PER_MILLE, Verdict, estimated_order, rank_pairs, topological_ranks
from kgscripts.assembly.tables.order_pairs import LONGEST_REACH
from kgscripts.pipeline import build_graph
from kgscripts.wilson import Z, lower_bound
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.tiny_reader import tiny, tiny_document

_PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] != pair[1]),
    st.tuples(st.integers(1, 6), st.integers(0, 5)),
    max_size=30,
)


@given(told=_PAIRS)
def test_verdicts_are_those_of_a_graph_search(told: dict[tuple[int, int], tuple[int, int]]) -> None:
    edges = {
        (first, second): odds for (first, second), odds in told.items() if (second, first) not in told or first < second
    }
    first = np.array([pair[0] for pair in edges], np.int64)
    second = np.array([pair[1] for pair in edges], np.int64)
    against = np.array([odds[1] for odds in edges.values()], np.int64)
    support = against + np.array([odds[0] for odds in edges.values()], np.int64)
    verdicts = rank_pairs(first, second, support, against, np.zeros(len(edges)))

    graph = nx.DiGraph()
    graph.add_nodes_from(range(8))
    ranked = sorted(
        zip(support - against, against, first, second, verdicts, strict=True), key=lambda r: (-r[0], *r[1:4])
    )
    for _, _, earlier, later, verdict in ranked:
        if nx.has_path(graph, later, earlier):
            assert verdict == Verdict.CONTRADICTED
        elif nx.has_path(graph, earlier, later):
            assert verdict == Verdict.IMPLIED
        else:
            assert verdict == Verdict.KEPT
            graph.add_edge(earlier, later)
    assert nx.is_directed_acyclic_graph(graph)


@given(told=_PAIRS, wanted=st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=8, unique=True))
def test_orders_that_people_give_come_first(
    told: dict[tuple[int, int], tuple[int, int]], wanted: list[tuple[int, int]]
) -> None:
    wanted = [pair for pair in wanted if pair[0] != pair[1]]
    others = [pair for pair in told if pair not in wanted and pair[::-1] not in wanted]
    others = [pair for pair in others if pair[::-1] not in told or pair[0] < pair[1]]
    pairs = [*wanted, *others]
    first, second = (np.array([pair[place] for pair in pairs], np.int64) for place in (0, 1))
    against = np.array([*([9] * len(wanted)), *(told[pair][1] for pair in others)], np.int64)
    support = np.array([*([0] * len(wanted)), *(sum(told[pair]) for pair in others)], np.int64)
    verdicts = rank_pairs(first, second, support, against, np.zeros(len(pairs)), len(wanted))

    graph = nx.DiGraph()
    graph.add_nodes_from(range(8))
    for pair, verdict in zip(wanted, verdicts, strict=False):
        refused = nx.has_path(graph, pair[1], pair[0])
        assert verdict == (Verdict.CONTRADICTED if refused else Verdict.KEPT)
        if not refused:
            graph.add_edge(*pair)
    for pair, verdict in zip(others, verdicts[len(wanted) :], strict=True):
        if verdict == Verdict.KEPT:
            graph.add_edge(*pair)
    assert nx.is_directed_acyclic_graph(graph)


def test_the_weakest_pair_of_a_cycle_gives_way() -> None:
    # Boil before add (5 : 0), add before drain (4 : 1), drain before boil (3 : 2).
    verdicts = rank_pairs(
        np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([5, 4, 3]), np.array([0, 1, 2]), np.zeros(3)
    )
    assert verdicts.tolist() == [Verdict.KEPT, Verdict.KEPT, Verdict.CONTRADICTED]


def test_near_steps_come_first_so_that_a_chain_stays_a_chain() -> None:
    verdicts = rank_pairs(
        np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([2, 2, 2]), np.zeros(3, np.int64), np.array([1.0, 0.5, 0.5])
    )
    assert verdicts.tolist() == [Verdict.IMPLIED, Verdict.KEPT, Verdict.KEPT]


def test_places_make_up_for_sources_that_are_few() -> None:
    # Fill, boil, add, drain, eat: ten sources have neighbours in this order; one has "eat" before "fill".
    earlier, later = np.array([0, 1, 2, 3, 4]), np.array([1, 2, 3, 4, 0])
    likely = estimated_order(earlier, later, np.array([10, 10, 10, 10, 1]), np.zeros(5, np.int64))
    assert (likely[:4] > 900).all()
    assert likely[4] < LEAST_PER_MILLE
    # Without others, four sources of seven are too few, and a single source is enough.
    pair = np.array([0]), np.array([1])
    assert estimated_order(*pair, np.array([4]), np.array([3]))[0] < LEAST_PER_MILLE
    assert estimated_order(*pair, np.array([1]), np.array([0]))[0] >= LEAST_PER_MILLE


@given(told=_PAIRS)
def test_the_order_of_a_pair_is_as_likely_as_its_reverse_is_not(told: dict[tuple[int, int], tuple[int, int]]) -> None:
    first, second = (np.array([pair[place] for pair in told], np.int64) for place in (0, 1))
    support, against = (np.array([odds[place] for odds in told.values()], np.int64) for place in (0, 1))
    likely = estimated_order(first, second, support, against)
    turned = estimated_order(second, first, against, support)
    assert np.abs(likely + turned - 1000).max(initial=0) <= 1
    assert ((likely >= 0) & (likely <= 1000)).all()


def test_pairs_of_a_long_source_stay_few(tmp_path: Path) -> None:
    steps = LONGEST_REACH + 30
    text = " ".join(f"boil the pot{number:03d}." for number in range(steps))
    build_graph(output=tmp_path, texts=[tiny_document(text, scenario="cooking pasta")], extractors=tiny())
    rows = graph_rows(tmp_path)
    # The chain is found, and what lies farther apart than the reach follows from it.
    assert len(rows["PRECEDES"]) == steps - 1
    assert [row["rank"] for row in sorted(rows["HAS_SUB_EVENT"], key=lambda row: str(row["to_id"]))] == list(
        range(1, steps + 1)
    )


def test_ranks_follow_the_pairs_and_else_the_keys() -> None:
    assert topological_ranks(4, [3, 0], [0, 1], [0.5, 0.1, 0.2, 0.9]) == [3, 4, 1, 2]
    assert topological_ranks(0, [], [], []) == []


@given(st.integers(1, 500), st.integers(0, 500))
def test_the_lower_bound_is_what_the_score_test_just_does_not_reject(number: int, right: int) -> None:
    """Wilson (1927): a share below the end differs by more than Z standard errors of its own, one above does not."""
    right = min(right, number)
    found, end = right / number, lower_bound(right, number)

    def rejected(share: float) -> bool:
        return (found - share) ** 2 > Z**2 * share * (1 - share) / number

    assert end == 0 or rejected(end - 0.001)
    assert not rejected(min(end + 0.001, found))


_WORDS = {"b": "Boil the water.", "c": "Cut the bread.", "p": "Pour the water.", "e": "Eat the bread."}
_TOLD = {
    "making tea": ["bp"],
    "making coffee": 4 * ["bp"],
    "having lunch": 4 * ["bc"],
    "making soup": [*8 * ["bp"], *2 * ["pb"]],
    "having dinner": [*8 * ["bc"], *2 * ["cb"]],
    "having breakfast": [*17 * ["bc"], *3 * ["cb"]],
    "having tea": [*6 * ["cbp"], *2 * ["bpc"]],
}
"""For each scenario, the orders of its texts."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    directory = tmp_path_factory.mktemp("told")
    orders = [(scenario, order) for scenario, of_scenario in _TOLD.items() for order in of_scenario]
    texts = [
        {"id": str(at), "scenario": scenario, "steps": [f"Number {at}.", *(_WORDS[one] for one in order)]}
        for at, (scenario, order) in enumerate(orders)
    ]
    build_graph(output=directory, texts=texts, extractors=["labels", "sentences", "events"])
    return graph_rows(directory)


def _ranks(rows: Rows, scenario: str) -> dict[str, tuple[int, str]]:
    """By step of a scenario, its rank and its letter."""
    (of_scenario,) = (row["id"] for row in rows["Scenario"] if row["label"] == scenario)
    names = labels(rows, "SubEvent")
    return {
        row["to_id"]: (row["rank"], names[row["to_id"]][0])
        for row in rows["HAS_SUB_EVENT"]
        if row["from_id"] == of_scenario
    }


def _kept(rows: Rows, scenario: str) -> dict[tuple[str, str], tuple[int, float, float, bool]]:
    ranks = _ranks(rows, scenario)
    kept = [row for row in rows["PRECEDES"] if row["from_id"] in ranks]
    assert all(ranks[row["from_id"]] < ranks[row["to_id"]] for row in kept)
    return {
        (ranks[row["from_id"]][1], ranks[row["to_id"]][1]): (
            *(row["support"], row["probability"]),
            *(row["lower"], row["required"]),
        )
        for row in kept
    }


def test_what_all_sources_tell_is_kept_however_few_they_are(told: Rows) -> None:
    assert _kept(told, "making tea") == {("b", "p"): (1, 1.0, 0.207, False)}
    # Both steps have to do with water, and four sources tell this order.
    assert _kept(told, "making coffee") == {("b", "p"): (4, 1.0, 0.51, True)}
    assert _kept(told, "having lunch") == {("b", "c"): (4, 1.0, 0.51, False)}


def test_what_sources_tell_both_ways_is_open_unless_clear(told: Rows) -> None:
    # 8 of 10 have a lower bound of 0.49: enough for two steps with a thing in common, and for no others.
    assert _kept(told, "making soup") == {("b", "p"): (8, 0.8, 0.49, False)}
    assert _kept(told, "having dinner") == {}
    assert _kept(told, "having breakfast") == {("b", "c"): (17, 0.85, 0.64, False)}


def test_ranks_follow_most_sources_where_the_order_is_open(told: Rows) -> None:
    assert [letter for _, letter in sorted(_ranks(told, "having tea").values())] == ["c", "b", "p"]
