"""The commands of `kgscripts train`: their common options, and what is refused before any work."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lightning_modules import commands
from lightning_modules.configuration import DEFAULTS, KINDS, read_configuration, read_settings, shipped_configurations
from lightning_modules.scenarios import stories
from lightning_modules.scenarios.stories import StoryFiles
from schemas.errors import ConfigurationError, InputError, ModelError
from tests.training import corpus

EVERY = {"--out", "--config", "--set", "--epochs", "--limit", "--seed"}
LIGHTNING = EVERY | {"--resume", "--max-time", "--accelerator", "--devices", "--precision", "--tensorboard"}
NETWORKS = set(KINDS) - {"tools", "text"}


def _options(task: str) -> set[str]:
    group = typer.main.get_command(commands.app)
    return {name for option in group.commands[task].params for name in option.opts}  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", KINDS)
def test_all_tasks_have_the_same_options(task: str) -> None:
    assert _options(task) >= (LIGHTNING if task in NETWORKS else EVERY)


@pytest.mark.parametrize("task", KINDS)
def test_all_configurations_that_ship_can_be_read(task: str) -> None:
    assert DEFAULTS[task] in shipped_configurations(task)
    for name in shipped_configurations(task):
        assert read_configuration(task, name).name
    assert read_configuration(task) == read_configuration(task, DEFAULTS[task])


def test_settings_of_the_command_line_replace_those_of_the_file() -> None:
    changes = read_settings(["batch-size=7", "learning_rate = 1e-4", "network.dropout=0.1"]) | {"epochs": 3}
    found = read_configuration("transducer", "transducer-fixed", changes)
    assert (found.training.batch_size, found.training.learning_rate, found.training.epochs) == (7, 1e-4, 3)
    assert found.network.dropout == 0.1
    assert read_settings(["pretrained=gpt2"]) == {"pretrained": "gpt2"}


@pytest.mark.parametrize("text", ["", "epochs", "=3"])
def test_texts_that_are_no_setting(text: str) -> None:
    with pytest.raises(ConfigurationError, match="no setting"):
        read_settings([text])


@pytest.mark.parametrize("name", ["colour", "network.hidden_size", "trainer.epochs", "published.dev"])
def test_settings_that_a_task_does_not_have(name: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown setting"):
        read_configuration("masked", "", {name: 3})


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(commands.app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_limit_is_of_what_is_read_and_the_card_has_the_command(tmp_path: Path) -> None:
    pairs, out = corpus.write(tmp_path), tmp_path / "model"
    corpus.configuration(tmp_path)
    config = tmp_path / "transducer.toml"
    options = ("--config", config, "--limit", 40, "--epochs", 1, "--set", "batch_size=16", "--accelerator", "cpu")
    said = _run("transducer", "--train", pairs, "--out", out, *options)
    assert "finished after 1 epochs" in said
    text = (out / "model_card.json").read_text(encoding="utf-8")
    assert "40 pairs of pairs.tsv" in text
    words = "--train pairs.tsv --config transducer.toml --set batch_size=16 --epochs 1 --limit 40"
    assert f"kgscripts train transducer {words}" in text


def test_a_pipeline_replaces_nothing_but_a_pipeline(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    with pytest.raises(ModelError, match="no pipeline"):
        _run("text", "--treebanks", tmp_path, "--out", tmp_path / "out")


def test_labels_are_checked_before_texts_are_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("A dog barked. It ran.", encoding="utf-8")
    document = '{"id": "1", "sentences": ["A dog barked."], "segments": []}\n'
    (tmp_path / "documents.jsonl").write_text(document, encoding="utf-8")
    monkeypatch.setattr(stories, "stories_of", lambda _: pytest.fail("texts were split"))
    with pytest.raises(InputError, match="no story about a listed scenario"):
        StoryFiles.read([tmp_path / "text.txt"], tmp_path / "documents.jsonl")
