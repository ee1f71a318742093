"""`kgscripts evaluate cloze` on small checkpoints: what is printed, written, compared and refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.result import Evaluation, from_json
from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from kgscripts.reproductions.kidscook.cloze.tally import MATCHES, MEAN_SPAN, PUBLISHED, is_published_task
from kgscripts.reproductions.kidscook.networks.networks import network_checkpoint
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.models.networks import SETTINGS, VOCABULARY, model

TEMPLATES = """\
chop the garlic .\tuse a knife on a board with care .\t1 1 0 1 1 0 1 0 1
salt the garlic .\tuse a spoon and salt with care .\t1 1 0 1 1 1 0 1
chop .\tuse a sharp knife .\t1 1 0 0 1
"""


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
    result = CliRunner().invoke(app, ["cloze", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    return result.stdout


def _written(file: Path) -> Evaluation:
    (found,) = from_json(json.loads(file.read_text(encoding="utf-8")))
    return found


def test_one_model(tmp_path: Path, transducer: Path, templates: Path, whitelist: Path) -> None:
    file = tmp_path / "scores.json"
    shown = _run("--model", transducer, "--templates", templates, "--whitelist", whitelist, "--output", file)
    found = _written(file)
    assert (found.dataset, found.split) == (templates.name, "valid")
    assert found.items == {"pairs": 3, "blanks": 6, "hidden tokens": 7, "candidates": 6}
    (system,) = found.systems
    assert (system.setting, system.source) == ("context left", str(transducer))
    # spoon and sharp are no words of the toy's vocabulary
    assert system["unknown words"] == 2
    assert 1 <= system[MEAN_SPAN] <= 10
    for metric in MATCHES:
        assert f"{100 * system[metric]:.2f}" in shown
    assert f"{system['surprisal']:.3f}" in shown
    assert "2 hidden tokens are the unknown word to it" in " ".join(shown.split())


def test_several_models_with_contexts(tmp_path: Path, transducer: Path, templates: Path) -> None:
    other = _checkpoint(tmp_path, "language-model")
    file = tmp_path / "scores.json"
    names = [str(transducer), f"{other}:left"]
    shown = _run(*(part for name in names for part in ("--model", name)), "--templates", templates, "--output", file)
    systems = _written(file).systems
    assert [system.source for system in systems] == names
    assert {system.setting for system in systems} == {"context left"}
    assert [system.get(MEAN_SPAN) is None for system in systems] == [False, True]
    assert systems[1].name == "language-model, left side only"
    assert "better than published" not in shown


def test_on_the_published_task_the_published_scores_are_beside(
    transducer: Path, templates: Path, whitelist: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgscripts.reproductions.kidscook.cloze.files.is_published_task", lambda *_: True)
    shown = _run("--model", transducer, "--templates", templates, "--whitelist", whitelist)
    rows = [line.split() for line in shown.splitlines()]
    for row in PUBLISHED:
        assert any(f"{100 * row['oracle match']:.2f}" in cells for cells in rows), row.name
    assert "24.72" in shown
    assert "4.780" in shown


def test_only_scores_on_the_published_task_are_compared(
    tmp_path: Path, shared_corpora: Path, transducer: Path, templates: Path, whitelist: Path
) -> None:
    shown = _run("--model", transducer, "--templates", templates, "--whitelist", whitelist)
    assert "published:" not in shown
    released = [shared_corpora / "kidscook" / name for name in ("valid.template.tsv", "approved.5.txt")]
    assert is_published_task(*released)
    assert not is_published_task(released[0], None)
    shortened = tmp_path / "valid.template.tsv"
    shortened.write_bytes(released[0].read_bytes()[:-10])
    assert not is_published_task(shortened, released[1])


def test_examples_mark_every_blank(transducer: Path, templates: Path) -> None:
    shown = _run("--model", transducer, "--templates", templates, "--examples", 9)
    assert "gold   use a _sharp knife_ ." in shown
    assert shown.count("\n  found  ") == 3
    assert "  salt the garlic ." in shown
    one = _run("--model", transducer, "--templates", templates, "--examples", 1)
    assert one.count("\n  found  ") == 1
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
        ("--model", ".", ModelError),
        ("--output", "/dev/null/scores.json", ConfigurationError),
        ("--output", ".", ConfigurationError),
        ("--whitelist", "no/such/words.txt", InputError),
    ],
)
def test_errors_come_before_the_work(
    transducer: Path, templates: Path, option: str, value: str, error: type[KGScriptsError]
) -> None:
    with pytest.raises(error) as caught:
        _run("--model", transducer, "--templates", templates, option, value)
    assert caught.value.where


def test_errors_leave_no_traceback(templates: Path) -> None:
    command = [sys.executable, "-m", "cli", "evaluate", "cloze", "--model", "no-such", "--templates", str(templates)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_the_number_of_blanks_in_the_released_templates(shared_corpora: Path) -> None:
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.reproductions.kidscook.cloze.filling import cloze_items

    pairs = load_pairs([shared_corpora / "kidscook" / "valid.template.tsv"])
    items = cloze_items(pairs)
    assert len(items) == 1007
    assert sum(sum(pair.blanks) for pair in pairs) == 5941
    assert sum(len(pair.slots) for pair in pairs) == 4787
    # What remains within the cut.
    assert sum(len(item.blanks) for item in items) == 5661
    assert sum(len(item.slots) for item in items) == 4603
