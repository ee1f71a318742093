"""`kgscripts evaluate text` and `extraction`: what is printed and written, and errors without a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.counting import EXTRACTOR
from kgscripts.evaluation.result import Evaluation, from_json
from kgscripts.reproductions.events.extraction import evaluate_extraction
from kgscripts.reproductions.events.inscript import PUBLISHED
from kgscripts.reproductions.events.marked_texts import REALITY
from kgscripts.score_files import read_scores, scores_of_package
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from schemas.provenance import Exposure
from tests.evaluation.test_every_command import check_output
from tests.evaluation.test_inscript import STORY

TREEBANK = Path(__file__).parents[1] / "extractors" / "sentences.conllu"

LISTS = {
    f"kgscripts {name}"
    for name in ("tools", "pronouns", "tool sentences", "tool roles", "objects", "pronoun objects", *REALITY)
}


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture(scope="module")
def lists() -> list[Evaluation]:
    """The lists that ship, evaluated once."""
    return evaluate_extraction()


@pytest.fixture
def with_lists(lists: list[Evaluation], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command evaluate the corpora and take the lists as they are."""

    def evaluated(**options: Any) -> list[Evaluation]:
        return [*lists, *evaluate_extraction(**{**options, "lists": False})]

    monkeypatch.setattr("kgscripts.reproductions.events.extraction.evaluate_extraction", evaluated)


@pytest.mark.usefixtures("with_lists")
def test_extraction_as_json_and_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "cake").write_text(STORY, encoding="utf-8")
    file = tmp_path / "scores.json"
    options = ("--json", "--examples", "2", "--output", str(file))
    shown = _run("extraction", "--inscript", str(tmp_path), *options)
    assert json.loads(shown) == json.loads(file.read_text(encoding="utf-8"))
    found = check_output(shown, file)
    assert any(item.examples for item in found)
    assert {item.dataset for item in found} == {*LISTS, "InScript"}
    assert {item.exposure for item in found if item.split != "unseen"} == {Exposure.DEVELOPMENT}
    seen = {"kgscripts pronoun objects"}  # a rule was made after its first score
    unseen = {item.exposure for item in found if item.split == "unseen" and item.dataset not in seen}
    assert unseen == {Exposure.UNSEEN}
    (inscript,) = (item for item in found if item.dataset == "InScript")
    assert inscript.systems[1:] == PUBLISHED
    assert all("another task" in system.remark for system in PUBLISHED)


@pytest.mark.usefixtures("with_lists")
def test_extraction_as_a_table_without_corpora() -> None:
    shown = _run("extraction")
    assert "tool F1" in shown
    assert "object_right" in shown
    assert "published" not in shown


def test_text() -> None:
    (found,) = from_json(json.loads(_run("text", str(TREEBANK), "--json")))
    assert {"XPOS", "UAS", "LAS", "sentence F1"} <= {figure.metric for figure in found.systems[0].figures}
    assert found.exposure is Exposure.UNSEEN
    shown = _run("text", str(TREEBANK), "--examples", "1", "--split", "mine")
    assert "sentences, mine" in shown
    assert "(words/s)" in shown
    assert shown.count("attachments that differ") == 1


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("extraction", "--inscript", "no/such/folder"), InputError),
        (("extraction", "--descript", "no/such/folder"), InputError),
        (("extraction", "--output", "/dev/null/scores.json"), ConfigurationError),
        (("extraction", "--output", "."), ConfigurationError),
        (("extraction", "--spacy-model", "no_such_model"), ModelError),
        (("text", "no/such/file.conllu"), InputError),
        (("text", __file__), InputError),
    ],
)
def test_errors_have_location_and_remedy(arguments: tuple[str, ...], error: type[KGScriptsError]) -> None:
    with pytest.raises(error) as caught:
        CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert caught.value.where
    assert caught.value.remedy


def test_the_scores_that_ship_were_written_by_the_command(lists: list[Evaluation]) -> None:
    scores = {(score.dataset, score.split): score.exposure for score in read_scores(scores_of_package(EXTRACTOR))}
    assert {dataset for dataset, _ in scores} == {*LISTS, "InScript", "DeScript", "Recipe Flow Graphs"}
    measured = [
        score for item in lists for score in item.benchmark_scores(item.systems[0], scores[item.dataset, item.split])
    ]
    stale = "stale: run `make scores` and commit what it writes"
    assert measured == list(read_scores(scores_of_package(EXTRACTOR)))[: len(measured)], stale
