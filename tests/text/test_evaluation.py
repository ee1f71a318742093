"""The published scores are reproduced when the pipeline is evaluated again."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts.reproductions.events.parsing import SPEED, analysis_shares, evaluate_text
from kgscripts.text.conllu import documents, read_conllu
from kgscripts.text.pipeline import describe_pipeline, load_pipeline
from lightning_modules.learning.text.train import score_table
from schemas.errors import InputError

TARGETS = {"XPOS": 0.925, "lemma": 0.945, "UAS": 0.82, "LAS": 0.78, "sentence F1": 0.72}


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
    found, _ = analysis_shares(load_pipeline(), groups)
    assert found == pytest.approx(published(dataset, split), abs=0.001)


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
    assert (found.dataset, found.split, found.items["words"]) == (dataset, split, 4)
    assert found.systems[0].value(SPEED, "on one core") > 0


def test_scores_of_sentences_counted_by_hand(tmp_path: Path) -> None:
    """A gold standard that no parser predicts: every head and relation but the root's is wrong, so UAS is known."""
    path = tmp_path / "wrong-test.conllu"
    rows = [("Peel", 4, "dep"), ("the", 4, "dep"), ("potatoes", 4, "dep"), (".", 0, "root")]
    lines = [
        f"{number}\t{form}\txyz\tINTJ\tUH\t_\t{head}\t{relation}\t_\t_"
        for number, (form, head, relation) in enumerate(rows, start=1)
    ]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    found = evaluate_text(path)
    (system,) = found.systems
    assert {system[metric] for metric in ("XPOS", "lemma", "UAS", "imperative precision")} == {0}
    assert system["sentence F1"] == 1
    assert system.get("imperative recall") is None
    assert (found.dataset, found.split) == ("wrong-test", "test")
    assert found.examples[0].gold != found.examples[0].found


def test_a_file_without_sentences_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.conllu"
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(InputError):
        evaluate_text(path)


def test_the_model_card_shows_the_scores() -> None:
    card = (Path(__file__).parents[2] / "docs" / "measurements" / "text-model-card.md").read_text(encoding="utf-8")
    assert score_table(describe_pipeline().scores) in card
