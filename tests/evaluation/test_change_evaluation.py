"""The evaluation of state changes: groups, errors, METEOR, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from kgscripts.commands import evaluate_state_changes_output as printed
from kgscripts.commands.evaluate import app
from kgscripts.corpora.openpi.change_template import parse_change
from kgscripts.evaluation.changes.answers import read_answers, read_steps, steps_beside
from kgscripts.evaluation.changes.errors import count_errors
from kgscripts.evaluation.changes.meteor import meteor_scores
from kgscripts.evaluation.changes.report import evaluate_changes
from kgscripts.evaluation.changes.scores import official_scores
from kgscripts.models import registry
from schemas.changes import PredictedChange, ProcedureStep
from schemas.errors import ConfigurationError, InputError
from schemas.provenance import Exposure

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


def _scores_of(*names: str) -> object:
    return official_scores({name: GOLD[name] for name in names}, {name: PREDICTED[name] for name in names})


def test_groups_have_the_scores_of_their_steps(split: Path) -> None:
    report = evaluate_changes(GOLD, PREDICTED, read_steps(split))
    first, second, third, fourth = GOLD
    assert {name: group.scores for name, group in report.topics.items()} == {
        "seen": _scores_of(first, second),
        "unseen": _scores_of(third, fourth),
        "Food": _scores_of(first, second),
        "Health": _scores_of(third, fourth),
    }
    assert {name: group.scores for name, group in report.positions.items()} == {
        "1": _scores_of(first, third),
        "2": _scores_of(second, fourth),
    }
    assert {name: group.steps for name, group in report.modalities.items()} == {"with_image": 3, "without_image": 1}
    without = official_scores({first: GOLD[first][1:]}, {first: PREDICTED[first]})
    assert report.modalities["without_image"].scores == without
    assert report.scores.official == _scores_of(*GOLD)
    assert (report.steps, report.gold_answers, report.predictions) == (4, 4, 5)


def test_topics_that_the_model_was_not_trained_on_can_be_given(split: Path) -> None:
    topics = evaluate_changes(GOLD, PREDICTED, read_steps(split), unseen=["Food", "Health"]).topics
    assert topics["unseen"].steps == 4
    assert "seen" not in topics


def test_without_questions_only_positions_are_known() -> None:
    report = evaluate_changes(
        {**GOLD, "odd": [], "x||٣": [], "x||77": []}, {**PREDICTED, "odd": [], "x||٣": [], "x||77": []}
    )
    assert not report.topics
    assert not report.modalities
    assert {name: group.steps for name, group in report.positions.items()} == {"1": 2, "2": 2, "6 and later": 1}


def test_errors_are_those_against_the_closest_answer() -> None:
    errors = count_errors(GOLD, PREDICTED)
    assert (errors.predictions, errors.without_gold, errors.unreadable) == (5, 1, 1)
    assert (errors.attribute, errors.entity, errors.adjective, errors.relational_phrase, errors.wrong) == (
        1,
        1,
        1,
        1,
        2,
    )


def test_meteor_needs_the_data_of_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk.corpus

    class NoData:
        def ensure_loaded(self) -> None:
            raise LookupError("wordnet")

    class Words:
        def ensure_loaded(self) -> None:
            """The data are there."""

        def synsets(self, _: str) -> list[object]:
            return []

    monkeypatch.setattr(nltk.corpus, "wordnet", NoData())
    assert meteor_scores(GOLD, PREDICTED) is None
    monkeypatch.setattr(nltk.corpus, "wordnet", Words())
    scores = meteor_scores(GOLD, PREDICTED)
    assert scores is not None
    assert 0 < scores.f1 < scores.recall < 1
    same = meteor_scores(GOLD, GOLD)
    assert same is not None
    assert same.f1 > 0.99
    monkeypatch.setattr("kgscripts.evaluation.changes.meteor.find_spec", lambda _: None)
    assert meteor_scores(GOLD, PREDICTED) is None


def test_json_has_percentages(split: Path, predictions: Path, tmp_path: Path) -> None:
    file = tmp_path / "scores.json"
    content = json.loads(_run("--gold", split, "--predictions", predictions, "--json", "--output", file))
    assert json.loads(file.read_text(encoding="utf-8")) == content
    official = official_scores(GOLD, PREDICTED)
    for name in ("exact", "bleu", "rouge", "one_to_one", "clusters"):
        assert {"p", "r", "f1"} <= content[name].keys()
    assert content["bleu"] == {
        key: round(100 * value, 2) for key, value in zip(("p", "r", "f1"), official.bleu, strict=True)
    }
    assert content["one_to_one"]["f1"] == content["one_to_one"]["rouge"]["f1"]
    assert content["topics"]["Health"]["steps"] == 2
    assert content["errors"]["wrong"] == 2


def test_text_shows_published_scores_in_80_columns(split: Path, predictions: Path) -> None:
    shown = _run("--gold", split / "id_answers.jsonl", "--predictions", predictions)
    for part in ("published: all", "16.1", "17.1", "15.7", "14.3", "964 (59 %)", "unseen topics", "step 2"):
        assert part in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_examples_are_spread_over_the_steps(split: Path, predictions: Path) -> None:
    shown = _run("--gold", split, "--predictions", predictions, "--examples", 2)
    assert "Fill the kettle." in shown
    assert "Wait." in shown
    assert "Boil it." not in shown
    assert "1.00  fullness of kettle" in shown
    assert "0.00  state of tea" in shown
    assert _run("--gold", split, "--predictions", predictions, "--examples", 99).count("www.") == len(GOLD)


class _Model:
    """Predicts what `PREDICTED` has, and remembers the steps."""

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
    content = json.loads(_run("--gold", split, "--model", "toy", *options, "--predictions-out", file, "--json"))
    assert [(step.text, step.context, step.title) for step in model.steps[:2]] == [
        ("Fill the kettle.", (), "Boil Water"),
        ("Boil it.", ("Fill the kettle.",), "Boil Water"),
    ]
    again = json.loads(_run("--gold", split, "--predictions", file, "--json"))
    assert content == again | {"model": "toy"}
    assert read_answers(file)[f"{KETTLE}||2"] == PREDICTED[f"{KETTLE}||2"]


def test_scores_for_a_card_are_percentages() -> None:
    scores = evaluate_changes(GOLD, PREDICTED).benchmark_scores("OpenPI", "dev", Exposure.DEVELOPMENT)
    assert [score.metric for score in scores[:4]] == ["exact precision", "exact recall", "exact F1", "BLEU precision"]
    assert len({score.metric for score in scores}) == 27
    assert {(score.dataset, score.split, score.unit) for score in scores} == {("OpenPI", "dev", "percent")}


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
    content = json.loads(_run("--gold", gold, "--predictions", _answers_file(tmp_path / "odd.jsonl", odd), "--json"))
    assert content["exact"] == {"p": 16.67, "r": 100.0, "f1": 28.57}


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
    steps = {name: SimpleNamespace(id=name, topic="T" * 99, answers=()) for name in GOLD}
    printed.print_report(evaluate_changes(GOLD, PREDICTED, steps))  # type: ignore[arg-type]
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
