"""The evaluation of state changes: groups, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.commands.evaluation_output import print_evaluations
from kgscripts.evaluation.counting import Score
from kgscripts.evaluation.result import Evaluation, Role, System, from_json
from kgscripts.models import registry
from kgscripts.models.checkpoint import read_card
from kgscripts.models.registry import find_checkpoint
from kgscripts.reproductions.openpi.answers import read_answers, read_steps, steps_beside
from kgscripts.reproductions.openpi.change_template import parse_change
from kgscripts.reproductions.openpi.predicted import PUBLISHED, evaluate_changes
from kgscripts.reproductions.openpi.scores import METRICS, StepScores
from schemas.changes import PredictedChange, ProcedureStep
from schemas.errors import ConfigurationError, InputError
from schemas.provenance import Exposure, Model
from tests.evaluation.plain_change_scores import official_scores

KETTLE, TEA = "www.wikihow.com/Boil-Water", "www.wikihow.com/Make-Tea"
GOLD = {
    f"{KETTLE}||1": ["fullness of kettle was empty before and full afterwards", "weight of kettle was light before"],
    f"{KETTLE}||2": ["temperature of water was cold before and hot afterwards"],
    f"{TEA}||1": [],
    f"{TEA}||2": ["location of tea was in bag before and in cup afterwards"],
}
PREDICTED = {
    f"{KETTLE}||1": ["fullness of kettle was empty before and full afterwards", "it shines"],
    f"{KETTLE}||2": ["heat of the pan was cold before and boiling afterwards"],
    f"{TEA}||1": ["state of tea was dry before and wet afterwards"],
    f"{TEA}||2": ["location of tea was on shelf before and in cup afterwards"],
}
TOPICS = {KETTLE: "Food", TEA: "Health"}


def _write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _answers_file(path: Path, answers: dict[str, list[str]]) -> Path:
    return _write(path, [{"id": name, "answers": sentences} for name, sentences in answers.items()])


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """A folder with the four official files."""
    folder = tmp_path / "dev"
    folder.mkdir()
    _answers_file(folder / "id_answers.jsonl", GOLD)
    queries = dict(zip(GOLD, ("Fill the kettle.", "Boil it.", "Wait.", "Pour the tea."), strict=True))
    facts = {name: {"query": text, "context": "", "topic": TOPICS[name[:-3]]} for name, text in queries.items()}
    _write(
        folder / "id_question.jsonl",
        [{"id": name, "question": f" {text} Now, what happens?"} for name, text in queries.items()],
    )
    _write(
        folder / "id_question_metadata.jsonl", [{"id": name, "question_metadata": fact} for name, fact in facts.items()]
    )
    modalities = {
        name: [
            {"answer": answer, "modality": ("with_image", "without_image")[index % 2]}
            for index, answer in enumerate(answers)
        ]
        for name, answers in GOLD.items()
    }
    _write(
        folder / "id_answers_metadata.jsonl",
        [{"id": name, "answers_metadata": facts} for name, facts in modalities.items()],
    )
    return folder


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    return _answers_file(tmp_path / "predictions.jsonl", PREDICTED)


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["state-changes", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def _evaluated(*arguments: Any, **options: Any) -> Evaluation:
    return evaluate_changes(*arguments, dataset="OpenPI", split="dev", **options)


def _scores_of(*names: str) -> StepScores:
    return official_scores({name: GOLD[name] for name in names}, {name: PREDICTED[name] for name in names})


def _official(system: System, part: str = "") -> StepScores:
    kinds = ("precision", "recall", "F1")
    return StepScores(
        *(Score(*(system.value(f"{name} {kind}", part) for kind in kinds)) for name in ("exact", "BLEU", "ROUGE"))
    )


def test_parts_have_the_scores_of_their_steps(split: Path) -> None:
    found = _evaluated(GOLD, PREDICTED, read_steps(split))
    own = found.systems[0]
    first, second, third, fourth = GOLD
    without = official_scores({first: GOLD[first][1:]}, {first: PREDICTED[first]})
    expected = {
        "": _scores_of(*GOLD),
        "seen topics": _scores_of(first, second),
        "unseen topics": _scores_of(third, fourth),
        "Food": _scores_of(first, second),
        "Health": _scores_of(third, fourth),
        "without image": without,
    }
    for part, scores in expected.items():
        for kind, value in zip(METRICS, _official(own, part), strict=True):
            assert tuple(value) == pytest.approx(tuple(getattr(scores, kind))), part
    assert own.value("steps", "with image") == 3
    assert own.value("steps", "without image") == 1
    assert found.items == {"steps": 4, "gold answers": 4, "distinct predictions": 5}
    published = found.systems[1]
    assert (published.role, published["BLEU F1"], published.value("BLEU F1", "seen topics")) == (
        Role.PUBLISHED,
        0.161,
        0.171,
    )
    assert {figure.metric for figure in PUBLISHED.figures} < {figure.metric for figure in own.figures}


def test_topics_that_the_model_was_not_trained_on_can_be_given(split: Path) -> None:
    own = _evaluated(GOLD, PREDICTED, read_steps(split), unseen=["Food", "Health"]).systems[0]
    assert own.value("steps", "unseen topics") == 4
    assert "seen topics" not in own.parts


def test_without_questions_no_parts_are_known() -> None:
    assert _evaluated(GOLD, PREDICTED).systems[0].parts == ()


def _scores(*arguments: object) -> Evaluation:
    [found] = from_json(json.loads(_run(*arguments, "--json")))
    return found


def test_the_command_gives_the_official_scores(split: Path, predictions: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    found = _scores("--gold", split, "--predictions", predictions, "--output", file)
    assert from_json(json.loads(file.read_text(encoding="utf-8"))) == [found]
    assert (found.dataset, found.split, found.systems[0].name) == ("OpenPI", "dev", predictions.name)
    official = official_scores(GOLD, PREDICTED)
    assert _official(found.systems[0]).bleu == tuple(round(value, 4) for value in official.bleu)
    assert _scores("--gold", split, "--predictions", predictions, "--split", "mine").split == "mine"


def test_text_shows_published_scores_in_80_columns(split: Path, predictions: Path) -> None:
    shown = _run("--gold", split / "id_answers.jsonl", "--predictions", predictions)
    for part in ("published:", "16.10", "17.10", "15.70", "14.30", "unseen topics"):
        assert part in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_examples_are_spread_over_the_steps(split: Path, predictions: Path) -> None:
    shown = _run("--gold", split, "--predictions", predictions, "--examples", 2)
    assert "Fill the kettle." in shown
    assert "Wait." in shown
    assert "Boil it." not in shown
    assert "1.00 fullness of kettle" in shown
    assert "0.00 state of tea" in shown
    assert _run("--gold", split, "--predictions", predictions, "--examples", 99).count("www.") == len(GOLD)


class _Model:
    """Predicts what `PREDICTED` has, and remembers the steps."""

    model = Model(name="toy", version="1", digest="0" * 64, task="state changes")

    def __init__(self) -> None:
        self.steps: list[ProcedureStep] = []

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        self.steps += steps
        changes = ([sentence for sentence in answers if " was " in sentence] for answers in PREDICTED.values())
        return [
            [PredictedChange(change=parse_change(sentence), log_probability=-1.0) for sentence in answers]
            for answers in changes
        ]


@pytest.mark.parametrize("questions", ["", "id_question_metadata.jsonl"])
def test_predictions_of_a_model_can_be_written_and_read(
    split: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, questions: str
) -> None:
    model = _Model()
    monkeypatch.setattr(
        registry, "load", lambda task, name: model if (task, name) == ("state-changes", "toy") else None
    )
    file = tmp_path / "out.jsonl"
    options = ("--questions", split / questions) if questions else ()
    own = _scores("--gold", split, "--model", "toy", *options, "--predictions-out", file).systems[0]
    assert [(step.text, step.context, step.title) for step in model.steps[:2]] == [
        ("Fill the kettle.", (), "Boil Water"),
        ("Boil it.", ("Fill the kettle.",), "Boil Water"),
    ]
    again = _scores("--gold", split, "--predictions", file).systems[0]
    assert (own.name, own.source, own.figures) == ("toy", "toy", again.figures)
    assert read_answers(file)[f"{KETTLE}||2"] == PREDICTED[f"{KETTLE}||2"]


def test_scores_for_a_card_are_those_that_ship() -> None:
    found = _evaluated(GOLD, PREDICTED)
    scores = found.benchmark_scores(found.systems[0], Exposure.DEVELOPMENT)
    card, _ = read_card(find_checkpoint("state-changes"))
    assert [score.metric for score in scores] == [score.metric for score in card.scores]
    assert {(score.dataset, score.split) for score in scores} == {("OpenPI", "dev")}


_LINE = '{"id": "a||1", "answers": ["oil was hot before"]}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "missing: a||1"),
        (_LINE + _LINE, "bad.jsonl:2: the id 'a||1' occurs twice"),
        (_LINE[:20], "bad.jsonl:1: not JSON"),
        (_LINE + _LINE[:-3], "bad.jsonl:2: not JSON"),
        ("[1]\n", "not a JSON object"),
        ('{"answers": []}\n', '"id" is not a string'),
        ('{"id": 1, "answers": []}\n', '"id" is not a string'),
        ('{"id": "a||1"}\n', '"answers" is not a list of strings'),
        ('{"id": "a||1", "answers": "oil"}\n', '"answers" is not a list of strings'),
        ('{"id": "a||1", "answers": [1]}\n', '"answers" is not a list of strings'),
        ('{"id": "a||1", "answers": ["\\ud800"]}\n', "surrogate"),
        ("\x00\x01\x02\x03\x04\x05\n", "not a JSON object"),
        ('{"id": "b||1", "answers": []}\n', "missing: a||1; extra: b||1"),
        (_LINE + '{"id": "b||1", "answers": []}\n', "extra: b||1"),
    ],
)
def test_bad_predictions_are_errors_that_say_where(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(content, encoding="utf-8")
    gold = _answers_file(tmp_path / "gold.jsonl", {"a||1": ["oil was hot before"]})
    with pytest.raises(InputError) as caught:
        _run("--gold", gold, "--predictions", file)
    assert message in str(caught.value)


def test_odd_predictions_have_scores(tmp_path: Path) -> None:
    odd = {"a||1": ["🔥" * 3, "油 was 冷 before", "", "x " * 5000, "oil was hot before", "There will be no change."]}
    gold = _answers_file(tmp_path / "gold.jsonl", {"a||1": ["oil was hot before"]})
    own = _scores("--gold", gold, "--predictions", _answers_file(tmp_path / "odd.jsonl", odd)).systems[0]
    assert _official(own).exact == (0.1667, 1.0, 0.2857)


def test_files_that_are_missing_are_errors(tmp_path: Path, split: Path, predictions: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        _run("--gold", tmp_path / "none.jsonl", "--predictions", predictions)
    with pytest.raises(InputError, match="no such file"):
        _run("--gold", split, "--predictions", predictions, "--questions", tmp_path / "none")
    with pytest.raises(ConfigurationError, match="no file can be written"):
        _run("--gold", split, "--predictions", predictions, "--predictions-out", tmp_path)
    gold = _answers_file(tmp_path / "gold.jsonl", {"other||1": []})
    with pytest.raises(InputError, match=r"no question for 1 ids of the gold answers, such as other\|\|1"):
        _run("--gold", gold, "--predictions", gold, "--questions", split)
    assert steps_beside(gold) == {}


@pytest.mark.parametrize(
    "options", [(), ("--predictions", "p", "--model", "m"), ("--predictions", "p", "--attach-as", "unseen")]
)
def test_options_that_contradict_each_other_are_refused(split: Path, options: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["state-changes", "--gold", str(split), *options])
    assert result.exit_code == 2


def test_long_names_of_topics_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    steps = {name: SimpleNamespace(id=name, text="", topic="T" * 99, answers=()) for name in GOLD}
    print_evaluations([_evaluated(GOLD, PREDICTED, steps)])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
