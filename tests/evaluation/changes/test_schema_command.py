"""`kgscripts evaluate openpi-2`: a model, or a file of answers, and published answers in one table."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from kgscripts.evaluation.result import Evaluation, System
from kgscripts.models import registry
from kgscripts.models.checkpoint import read_card, save_checkpoint
from kgscripts.reproductions.openpi.schema import GOLD
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.errors import ConfigurationError, InputError
from schemas.provenance import Exposure, Model
from tests.commands import run
from tests.evaluation.changes.kettle import ANSWER, PROCEDURE, write_folder, write_json
from tests.evaluation.test_every_command import check
from tests.models.test_checkpoint import SCORE, checkpoint

_COMMAND = ("evaluate", "openpi-2")
_MEASURES = ("entities", "attributes", "entities a step", "attributes a step")


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "v2.0")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return write_json(tmp_path / "answers.json", {"1": ANSWER})


class _Model:
    """Predicts changes of the kettle, and remembers the steps."""

    model = Model(name="toy", version="1", digest="0" * 64, task="state changes")

    def __init__(self) -> None:
        self.steps: list[ProcedureStep] = []

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        self.steps += steps
        changes = [
            Change(entity="Kettle", attribute="Volume", before="empty", after="full"),
            Change(entity="kettle", attribute="volume", before="small", after="large"),
            Change(entity="water", before="cold", after="hot"),
        ]
        return [[PredictedChange(change=change, log_probability=-1.0) for change in changes] for _ in steps]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> _Model:
    found = _Model()
    monkeypatch.setattr(registry, "load", lambda *_: found)
    return found


def _evaluated(*arguments: object) -> Evaluation:
    (found,) = check(json.loads(run(*_COMMAND, *arguments, "--json")))
    return found


def _f1(system: System) -> list[float]:
    return [system[f"{measure} F1"] for measure in _MEASURES]


def test_every_system_has_its_scores(gold: Path, answers: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    found = _evaluated("--gold", gold, "--predictions", answers, "--output", file, "--examples", 1)
    assert check(json.loads(file.read_text(encoding="utf-8"))) == [found]
    assert (found.dataset, found.split, found.exposure) == ("OpenPI 2.0", "dev", None)
    assert found.items == {"procedures": 1, "steps": 2, "entities": 2, "attributes": 3}
    assert [(system.role, system.name) for system in found.systems] == [
        ("model", "answers.json"),
        ("published", "davinci"),
        ("published", "LLaMA 7B"),
    ]
    own, davinci, llama = found.systems
    assert own.figures == davinci.figures
    assert [own[f"entities {part}"] for part in ("precision", "recall", "F1")] == [0.75, 1.0, 0.8571]
    assert _f1(llama) == [0.0] * 4
    [example] = found.examples
    assert (example.where, example.text) == ("Make Tea, step 1", "Fill the kettle.")
    assert (example.gold, example.found[1]) == (("kettle (fullness)",), "tea kettle (volume, colour)")


def test_scores_are_printed_in_80_columns(gold: Path, answers: Path) -> None:
    shown = run(*_COMMAND, "--gold", gold, "--predictions", answers)
    assert max(map(len, shown.splitlines())) <= 80
    (row,) = (line.split() for line in shown.splitlines() if line.startswith("entities F1"))
    assert row[2:] == ["85.71", "85.71", "0.00"]


def test_a_file_is_evaluated_alone(gold: Path, answers: Path) -> None:
    found = _evaluated("--gold", gold / GOLD, "--predictions", answers, "--split", "mine")
    assert ([system.name for system in found.systems], found.split) == (["answers.json"], "mine")


def test_predictions_of_a_model_can_be_written_and_read(gold: Path, model: _Model, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    found = _evaluated("--gold", gold, "--model", "toy", "--predictions-out", file)
    assert [(step.text, step.context, step.title) for step in model.steps] == [
        ("Fill the kettle.", (), "Make Tea"),
        ("Boil it.", ("Fill the kettle.",), "Make Tea"),
    ]
    assert json.loads(file.read_text(encoding="utf-8")) == {"1": [{"kettle": ["volume"], "water": []}] * 2}
    again = _evaluated("--gold", gold, "--predictions", file).systems[0]
    own = found.systems[0]
    assert (own.name, own.source, own.figures) == ("toy", "toy", again.figures)
    assert [system.name for system in found.systems[:3]] == ["toy", "davinci", "LLaMA 7B"]


def test_scores_of_a_model_that_ships_are_development_scores(gold: Path, model: _Model) -> None:
    assert _evaluated("--gold", gold, "--model", "default").exposure is Exposure.DEVELOPMENT
    assert _evaluated("--gold", gold, "--model", "default", "--split", "mine").exposure is None
    assert len(model.steps) == 4


def test_scores_are_attached_to_the_card(gold: Path, model: _Model, tmp_path: Path) -> None:
    place = tmp_path / "model"
    save_checkpoint(checkpoint(), place)
    run(*_COMMAND, "--gold", gold, "--model", place, "--attach-as", "development")
    first, *scores = read_card(place)[0].scores
    assert first == SCORE
    assert [score.metric for score in scores] == [
        f"{measure} {part}" for part in ("F1", "precision", "recall") for measure in _MEASURES
    ]
    assert {(score.dataset, score.split, score.exposure) for score in scores} == {
        ("OpenPI 2.0", "dev", Exposure.DEVELOPMENT)
    }
    assert model.steps


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--attach-as", "unseen"), "needs --model"),
        (("--predictions-out", "out.json"), "give either --predictions or --model"),
        (("--predictions", "a.json", "--model", "default"), "give either --predictions or --model"),
    ],
)
def test_options_that_make_no_sense_are_refused(gold: Path, options: tuple[str, ...], message: str) -> None:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(cli.app, [*_COMMAND, "--gold", str(gold), *options])
    assert result.exit_code == 2
    assert message in result.output


def test_no_input_is_overwritten(gold: Path, answers: Path, model: _Model) -> None:
    for file in (gold / GOLD, gold / "published-predictions" / "dev_schema_davinci_1.json"):
        with pytest.raises(ConfigurationError, match="is an input and would be overwritten"):
            run(*_COMMAND, "--gold", gold, "--predictions", answers, "--output", file)
    for option in ("--output", "--predictions-out"):
        with pytest.raises(ConfigurationError, match="is an input and would be overwritten"):
            run(*_COMMAND, "--gold", gold, "--predictions", answers, option, answers)
    with pytest.raises(ConfigurationError, match="the same file as"):
        run(*_COMMAND, "--gold", gold, "--model", "toy", "--predictions-out", gold / "x", "-o", gold / "x")
    assert not model.steps


def test_what_is_no_file_is_refused(gold: Path, answers: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for options in (("--gold", pipe, "--predictions", answers), ("--gold", gold, "--predictions", pipe)):
        with pytest.raises(InputError, match="it is a pipe") as caught:
            run(*_COMMAND, *options)
        assert caught.value.remedy


@pytest.mark.usefixtures("model")
def test_published_answers_must_be_those_of_the_gold_data(gold: Path) -> None:
    write_json(gold / GOLD, {"1": PROCEDURE, "2": PROCEDURE})
    with pytest.raises(InputError, match=r"dev_schema_davinci_1\.json: .* missing: 2"):
        run(*_COMMAND, "--gold", gold, "--model", "toy")
