"""The evaluation of detected scenarios: the report on documents, and the command."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.result import Evaluation, System, from_json
from kgscripts.models import registry
from kgscripts.models.scenarios.protocol import ScenarioModel
from kgscripts.reproductions.scenarios.detection import evaluate_scenarios
from kgscripts.reproductions.scenarios.documents import gold_spans
from kgscripts.reproductions.scenarios.measures import count_labels, micro_score, window_errors
from kgscripts.reproductions.scenarios.predictions import (
    Predictions,
    pair_documents,
    predict,
    predict_on_gold,
    ranked,
    read_predictions,
)
from kgscripts.score_files import read_scores
from schemas.errors import InputError
from schemas.provenance import Direction, Exposure, Model
from schemas.results import Table
from schemas.scenario_documents import NONE, DetectedSegment, LabelledSegment, ScenarioDocument

BATH, HAIR, GYM = "taking a bath", "washing ones hair", "going to the gym"

Spans = Sequence[tuple[int, int, Sequence[str]]]


def _segments(spans: Spans) -> tuple[LabelledSegment, ...]:
    return tuple(LabelledSegment(start=start, end=end, scenarios=names) for start, end, names in spans)


def _document(name: str, sentences: int, *spans: tuple[int, int, Sequence[str]]) -> ScenarioDocument:
    return ScenarioDocument(id=name, sentences=["A sentence."] * sentences, segments=_segments(spans))


GOLD = [
    _document("a", 8, (0, 3, [BATH]), (1, 2, [HAIR]), (5, 8, [GYM])),
    _document("b", 4, (0, 4, [GYM])),
    _document("c", 1),
]
PREDICTED = {
    "a": _segments([(0, 2, [BATH, HAIR]), (2, 4, [NONE, BATH]), (4, 8, [GYM, NONE])]),
    "b": _segments([(0, 2, [HAIR]), (2, 4, [HAIR, GYM])]),
    "c": _segments([(0, 1, [GYM])]),
}


class FakeModel:
    """Gives every sentence a segment of its own, about one scenario; sentences that say so are None."""

    model = Model(name="fake", version="1", digest="0" * 64, task="scenarios")

    def __init__(self, scenario: str = BATH) -> None:
        self.scenario = scenario

    def _segment(self, start: int, end: int, text: str) -> DetectedSegment:
        none = "none" in text
        ranking = [(NONE, 0.6), (self.scenario, 0.4)] if none else [(self.scenario, 0.6), (HAIR, 0.3), (NONE, 0.1)]
        return DetectedSegment(start=start, end=end, ranking=tuple(ranking), scenarios=() if none else (self.scenario,))

    def detect(self, documents: Sequence[Sequence[str]]) -> list[list[DetectedSegment]]:
        return [[self._segment(place, place + 1, text) for place, text in enumerate(texts)] for texts in documents]


class FakeLabeller(FakeModel):
    """Also labels given segments."""

    def label(
        self, documents: Sequence[Sequence[str]], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[list[DetectedSegment]]:
        return [
            [self._segment(start, end, texts[start]) for start, end in given]
            for texts, given in zip(documents, spans, strict=True)
        ]


def _evaluated(
    gold: Sequence[ScenarioDocument], predictions: Predictions, on_gold: Predictions | None = None
) -> Evaluation:
    return evaluate_scenarios(gold, predictions, on_gold, dataset="stories", split="test")


def _values(system: System, metrics: Sequence[str], part: str = "") -> tuple[float, ...]:
    return tuple(system.value(metric, part) for metric in metrics)


MICRO = ("micro precision", "micro recall", "micro F1")
BOUNDARY = ("boundary precision", "boundary recall", "boundary F1")
CONFUSIONS, UNKNOWN = "confusions of two scenarios", "predicted labels that are neither listed nor gold"


def _direct_sentences(gold: ScenarioDocument, predicted: Spans) -> list[tuple[list[str], list[str]]]:
    """Gold labels and ranked labels of each sentence, sentence by sentence."""
    found = []
    for sentence in range(len(gold.sentences)):
        labels: list[str] = []
        ranking: list[str] = []
        for segment in gold.segments:
            if segment.start <= sentence < segment.end:
                labels += [name for name in segment.scenarios if name not in labels]
        for start, end, names in predicted:
            if start <= sentence < end:
                ranking += [name for name in names if name not in ranking]
        found.append((labels, ranking))
    return found


def test_the_rows_of_a_small_example() -> None:
    found = _evaluated(GOLD, PREDICTED)
    own = found.systems[0]
    items = {"documents": 3, "sentences": 13, "of them without a scenario": 3, "boundaries": 4}
    assert found.items == items
    # Sentence by sentence: right 1, 1, -, right None, -, 3; b none of 4; c not.
    right, wrong = 1 + 1 + 0 + 1 + 0 + 3, 1 + 1 + 4 + 1
    assert _values(own, MICRO) == pytest.approx((right / (right + wrong), right / 13, 2 * right / (right + wrong + 13)))
    # None is neither right nor wrong: five scenarios are right, six wrong, and ten sentences have some.
    assert _values(own, MICRO, "scenarios only") == pytest.approx((5 / 11, 5 / 10, 10 / 21))
    # Sentence 2 is called None: one false positive among the ten labelled sentences.
    assert _values(own, MICRO, "labelled sentences only") == pytest.approx((5 / 10, 5 / 10, 5 / 10))
    assert "labels on gold boundaries" not in own.parts
    assert own.value("boundaries", "segments as predicted") == 3
    assert _values(own, BOUNDARY, "segments as predicted") == pytest.approx((1 / 3, 1 / 4, 2 / 7))
    assert own.value("boundaries", "segments joined") == 2
    assert _values(own, ("sentences wrongly None", "sentences wrongly not None")) == (1, 2)
    assert found.tables == {CONFUSIONS: Table(columns=("gold", "predicted", "sentences"), rows=[(GYM, HAIR, 4)])}
    fourth = found.examples[9]
    assert (fourth.where, fourth.gold, fourth.found) == ("document b, sentence 1", (GYM,), (HAIR,))


labels = st.sampled_from((BATH, HAIR, GYM))


@st.composite
def _evaluations(draw: st.DrawFn) -> list[tuple[ScenarioDocument, list[tuple[int, int, list[str]]]]]:
    found = []
    for number in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 12))
        places = st.tuples(st.integers(0, length - 1), st.integers(1, length)).filter(lambda span: span[0] < span[1])
        gold = draw(st.lists(st.tuples(places, st.lists(labels, min_size=1, max_size=2, unique=True)), max_size=3))
        cuts = [0, *sorted(draw(st.sets(st.integers(1, max(1, length - 1)), max_size=4)) - {length}), length]
        ranking = st.lists(st.one_of(labels, st.just(NONE)), min_size=1, unique=True)
        predicted = [(start, end, draw(ranking)) for start, end in pairwise(cuts)]
        document = _document(str(number), length, *((start, end, names) for (start, end), names in gold))
        found.append((document, predicted))
    return found


@given(_evaluations(), st.randoms())
def test_the_report_is_that_of_the_definitions(
    items: list[tuple[ScenarioDocument, list[tuple[int, int, list[str]]]]], random: Any
) -> None:
    gold = [document for document, _ in items]
    predictions = {document.id: _segments(spans) for document, spans in items}
    found = _evaluated(gold, predictions)
    own = found.systems[0]

    right = wrong = labelled = labelled_right = labelled_wrong = 0.0
    for document, spans in items:
        for expected, ranking in _direct_sentences(document, spans):
            names = expected or [NONE]
            top = ranking[: len(names)]
            hits, errors = len(set(top) & set(names)) / len(names), len(set(top) - set(names))
            right, wrong = right + hits, wrong + errors
            if expected:
                labelled, labelled_right, labelled_wrong = labelled + 1, labelled_right + hits, labelled_wrong + errors
    total = sum(len(document.sentences) for document in gold)
    assert _values(own, MICRO[:2]) == pytest.approx((right / (right + wrong), right / total))
    labelled_precision, labelled_recall = _values(own, MICRO[:2], "labelled sentences only")
    assert labelled_recall == pytest.approx(labelled_right / labelled if labelled else 0)
    assert own.value("micro recall", "scenarios only") == labelled_recall
    considered = labelled_right + labelled_wrong
    assert labelled_precision == pytest.approx(labelled_right / considered if considered else 0)

    errors_by_document = []
    for document, spans in items:
        sets = [set(labels) for labels in document.labels()]
        changes = [one != other for one, other in pairwise(sets)]
        starts = {start for start, _, _ in spans}
        if changes:
            errors_by_document.append(window_errors(changes, [place in starts for place in range(1, len(sets))]))
    if errors_by_document:
        expected_pk = sum(pk for pk, _ in errors_by_document) / len(errors_by_document)
        assert own["P_k"] == pytest.approx(expected_pk)

    random.shuffle(gold)
    again = _evaluated(gold, predictions)
    assert (again.items, again.systems, again.tables) == (found.items, found.systems, found.tables)


@given(_evaluations())
def test_gold_documents_as_predictions_are_perfect(items: list[tuple[ScenarioDocument, Any]]) -> None:
    gold = [document for document, _ in items]
    perfect = _evaluated(gold, {document.id: document.segments for document in gold})
    macro = ("macro precision", "macro recall", "macro F1")
    assert _values(perfect.systems[0], MICRO) == _values(perfect.systems[0], macro, "all sentences") == (1, 1, 1)
    assert not perfect.tables
    split = {
        document.id: _segments(
            [(start, end, document.labels()[start] or [NONE]) for start, end in gold_spans(document)]
        )
        for document in gold
    }
    own = _evaluated(gold, split).systems[0]
    assert (own.get("P_k") or 0, own.get("WindowDiff") or 0) == (0, 0)
    assert _values(own, BOUNDARY, "segments as predicted") == (1, 1, 1)


def test_variants_of_a_label_are_the_same_and_unknown_ones_are_named() -> None:
    gold = [_document("a", 2, (0, 2, ["going to the gym"]))]
    found = _evaluated(gold, {"a": _segments([(0, 2, ["Go to the gym", "juggling with eels", BATH])])})
    assert found.systems[0]["micro F1"] == 1
    assert found.tables[UNKNOWN].rows == (("juggling with eels",),)
    own = [_document("a", 2, (0, 2, ["juggling with eels"]))]
    assert not _evaluated(own, {"a": _segments([(0, 2, ["juggling with eels"])])}).tables


def test_the_labels_that_a_segment_is_said_to_be_about_precede_the_ranking() -> None:
    ranking = ((GYM, 0.4), (NONE, 0.35), (BATH, 0.25))
    decided = DetectedSegment(start=0, end=1, ranking=ranking, scenarios=(BATH,))
    assert ranked(decided).scenarios == (BATH, GYM, NONE)
    assert ranked(DetectedSegment(start=0, end=1, ranking=ranking)).scenarios == (NONE, GYM, BATH)


def test_labels_on_gold_boundaries_are_those_of_given_segments() -> None:
    model = FakeLabeller()
    gold = [_document("a", 6, (0, 2, [BATH]), (1, 2, [HAIR]), (4, 6, [GYM]))]
    predicted, on_gold = predict(model, gold, on_documents=lambda _: None), predict_on_gold(model, gold)
    assert [(item.start, item.end) for item in on_gold["a"]] == [(0, 1), (1, 2), (2, 4), (4, 6)]
    own, part = _evaluated(gold, predicted, on_gold).systems[0], "labels on gold boundaries"
    assert _values(own, MICRO, part) == pytest.approx((2 / 6, 2 / 6, 2 / 6))
    assert _values(own, ("right in first 1", "right in first 5"), part) == pytest.approx((2 / 3, 2 / 3))


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (GOLD, {"a": (), "c": ()}, "missing: b"),
        (GOLD, {**PREDICTED, "x": ()}, "extra: x"),
        (
            [_document(str(number), 1) for number in range(9)],
            {"y": ()},
            "missing: 0, 1, 2, 3, 4 and 4 more; extra: y",
        ),
        ([*GOLD, GOLD[0]], PREDICTED, "twice in the gold answers: a"),
        (GOLD, {**PREDICTED, "c": _segments([(0, 2, [BATH])])}, "document c: a segment ends at sentence 2 of 1"),
        (GOLD, {**PREDICTED, "c": _segments([(0, 1, ["..."])])}, "document c: no scenario in '...'"),
        ([_document("a", 0)], {"a": ()}, "the gold documents have no sentence"),
        ([], {}, "no gold answers"),
    ],
)
def test_what_does_not_fit_is_named(gold: list[ScenarioDocument], predicted: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        _evaluated(gold, predicted)
    assert message in str(error.value)
    assert error.value.remedy


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "{}",
        '{"id": "a"}',
        '{"id": "a", "segments": {}}',
        '{"id": "a", "segments": [3]}',
        '{"id": "a", "segments": [{"start": 0, "end": 1}]}',
        '{"id": "a", "segments": [{"start": 0, "end": 1, "scenarios": "taking a bath"}]}',
        '{"id": "a", "segments": [{"start": 0, "end": 1, "scenarios": [1]}]}',
        '{"id": "a", "segments": [{"start": 0, "end": "1", "scenarios": []}]}',
        '{"id": "a", "segments": [{"start": 0, "end": 1.5, "scenarios": []}]}',
        '{"id": "a", "segments": [{"start": false, "end": true, "scenarios": []}]}',
        '{"id": "a", "segments": [{"start": 1, "end": 1, "scenarios": []}]}',
        '{"id": "a", "segments": [{"start": -1, "end": 1, "scenarios": []}]}',
        '{"id": "a", "segments": [{"start": 0, "end": 1, "scenarios": ["\\ud800"]}]}',
        '{"id": "a", "segments": []}\n{"id": "a", "segments": []}',
        '{"id": "a", "segments": []}\n{"id": "b", "segm',
    ],
)
def test_malformed_predictions_are_refused(line: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_predictions(path)
    assert error.value.where == f"{path.name}:{1 + line.count(chr(10))}"
    assert error.value.remedy


def _write(path: Path, documents: Sequence[ScenarioDocument]) -> Path:
    rows = [
        {
            "id": document.id,
            "sentences": document.sentences,
            "segments": [
                {"start": item.start, "end": item.end, "scenarios": item.scenarios} for item in document.segments
            ],
        }
        for document in documents
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return _write(tmp_path / "test.jsonl", GOLD)


def _ship(monkeypatch: pytest.MonkeyPatch, model: ScenarioModel) -> None:
    monkeypatch.setattr(registry, "load", lambda _task, _name: model)


def _run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["scenarios", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def _scores(*arguments: object) -> Evaluation:
    [found] = from_json(json.loads(_run(*arguments, "--json")))
    return found


def test_predictions_of_a_model_can_be_read_again(gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ship(monkeypatch, FakeLabeller())
    written = tmp_path / "predictions.jsonl"
    own = _scores("--gold", gold, "--model", "fake", "--predictions-out", written).systems[0]
    again = _scores("--gold", gold, "--predictions", written).systems[0]
    assert (own.name, own.source, again.name, again.source) == ("fake", "fake", written.name, "")
    assert [figure for figure in own.figures if figure.part != "labels on gold boundaries"] == list(again.figures)
    paired = pair_documents(GOLD, read_predictions(written))
    boundaries = paired.boundaries()
    expected = [micro_score(count_labels(paired.outcomes()).values()).f1, boundaries.pk, boundaries.window_diff]
    assert _values(own, ("micro F1", "P_k", "WindowDiff")) == tuple(round(value or 0, 4) for value in expected)


def test_a_model_without_given_segments_has_no_labels_on_gold_boundaries(
    gold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(monkeypatch, FakeModel())
    assert "labels on gold boundaries" not in _run("--gold", gold, "--model", "fake")
    _ship(monkeypatch, FakeLabeller())
    assert "labels on gold boundaries" in _run("--gold", gold, "--model", "fake")


def test_the_output_fits_80_columns_and_shows_the_published_scores(
    gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ship(monkeypatch, FakeLabeller("x" * 200))
    output = tmp_path / "scores.json"
    shown = _run("--gold", gold, "--model", "fake", "--output", output, "--examples", 13)
    assert max(map(len, shown.splitlines())) <= 80
    assert "TopicTiling" in shown
    assert "43.00" in shown
    assert UNKNOWN in shown
    assert "document b, sentence 3" in shown
    [found] = from_json(json.loads(output.read_text(encoding="utf-8")))
    assert (found.dataset, found.split, found.items["documents"]) == ("test.jsonl", "test", 3)


def test_scores_are_attached_to_the_card(gold: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _ship(monkeypatch, FakeModel())
    monkeypatch.setattr(registry, "find_checkpoint", lambda name, _: tmp_path / name)
    arguments = ("--gold", gold, "--model", "fake", "--split", "mine", "--attach-as", "development")
    own = _scores(*arguments).systems[0]
    scores = read_scores(tmp_path / "fake")
    assert {(score.dataset, score.split, score.exposure) for score in scores} == {
        ("test.jsonl", "mine", Exposure.DEVELOPMENT)
    }
    values = {score.metric: score.value for score in scores}
    assert list(values) == [*MICRO, "macro F1", "P_k", "WindowDiff"], "as on the cards that ship"
    assert (values["micro F1"], values["P_k"]) == _values(own, ("micro F1", "P_k"))
    lower = {score.metric for score in scores if score.direction is Direction.LOWER}
    assert lower == {"P_k", "WindowDiff"}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--model", "fake", "--predictions", "file"],
        ["--predictions", "file", "--attach-as", "unseen"],
    ],
)
def test_options_that_contradict_each_other_are_refused(arguments: list[str], gold: Path) -> None:
    result = CliRunner().invoke(app, ["scenarios", "--gold", str(gold), *arguments])
    assert result.exit_code == 2
