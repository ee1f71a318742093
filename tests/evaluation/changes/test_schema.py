"""The scores of OpenPI 2.0 against figures computed by hand, and against the published evaluator."""

from __future__ import annotations

import ast
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscripts.reproductions.openpi.schema import (
    GOLD,
    PUBLISHED,
    Count,
    StepAnswer,
    count_schema,
    count_schemas,
    normalised,
    published_files,
    read_schema_answers,
    read_schema_gold,
)
from tests.evaluation.changes.kettle import ANSWER, PROCEDURE, write_json


def _counts(folder: Path, answer: Sequence[StepAnswer]) -> dict[str, Count]:
    gold = read_schema_gold(write_json(folder / "gold.json", {"1": PROCEDURE}))
    return count_schema(gold["1"], answer)


def test_names_are_compared_without_case_and_one_article() -> None:
    assert [*map(normalised, ("The pan", "a Pan", "An egg", "the the", "theory", "anise", "a", ""))] == [
        "pan",
        "pan",
        "egg",
        "the",
        "theory",
        "anise",
        "a",
        "",
    ]


def test_counts_by_hand(tmp_path: Path) -> None:
    found = _counts(tmp_path, ANSWER)
    # "The kettle" finds nothing, since it is not compared as written, but it is right.
    assert found["entities"] == Count(gold=2, found=2, predicted=4, right=3)
    # The volume of the tea kettle is found, and right, in both steps; it is one of five distinct pairs.
    assert found["attributes"] == Count(gold=3, found=3, predicted=5, right=4)
    assert found["entities a step"] == Count(gold=3, found=3, predicted=5, right=4)
    # One attribute of the kettle for two entities, then one of the kettle and one of the water for three.
    assert found["attributes a step"] == Count(gold=8, found=2, predicted=6, right=4)
    assert found["attributes a step"].score == (4 / 6, 2 / 8, 4 / 11)


def test_right_pairs_count_until_their_leading_names_are_answered(tmp_path: Path) -> None:
    other = _counts(tmp_path, [{"tea kettle": ["volume"]}, {"tea kettle": ["volume"]}])["attributes"]
    assert (other.predicted, other.right, other.score.precision) == (1, 2, 1.0)
    leading = _counts(tmp_path, [{"kettle": ["fullness"], "tea kettle": ["volume"]}, {"kettle": ["fullness"]}])[
        "attributes"
    ]
    assert (leading.predicted, leading.right, leading.found) == (2, 1, 3)


def test_a_right_answer_for_another_step_is_right_but_finds_nothing(tmp_path: Path) -> None:
    found = _counts(tmp_path, [{"water": ["temperature"]}, {}])
    assert found["entities a step"] == Count(gold=3, found=0, predicted=1, right=1)
    assert found["attributes a step"] == Count(gold=1, found=0, predicted=1, right=1)


@pytest.mark.parametrize("answer", [[{}, {}], [{"": []}, {"the ": [""]}]])
def test_answers_without_anything_right_score_0(tmp_path: Path, answer: Sequence[StepAnswer]) -> None:
    assert {part for count in _counts(tmp_path, answer).values() for part in count.score} == {0.0}


def test_counts_of_procedures_are_added(tmp_path: Path) -> None:
    gold = read_schema_gold(write_json(tmp_path / "gold.json", {"1": PROCEDURE, "2": PROCEDURE}))
    one = count_schemas({"1": gold["1"]}, {"1": ANSWER})
    both = count_schemas(gold, {"2": ANSWER, "1": ANSWER})
    assert both == {name: count + count for name, count in one.items()}
    assert [count.score for count in both.values()] == [count.score for count in one.values()]


def _by_the_evaluator(evaluator: Path, folder: Path, gold: Path, answers: object) -> list[dict[str, float]]:
    """What the published evaluator prints for a gold file and answers; it reads ``../data``."""
    data = folder / "data"
    data.mkdir()
    (folder / "source").mkdir()
    (data / GOLD).symlink_to(gold)
    write_json(data / "dev_schema_any_1.json", answers)
    done = subprocess.run(
        [sys.executable, evaluator, "--model", "any"],
        cwd=folder / "source",
        capture_output=True,
        text=True,
        check=True,
    )
    return [ast.literal_eval(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _check_counts(evaluator: Path, folder: Path, gold: Path, answers: Any) -> None:
    counts = count_schemas(read_schema_gold(gold), answers)
    for count, printed in zip(counts.values(), _by_the_evaluator(evaluator, folder, gold, answers), strict=True):
        assert (count.gold, count.found, count.predicted, count.right) == tuple(
            printed[name] for name in ("gold_total", "gold_correct", "pred_total", "pred_correct")
        )
        if max(printed["precision"], printed["recall"]) <= 1:
            assert tuple(count.score) == (printed["precision"], printed["recall"], printed["f1"])


@pytest.fixture
def openpi_2(shared_corpora: Path) -> Path:
    folder = shared_corpora / "openpi" / "v2.0"
    if not (folder / "evaluate_schema.py").is_file():
        pytest.skip(f"no published evaluator of OpenPI 2.0 at {folder}")
    return folder


@pytest.mark.parametrize("name", PUBLISHED.values())
def test_published_answers_have_the_scores_of_the_published_evaluator(
    openpi_2: Path, tmp_path: Path, name: str
) -> None:
    answers = read_schema_answers(published_files(openpi_2)[name], read_schema_gold(openpi_2))
    _check_counts(openpi_2 / "evaluate_schema.py", tmp_path, openpi_2 / GOLD, answers)


def test_published_figures(openpi_2: Path) -> None:
    gold = read_schema_gold(openpi_2)
    expected = {
        "davinci": (53.7, 36.2, 54.0),
        "ChatGPT": (47.9, 15.2, 46.7),
        "LLaMA 65B": (30.7, 12.9, 36.7),
        "LLaMA 30B": (27.7, 11.0, 33.9),
        "LLaMA 7B": (14.4, 14.3, 19.3),
    }
    for name, file in published_files(openpi_2).items():
        scores = [count.score for count in count_schemas(gold, read_schema_answers(file, gold)).values()]
        assert tuple(round(100 * score.f1, 1) for score in scores[:3]) == expected[name]


def test_odd_data_has_the_scores_of_the_published_evaluator(openpi_2: Path, tmp_path: Path) -> None:
    """Names with articles and capitals, in several clusters, answered several times."""
    draw = random.Random("kettle")
    words = ("kettle", "The kettle", "a Pan", "pan", "lid", "the lid", "heat", "Heat", "an edge", "edge", "the")

    def some(most: int) -> list[str]:
        return [draw.choice(words) for _ in range(draw.randint(0, most))]

    procedures, answers = {}, {}
    for number in range(200):
        clusters = {
            name: {
                "entity_cluster": [name, *some(3)],
                "attribute_cluster": {attribute: [attribute, *some(3)] for attribute in ("heat", "edge", "lid")},
            }
            for name in draw.sample(("kettle", "The pan", "lid", "water"), 3)
        }
        states = [
            {
                "entity": name,
                "answers": {
                    f"step{step}": [{"attribute": draw.choice(("heat", "edge", "lid"))} for _ in some(2)]
                    for step in (1, 2, 3)
                },
            }
            for name in clusters
        ]
        procedure = {"goal": "g", "steps": ["one", "two", "three"], "states": states, "clusters": clusters}
        procedures[str(number)] = procedure
        answers[str(number)] = [{word: some(4) for word in some(4)} for _ in range(3)]
    _check_counts(openpi_2 / "evaluate_schema.py", tmp_path, write_json(tmp_path / "gold.json", procedures), answers)
