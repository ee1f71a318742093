"""`kgscripts train state-changes`: either model is trained, bad settings are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.registry import load
from lightning_modules.commands import app
from lightning_modules.configuration import read_configuration, shipped_configurations
from schemas.changes import Change, ProcedureStep
from schemas.errors import ConfigurationError, InputError, KGScriptsError

FOODS = ("egg", "leek", "plum")


def write_steps(path: Path) -> Path:
    """Twenty procedures of three steps each."""
    rows = []
    for number in range(20):
        food = FOODS[number % len(FOODS)]
        texts = [f"wash the {food}", f"Boil the {food}", "Wait"]
        answers = [
            [f"wetness of {food} was dry before and wet afterwards"],
            [f"temperature of {food} was cold before and hot afterwards", f"location of {food} was dry before"],
            [],
        ]
        for place, (text, found) in enumerate(zip(texts, answers, strict=True)):
            row = {"id": f"Cook-{number}||{place + 1}", "step": text, "context": texts[:place], "answers": found}
            rows.append(json.dumps(row) + "\n")
    path.write_text("".join(rows), encoding="utf-8")
    return path


def test_shipped_configurations_are_whole() -> None:
    assert shipped_configurations("state-changes") == ["composer", "retrieval"]
    for name in shipped_configurations("state-changes"):
        assert read_configuration("state-changes", name).name


@pytest.mark.parametrize(
    "text",
    [
        "name = ",
        'kind = "composer"',
        'name = ""\nkind = "composer"',
        'name = "x"\nkind = "oracle"',
        'name = "x"\nkind = ["composer"]',
        'name = "x"\nkind = "composer"\nsize = 3',
        'name = "x"\nkind = "composer"\ntraining = 3',
        'name = "x"\nkind = "composer"\n[training]\nepochs = 0',
        'name = "x"\nkind = "composer"\n[training]\nsize = 7',
        'name = "x"\nkind = "retrieval"\n[training]\nepochs = 3',
        'name = "x"\nkind = "retrieval"\n[training]\nneighbours = 2.5',
        'name = "x"\nkind = "composer"\npublished = 3',
        'name = "x"\nkind = "composer"\n[network]\nhidden_size = 3',
    ],
)
def test_configurations_that_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError):
        read_configuration("state-changes", tmp_path / "odd.toml")


def run(*arguments: object) -> str:
    words = [str(argument) for argument in ("state-changes", *arguments)]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_trains_either_model(tmp_path: Path) -> None:
    file = write_steps(tmp_path / "steps.jsonl")
    base = ("--train", file, "--accelerator", "cpu", "--out")
    small = ("--set", "size=32", "--set", "layers=1", "--set", "rank=4")
    said = run("--config", "composer", *small, "--epochs", 1, *base, tmp_path / "composer")
    assert "finished after 1 epochs" in said
    assert "60 steps of steps.jsonl" in run("--config", "retrieval", *base, tmp_path / "retrieval")
    for name in ("composer", "retrieval"):
        card = load_checkpoint(tmp_path / name).card
        assert card.command.startswith(f"kgscripts train state-changes --train steps.jsonl --config {name}")
        assert str(tmp_path) not in json.dumps([card.command, card.training])
    found = load("state-changes", tmp_path / "retrieval").predict([ProcedureStep(text="Boil the plum")])
    assert Change(entity="plum", attribute="temperature", before="cold", after="hot") in [
        one.change for one in found[0]
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--config", "oracle"), ConfigurationError),
        (("--config", "retrieval", "--epochs", 3), ConfigurationError),
        (("--config", "retrieval", "--set", "size=32"), ConfigurationError),
        (("--config", "retrieval", "--max-time", "1:00"), ConfigurationError),
        (("--epochs", 0), ConfigurationError),
        (("--set", "size=no-such-size"), ConfigurationError),
        (("--set", "size"), ConfigurationError),
        (("--train", "no-such-file"), InputError),
        (("--max-time", "soon"), ConfigurationError),
    ],
)
def test_what_cannot_be_trained(tmp_path: Path, options: tuple[object, ...], error: type[KGScriptsError]) -> None:
    given: dict[str, object] = {"--config": "composer", "--train": write_steps(tmp_path / "steps.jsonl")}
    given |= {"--out": tmp_path / "out", "--accelerator": "cpu"}
    given |= {str(name): value for name, value in zip(options[::2], options[1::2], strict=True)}
    with pytest.raises(error):
        run(*(part for item in given.items() for part in item))
    assert not (tmp_path / "out").exists()
