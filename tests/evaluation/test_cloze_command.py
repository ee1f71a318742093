"""`kgscripts evaluate cloze` on small checkpoints: table, JSON, predictions, examples and errors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.cloze.scores import PUBLISHED, is_published_task
from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from kgscripts.models.cloze.networks import network_checkpoint
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.models.networks import SETTINGS, VOCABULARY, model
from tests.models.test_causal import gpt2

TEMPLATES = """\
chop the garlic .\tuse a knife on a board with care .\t1 1 0 1 1 0 1 0 1
salt the garlic .\tuse a spoon and salt with care .\t1 1 0 1 1 1 0 1
chop .\tuse a sharp knife .\t1 1 0 0 1
"""
KEYS = {"oracle_match", "oracle_top5", "greedy_match", "greedy_top5", "surprisal", "mean_span_length", "context"}


def _checkpoint(folder: Path, name: str) -> Path:
    card = ModelCard(name=name, version="1", task="cloze", licence="", data="none", command="none")
    weights = model(name)._network.state_dict()
    save_checkpoint(network_checkpoint(SETTINGS[name], weights, VOCABULARY, card), folder / name)
    return folder / name


@pytest.fixture
def transducer(tmp_path: Path) -> Path:
    return _checkpoint(tmp_path, "transducer-fixed")


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    file = tmp_path / "valid.template.tsv"
    file.write_text(TEMPLATES, encoding="utf-8")
    return file


@pytest.fixture
def whitelist(tmp_path: Path) -> Path:
    file = tmp_path / "words.txt"
    file.write_text("knife\nboard\nspoon\ncare\nsharp\nwith\n", encoding="utf-8")
    return file


def _run(*arguments: object) -> str:
    result = CliRunner(env={"COLUMNS": "300"}).invoke(app, ["cloze", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_one_model_as_an_object(tmp_path: Path, transducer: Path, templates: Path, whitelist: Path) -> None:
    file = tmp_path / "scores.json"
    shown = _run("--model", transducer, "--templates", templates, "--whitelist", whitelist, "--output", file)
    scores = json.loads(file.read_text(encoding="utf-8"))
    assert set(scores) >= KEYS
    assert scores["context"] == "left"
    assert (scores["pairs"], scores["blanks"], scores["words"]) == (3, 6, 7)
    assert scores["candidates"] == 6
    # spoon and sharp are no words of the toy's vocabulary
    assert scores["unknown_words"] == 2
    assert 1 <= scores["mean_span_length"] <= 10
    assert (scores["source"], scores["templates"], scores["whitelist"]) == (
        str(transducer),
        templates.name,
        "words.txt",
    )
    for row in PUBLISHED:
        assert f"published: {row.model}" in shown
    assert "24.72" in shown
    assert "4.780" in shown
    assert f"{scores['oracle_match']:.2f}" in shown
    assert "2 hidden tokens are the unknown word to it" in shown


def test_several_models_as_a_list_with_contexts(tmp_path: Path, transducer: Path, templates: Path) -> None:
    other = _checkpoint(tmp_path, "language-model")
    causal = gpt2(tmp_path / "tiny")
    file = tmp_path / "scores.json"
    names = [str(transducer), f"{other}:left", f"hf:{causal}"]
    shown = _run(*(part for name in names for part in ("--model", name)), "--templates", templates, "--output", file)
    rows = json.loads(file.read_text(encoding="utf-8"))
    assert [row["source"] for row in rows] == names
    assert {row["context"] for row in rows} == {"left"}
    assert [row["mean_span_length"] is None for row in rows] == [False, True, True]
    assert rows[1]["model"] == "language-model, left side only"
    assert rows[2]["model"] == "tiny, zero-shot"
    assert shown.count("not comparable with the published rows") == 3
    assert "better than published" not in shown


def test_a_transducer_fills_blanks_as_published_or_from_all_alignments(
    tmp_path: Path, transducer: Path, templates: Path
) -> None:
    file = tmp_path / "scores.json"
    names = [str(transducer), f"{transducer}:viterbi"]
    _run("--model", names[0], "--model", names[1], "--templates", templates, "--output", file)
    own, published = json.loads(file.read_text(encoding="utf-8"))
    assert [own["source"], published["source"]] == names
    assert published["model"] == f"{own['model']}, one alignment a blank"
    assert own["surprisal"] == own["word_surprisal"] != published["word_surprisal"]
    # An emit a word and one more a blank, each of probability one half.
    decisions = (published["words"] + published["blanks"]) / published["words"] * 0.693147
    assert published["surprisal"] - published["word_surprisal"] == pytest.approx(decisions, abs=1e-3)
    assert own["mean_span_length"] == published["mean_span_length"]


def test_one_alignment_a_blank_is_for_transducers_and_not_written_onto_cards(
    tmp_path: Path, transducer: Path, templates: Path
) -> None:
    other = _checkpoint(tmp_path, "language-model")
    with pytest.raises(ModelError, match="language-model has no alignments"):
        _run("--model", f"{other}:viterbi", "--templates", templates)
    arguments = ["cloze", "--model", f"{transducer}:viterbi", "--templates", str(templates), "--attach-as", "unseen"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "cards have default scores" in result.output


def test_only_scores_on_the_published_task_are_compared(
    tmp_path: Path, shared_corpora: Path, transducer: Path, templates: Path, whitelist: Path
) -> None:
    shown = _run("--model", transducer, "--templates", templates, "--whitelist", whitelist)
    assert "not comparable with the published rows" in shown
    released = [shared_corpora / "kidscook" / name for name in ("valid.template.tsv", "approved.5.txt")]
    assert is_published_task(*released)
    assert not is_published_task(released[0], None)
    shortened = tmp_path / "valid.template.tsv"
    shortened.write_bytes(released[0].read_bytes()[:-10])
    assert not is_published_task(shortened, released[1])


def test_predictions_agree_with_the_figures(tmp_path: Path, transducer: Path, templates: Path, whitelist: Path) -> None:
    file, written = tmp_path / "scores.json", tmp_path / "predictions.jsonl"
    _run(
        *("--model", transducer, "--templates", templates, "--whitelist", whitelist),
        *("--output", file, "--predictions-out", written),
    )
    scores = json.loads(file.read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in written.read_text(encoding="utf-8").splitlines()]
    assert [(row["where"], row["start"], row["gold"]) for row in rows][-1] == (
        "valid.template.tsv:3",
        2,
        ["sharp", "knife"],
    )
    assert {row["model"] for row in rows} == {"transducer-fixed"}
    for setup in ("oracle", "greedy"):
        matches = [row[setup]["prediction"] == row["gold"] for row in rows]
        assert 100 * sum(matches) / len(rows) == pytest.approx(scores[f"{setup}_match_strict"], abs=1e-3)
        top = [word in five for row in rows for word, five in zip(row["gold"], row[setup]["top5"], strict=True)]
        assert 100 * sum(top) / len(top) == pytest.approx(scores[f"{setup}_top5_strict"], abs=1e-3)
        for row in rows:
            assert all(0 <= value <= 1 for value in row[setup]["probability"])
            assert all(list(five.values()) == sorted(five.values(), reverse=True) for five in row[setup]["top5"])
    assert not list(tmp_path.glob("*.part"))


def test_examples_mark_every_blank(transducer: Path, templates: Path) -> None:
    shown = _run("--model", transducer, "--templates", templates, "--examples", 9)
    assert "Gold  use a _sharp knife_ ." in shown
    assert shown.count("\nPred  ") == 3
    assert "Abs   salt the garlic ." in shown
    one = _run("--model", transducer, "--templates", templates, "--examples", 1)
    assert one.count("\nPred  ") == 1
    assert one == _run("--model", transducer, "--templates", templates, "--examples", 1)


def _without_marks(file: Path) -> None:
    file.write_text("chop .\tuse a knife .\n", encoding="utf-8")


def _without_blanks(file: Path) -> None:
    file.write_text("chop .\tuse a knife .\t1 1 1 1\n", encoding="utf-8")


def _wrong_marks(file: Path) -> None:
    file.write_text("chop .\tuse a knife .\t1 0 1\n", encoding="utf-8")


def _other_marks(file: Path) -> None:
    file.write_text("chop .\tuse a knife .\t1 0 x 1\n", encoding="utf-8")


def _empty(file: Path) -> None:
    file.write_text("", encoding="utf-8")


def _empty_side(file: Path) -> None:
    file.write_text("\tuse a knife .\t1 1 0 1\n", encoding="utf-8")


@pytest.mark.parametrize(
    "spoil", [_without_marks, _without_blanks, _wrong_marks, _other_marks, _empty, _empty_side, Path.unlink]
)
def test_templates_without_blanks(transducer: Path, templates: Path, spoil: Callable[[Path], None]) -> None:
    spoil(templates)
    with pytest.raises(InputError) as caught:
        _run("--model", transducer, "--templates", templates)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "tongs\nwok\n", "two words\n", "knife\nknife\n"])
def test_invalid_whitelists(transducer: Path, templates: Path, whitelist: Path, text: str) -> None:
    whitelist.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        _run("--model", transducer, "--templates", templates, "--whitelist", whitelist)


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("--model", "no/such/model", ModelError),
        ("--model", "no/such/model:left", ModelError),
        ("--model", "no/such/model:viterbi", ModelError),
        ("--model", "hf:no-such-model", ModelError),
        ("--model", ".", ModelError),
        ("--output", "/dev/null/scores.json", ConfigurationError),
        ("--output", ".", ConfigurationError),
        ("--predictions-out", "/dev/null/predictions.jsonl", ConfigurationError),
        ("--whitelist", "no/such/words.txt", InputError),
    ],
)
def test_errors_come_before_the_work(
    transducer: Path, templates: Path, option: str, value: str, error: type[KGScriptsError]
) -> None:
    with pytest.raises(error) as caught:
        _run("--model", transducer, "--templates", templates, option, value)
    assert caught.value.where


def test_a_failed_run_leaves_no_predictions(
    tmp_path: Path, transducer: Path, templates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ModelError("gives up")

    written = tmp_path / "predictions.jsonl"
    monkeypatch.setattr("kgscripts.models.cloze.left_context.LeftContextModel.score", broken)
    monkeypatch.setattr("kgscripts.models.cloze.left_context.LeftContextModel.predict", broken)
    with pytest.raises(ModelError, match="gives up"):
        _run("--model", transducer, "--templates", templates, "--predictions-out", written)
    assert not list(tmp_path.glob("predictions*"))


def test_errors_leave_no_traceback(templates: Path) -> None:
    command = [sys.executable, "-m", "cli", "evaluate", "cloze", "--model", "no-such", "--templates", str(templates)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_number_of_blanks_in_the_released_templates(shared_corpora: Path) -> None:
    from kgscripts.corpora.pairs.cloze_items import cloze_items
    from kgscripts.corpora.pairs.loading import load_pairs

    pairs = load_pairs([shared_corpora / "kidscook" / "valid.template.tsv"]).pairs
    items = cloze_items(pairs)
    assert len(items) == 1007
    assert sum(sum(pair.blanks) for pair in pairs) == 5941
    assert sum(len(pair.slots) for pair in pairs) == 4787
    # What remains within the cut.
    assert sum(len(item.blanks) for item in items) == 5661
    assert sum(len(item.slots) for item in items) == 4603
