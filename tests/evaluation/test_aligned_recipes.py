"""Merged steps against aligned actions of recipes: by hand on a small dish, and floors on the real ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.evaluation.result import Evaluation, Role
from kgscripts.reproductions.steps.merging import GRAPH, KMEANS, MERGED, VERB_AND_OBJECT, evaluate_steps
from schemas.errors import InputError
from schemas.provenance import Exposure
from tests.corpora.cooking import alignments, write_dish
from tests.corpora.test_recipe_flow import rows


def test_figures_by_hand(tmp_path: Path) -> None:
    """Of three aligned pairs the last is in no mention; "boil rice" is in two places of the second recipe."""
    first = rows(
        "Boil/B-A", "the", "rice", ".", "Drain/B-A", "the", "rice", ".", "warm/B-A", "plates", "are", "nice", "."
    )
    second = rows("Boil/B-A", "the", "rice", ".", "Boil/B-A", "the", "rice", ".", "Salt", "is/B-A", "good", ".")
    aligned = alignments([("a", 1, "b", 1), ("a", 5, "b", 0), ("a", 9, "b", 10)])
    (found,) = evaluate_steps(ara=write_dish(tmp_path, first, second, aligned), thresholds=[0.9])
    assert (found.exposure, found.items["aligned pairs"], found.items["actions in a mention"]) == (
        Exposure.DEVELOPMENT,
        2,
        4,
    )
    rule = found.system(VERB_AND_OBJECT)
    assert rule["recall"] == 1 / 2
    assert rule["precision"] == 1 / 2  # "boil" with both
    assert rule["answers that are right"] == 1
    assert [system.name for system in found.systems] == [
        MERGED,
        VERB_AND_OBJECT,
        KMEANS,
        "merged, threshold 0.9",
        GRAPH,
    ]
    assert [system.role for system in found.systems] == [Role.MODEL] + [Role.BASELINE] * 4
    assert found.system(GRAPH).parts == ("plain rice",)
    assert all(len(item.gold) <= 1 for item in found.examples)


def test_a_higher_threshold_merges_less(tmp_path: Path) -> None:
    (found,) = evaluate_steps(ara=write_dish(tmp_path), thresholds=[0.02, 0.98])
    low, high = (found.system(f"merged, threshold {value}") for value in (0.02, 0.98))
    assert low["recall"] >= high["recall"]


def test_a_folder_without_dishes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dishes"):
        evaluate_steps(ara=tmp_path)


@pytest.fixture(scope="module")
def development(shared_corpora: Path) -> Evaluation:
    (found,) = evaluate_steps(ara=shared_corpora / "ara")
    return found


def test_development_dishes_reach_their_floors(development: Evaluation) -> None:
    assert development.items["aligned pairs"] == 540
    plain = max(development.system(name)["F1"] for name in (VERB_AND_OBJECT, KMEANS))
    for system in map(development.system, (MERGED, GRAPH)):
        assert system["recall"] >= 0.39
        assert system["precision"] >= 0.61
        assert system["F1"] > plain
