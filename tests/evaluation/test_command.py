"""`kgscripts evaluate`: tables, JSON, files, and errors without a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.events.extraction import PUBLISHED, evaluate_extraction, scores_as_json
from kgscripts.extractors.events import known_scores
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from schemas.provenance import BenchmarkScore
from tests.evaluation.test_inscript import STORY

TREEBANK = Path(__file__).parents[1] / "extractors" / "sentences.conllu"

LISTS = {f"kgscripts {name}" for name in ("tools", "pronouns", "tool sentences", "tool roles", "objects", "reality")}


def _run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_extraction_as_json_and_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "val").mkdir()
    (tmp_path / "val" / "cake").write_text(STORY, encoding="utf-8")
    file = tmp_path / "scores.json"
    shown = json.loads(_run("extraction", "--inscript", str(tmp_path), "--json", "--output", str(file)))
    assert shown["scores"] == json.loads(file.read_text(encoding="utf-8"))
    assert {row["dataset"] for row in shown["scores"]} == {*LISTS, "InScript"}
    assert len(shown["published"]) == len(PUBLISHED)
    assert {row["exposure"] for row in shown["scores"] if row["split"] != "unseen"} == {"development"}
    seen = ("kgscripts tool sentences", "kgscripts tool roles")  # Rules followed their scores.
    unseen = [row for row in shown["scores"] if row["split"] == "unseen" and row["dataset"] not in seen]
    assert {row["exposure"] for row in unseen} == {"unseen"}
    assert all("another task" in line["remark"] for line in shown["published"])


def test_extraction_as_a_table_without_corpora() -> None:
    shown = _run("extraction")
    assert "tool F1" in shown
    assert "object_right" in shown
    assert "published" not in shown


def test_text() -> None:
    shown = json.loads(_run("text", str(TREEBANK), "--json"))
    assert {"XPOS", "UAS", "LAS", "sentence F1"} <= {row["metric"] for row in shown["scores"]}
    assert {row["exposure"] for row in shown["scores"]} == {"unseen"}
    assert "words of raw text per second" in _run("text", str(TREEBANK))


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


def test_errors_leave_no_traceback() -> None:
    command = [sys.executable, "-m", "cli", "evaluate", "extraction", "--spacy-model", "no_such_model"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_scores_that_ship_were_written_by_the_command() -> None:
    scores = known_scores()
    rows = json.loads(scores_as_json(scores))
    assert [BenchmarkScore(**row) for row in rows] == scores
    assert {score.dataset for score in scores} == {*LISTS, "InScript", "DeScript"}
    measured = evaluate_extraction()
    assert measured == scores[: len(measured)], "stale: run `make scores` and commit what it writes"
