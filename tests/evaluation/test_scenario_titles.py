"""The evaluation of titles: its scores, its gold data, and what the rule reaches."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.corpora.scenarios.labels import is_listed
from kgscripts.evaluation.counting import b_cubed_scores, pair_scores
from kgscripts.evaluation.result import Role
from kgscripts.evaluation.titles import SPLITS, evaluate_titles, gold_titles
from kgscripts.extractors.labels import LabelExtractor
from kgscripts.titles.keys import title_key
from schemas.provenance import Exposure
from schemas.scenario_documents import concept_scheme


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_scores_are_those_of_a_plain_count(titles: list[tuple[int, int]]) -> None:
    gold, found = zip(*titles, strict=True)
    scores, b_cubed = pair_scores(gold, found), b_cubed_scores(gold, found)
    pairs = [(gold[a] == gold[b], found[a] == found[b]) for a, b in combinations(range(len(gold)), 2)]
    right = pairs.count((True, True))
    merged, meant = sum(found for _, found in pairs), sum(gold for gold, _ in pairs)
    assert scores["precision"] == (pytest.approx(right / merged) if merged else 1)
    assert scores["recall"] == (pytest.approx(right / meant) if meant else 1)
    by_title = [[sum(pair == other for other in titles), found.count(pair[1]), gold.count(pair[0])] for pair in titles]
    assert b_cubed["precision"] == pytest.approx(sum(both / mine for both, mine, _ in by_title) / len(titles))
    assert b_cubed["recall"] == pytest.approx(sum(both / all_ for both, _, all_ in by_title) / len(titles))


def test_gold_titles_are_in_one_split_only() -> None:
    titles = {split: gold_titles(split) for split in SPLITS}
    labels = {concept.label for concept in concept_scheme()}
    for pairs in titles.values():
        assert len(pairs) > 200
        assert len({title for title, _ in pairs}) == len(pairs)
        assert all(group in labels for _, group in pairs if is_listed(group))
    groups = [{group for _, group in pairs} for pairs in titles.values()]
    assert groups[0].isdisjoint(groups[1])


@pytest.mark.parametrize(("split", "recall"), [("development", 0.9), ("test", 0.65)])
def test_hardly_any_titles_become_one_wrongly(split: str, recall: float) -> None:
    titles, groups = zip(*gold_titles(split), strict=True)
    scores = pair_scores(groups, [title_key(title) for title in titles])
    assert scores["precision"] >= 0.95
    assert scores["recall"] >= recall


def test_the_command() -> None:
    run = CliRunner().invoke
    printed = run(app, ["scenario-titles", "--split", "development", "--examples", "3"])
    assert printed.exit_code == 0, printed.output
    assert all(len(line) <= 80 for line in printed.output.splitlines())
    assert printed.output.count("same verb and object (in a build)\n") == 3


def test_the_scores_of_the_rule_are_those_that_ship() -> None:
    found = evaluate_titles("test")
    own, *others = found.systems
    assert {system.role for system in others} == {Role.BASELINE}
    assert found.benchmark_scores(own, Exposure.DEVELOPMENT) == LabelExtractor().scores(None)
