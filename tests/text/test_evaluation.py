"""The published scores are reproduced when the pipeline is evaluated again."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.evaluation.events.parsing import analysis_scores, evaluate_text
from kgscripts.text.conllu import documents, read_conllu
from kgscripts.text.pipeline import describe_pipeline, load_pipeline
from kgscripts.training.text.train import score_table
from schemas.errors import InputError

TARGETS = {"XPOS": 92.5, "lemma": 94.5, "UAS": 82.0, "LAS": 78.0, "sentence F1": 72.0}


def published(dataset: str, split: str) -> dict[str, float]:
    return {
        score.metric: score.value
        for score in describe_pipeline().scores
        if (score.dataset, score.split) == (dataset, split)
    }


@pytest.mark.parametrize(("metric", "target"), TARGETS.items())
def test_published_scores_reach_the_targets(metric: str, target: float) -> None:
    assert published("UD English EWT", "test")[metric] >= target


@pytest.mark.parametrize(
    ("name", "dataset", "split"),
    [
        ("ewt/en_ewt-ud-test.conllu", "UD English EWT", "test"),
        ("gum/wikihow-dev.conllu", "GUM wikiHow", "dev"),
    ],
)
def test_published_scores_are_reached_again(shared_corpora: Path, name: str, dataset: str, split: str) -> None:
    groups = list(documents(read_conllu(shared_corpora / "treebanks" / name)))
    found = analysis_scores(load_pipeline(), groups, dataset=dataset, split=split)
    assert {score.metric: score.value for score in found} == pytest.approx(published(dataset, split), abs=0.1)


@pytest.mark.parametrize(
    ("name", "dataset", "split"),
    [
        ("en_ewt-ud-test.conllu", "UD English EWT", "test"),
        ("wikihow-dev.conllu", "GUM wikiHow", "dev"),
        ("mine.conllu", "mine", "all"),
    ],
)
def test_the_file_name_gives_dataset_and_split(tmp_path: Path, name: str, dataset: str, split: str) -> None:
    lines = [f"{number}\tpeel\tpeel\tVERB\tVB\t_\t{number - 1}\tdep\t_\t_" for number in range(1, 5)]
    (tmp_path / name).write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    found = evaluate_text(tmp_path / name)
    assert {(score.dataset, score.split) for score in found.scores} == {(dataset, split)}
    assert found.words == 4
    assert found.words_per_second > 0


def test_scores_of_sentences_counted_by_hand(tmp_path: Path) -> None:
    """A gold standard that no parser predicts: every head and relation but the root's is wrong, so UAS is known."""
    path = tmp_path / "wrong-test.conllu"
    rows = [("Peel", 4, "dep"), ("the", 4, "dep"), ("potatoes", 4, "dep"), (".", 0, "root")]
    lines = [
        f"{number}\t{form}\txyz\tINTJ\tUH\t_\t{head}\t{relation}\t_\t_"
        for number, (form, head, relation) in enumerate(rows, start=1)
    ]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    scores = {score.metric: score for score in evaluate_text(path).scores}
    assert scores["XPOS"].value == 0
    assert scores["lemma"].value == 0
    assert scores["UAS"].value == 0
    assert scores["sentence F1"].value == 100
    assert scores["imperative precision"].value == 0
    assert "imperative recall" not in scores
    assert scores["XPOS"].split == "test"
    assert scores["XPOS"].dataset == "wrong-test"


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError):
        evaluate_text(path)


def test_the_model_card_shows_the_scores() -> None:
    card = (Path(__file__).parents[2] / "docs" / "measurements" / "text-model-card.md").read_text(encoding="utf-8")
    assert score_table(describe_pipeline().scores) in card
