"""The weights of candidates of state changes: fitted to judged steps by hand, and the judged steps that ship."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import lightning_modules.learning.change_ratings as training
from kgscripts.changes.attributes import in_vocabulary
from kgscripts.evaluation.step_changes import gold_steps
from kgscripts.extractors.changes.change_ratings import read_ratings
from lightning_modules.learning.change_ratings import Judged, fit_judged, judged_candidates, train_change_ratings
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.errors import StoreError
from schemas.provenance import Model
from tests.commands import run

_THINGS = ("cup", "plate", "pot", "spoon", "bowl", "pan", "glass", "fork")


def _row(thing: str) -> dict[str, Any]:
    """A procedure whose second step brings nothing about: things become wet, clean and dry, and never flat."""
    return {
        "title": "How to do the dishes",
        "steps": [f"Wash the {thing}.", "Do not hurry.", f"Dry the {thing} with a towel."],
        "judged": {
            "1": [
                [thing, "wetness", "dry", "wet", 1],
                [thing, "cleanliness", "dirty", "clean", 1],
                [thing, "shape", "round", "flat", 0],
                ["sky", "color", "grey", "blue", 0],
            ],
            "3": [
                [thing, "wetness", "wet", "dry", 1],
                [thing, "shape", "round", "flat", 0],
                ["sun", "size", "", "big", 0],
            ],
        },
    }


ROWS = [_row(thing) for thing in _THINGS]


_MODEL = Model(name="fixed", version="1", digest="1" * 64, task="state changes")


@define
class FixedModel:
    """Finds it as probable that things become flat as that they become wet or dry, and a blue sky improbable."""

    model: Model = _MODEL
    seen: list[ProcedureStep] = field(factory=list)

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        return [[] for _ in steps]

    def considered(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        self.seen += steps
        return [list(map(self._predicted, self._changes(step.text))) for step in steps]

    @staticmethod
    def _changes(text: str) -> list[tuple[str, str, str, str, float]]:
        thing = next(thing for thing in _THINGS if f"the {thing}" in text)
        return [
            (thing, "wetness", *(("dry", "wet") if text[0] == "W" else ("wet", "dry")), 0.6),
            (thing, "shape", "round", "flat", 0.6),
            ("sky", "color", "grey", "blue", 0.01),
        ]

    @staticmethod
    def _predicted(parts: tuple[str, str, str, str, float]) -> PredictedChange:
        entity, attribute, before, after, odds = parts
        change = Change(entity=entity, attribute=attribute, before=before, after=after)
        return PredictedChange(change=change, log_probability=math.log(odds))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> FixedModel:
    monkeypatch.setattr(training, "_rows", lambda: iter(ROWS))
    fixed = FixedModel()
    monkeypatch.setattr(training, "load", lambda *_: fixed)
    return fixed


def _kinds(judged: Sequence[Judged]) -> set[tuple[str, bool]]:
    """The attribute of each candidate, and whether it is true."""
    attributes = {"wetness", "cleanliness", "shape", "color", "size"}
    return {(name, item.is_true) for item in judged for name in attributes & item.features.keys()}


def test_candidates_that_were_judged_are_found_in_their_steps(model: FixedModel) -> None:
    judged = judged_candidates(model)
    assert [step.text[:4] for step in model.seen] == ["Wash", "Dry "] * len(_THINGS)
    assert {step.title for step in model.seen} == {"How to do the dishes"}
    assert _kinds(judged) == {("wetness", True), ("cleanliness", True), ("shape", False), ("color", False)}
    assert [sum(item.procedure == number for item in judged) for number in range(len(_THINGS))] == [6] * len(_THINGS)


def test_what_was_not_judged_does_not_count(model: FixedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**ROWS[0], "judged": {"3": [["cup", "wetness", "dry", "wet", 1], ["cup", "shape", "round", "flat", 1]]}}
    monkeypatch.setattr(training, "_rows", lambda: iter([row]))
    (judged,) = judged_candidates(model)
    assert (judged.is_true, judged.features["shape"]) == (True, 1)


def test_fitted_weights_prefer_what_is_true(model: FixedModel) -> None:
    fitted = fit_judged(judged_candidates(model))
    for item, probability in zip(fitted.judged, fitted.probabilities, strict=True):
        assert (fitted.weights.probability(item.features) > 0.5) == item.is_true
        assert (probability > 0.5) == item.is_true, "by weights that were fitted to other procedures"
    assert fitted.weights.features["verb"] > 0 > fitted.weights.features["shape"]


def test_features_of_few_candidates_have_no_weight() -> None:
    judged = [Judged(number, {"always": 1.0, f"rare {number // 2}": 1.0}, number % 3 > 0) for number in range(16)]
    assert set(fit_judged(judged).weights.features) == {"always"}


def test_without_features_the_share_of_true_ones_is_the_probability() -> None:
    judged = [Judged(number, {}, number % 4 > 0) for number in range(16)]
    assert fit_judged(judged).weights.probability({}) == pytest.approx(0.75, abs=1e-3)


def test_of_each_procedure_the_probabilities_are_those_of_the_others() -> None:
    own = [Judged(number, {"odd": 1.0}, number == 3) for number in range(16)]
    fitted = fit_judged([*own, *(Judged(3, {"odd": 1.0}, True) for _ in range(20))])
    of_three = {odds for item, odds in zip(fitted.judged, fitted.probabilities, strict=True) if item.procedure == 3}
    others = {odds for item, odds in zip(fitted.judged, fitted.probabilities, strict=True) if item.procedure != 3}
    assert max(of_three) < 0.1 < fitted.weights.probability({"odd": 1.0})
    assert max(others) > 0.5


def test_the_command_writes_the_weights_and_prints_how_they_are_calibrated(model: FixedModel, tmp_path: Path) -> None:
    out = tmp_path / "ratings.json"
    shown = run("train", "change-ratings", "--out", out)
    assert "expected calibration error" in shown
    assert "48 judged candidates" in shown
    content = json.loads(out.read_text(encoding="utf-8"))
    assert (content["candidates"], content["model"]) == (48, model.model.digest)
    fitted = fit_judged(judged_candidates(model))
    assert read_ratings(out.read_text(encoding="utf-8")) == fitted.weights
    train_change_ratings(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == out.read_bytes()


@pytest.mark.usefixtures("model")
def test_weights_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        train_change_ratings(tmp_path / "file" / "ratings.json")


def _shipped() -> list[dict[str, Any]]:
    path = resources.files("lightning_modules.learning") / "data" / "change_ratings.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_judged_steps_that_ship_are_well_formed() -> None:
    rows = _shipped()
    assert len(rows) > 20
    for row in rows:
        assert row.keys() == {"title", "steps", "judged"}
        assert isinstance(row["title"], str)
        assert row["steps"]
        assert all(step and step == " ".join(step.split()) for step in row["steps"])
        assert set(row["judged"]) <= {str(number) for number in range(1, len(row["steps"]) + 1)}
        for judged in row["judged"].values():
            for entity, attribute, before, after, is_true in judged:
                assert all(isinstance(word, str) for word in (entity, attribute, before, after))
                assert entity
                assert attribute
                assert after
                assert type(is_true) is int
                assert is_true in (0, 1)


def test_no_candidate_that_ships_is_judged_in_two_ways() -> None:
    for row in _shipped():
        for number, judged in row["judged"].items():
            verdicts: dict[tuple[str, ...], set[int]] = {}
            for *parts, is_true in judged:
                verdicts.setdefault(tuple(parts), set()).add(is_true)
            assert all(len(found) == 1 for found in verdicts.values()), (row["title"], number)


def test_both_verdicts_are_frequent_and_most_attributes_are_those_of_the_vocabulary() -> None:
    judged = [each for row in _shipped() for items in row["judged"].values() for each in items]
    true = sum(is_true for *_, is_true in judged)
    assert 0.15 < true / len(judged) < 0.85
    known = sum(in_vocabulary(attribute, before, after)[0] == attribute for _, attribute, before, after, _ in judged)
    assert known / len(judged) > 0.9


def test_no_procedure_ships_twice() -> None:
    procedures = [(row["title"], *row["steps"]) for row in _shipped()]
    assert len(set(procedures)) == len(procedures)


@pytest.mark.parametrize("split", ["development", "unseen"])
def test_no_judged_step_is_one_of_the_evaluation(split: str) -> None:
    judged = {row["steps"][int(number) - 1] for row in _shipped() for number in row["judged"]}
    assert not judged & {item.step for item in gold_steps(split)}
