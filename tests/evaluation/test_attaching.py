"""Keeping scores with models: what is kept, what replaces what, and that development data never becomes unseen."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from kgscripts.evaluation.attaching import attach_evaluations
from kgscripts.evaluation.result import Evaluation, Figure, Role, System, counts, shares
from kgscripts.models.checkpoint import (
    CARD,
    SLICE,
    is_checkpoint,
    load_checkpoint,
    read_card,
    save_checkpoint,
)
from kgscripts.score_files import read_scores, write_scores
from schemas.errors import ConfigurationError, KGScriptsError, ModelError, StoreError
from schemas.provenance import BenchmarkScore, Direction, Exposure, Unit
from tests.conftest import without_privileges
from tests.models.test_checkpoint import SCORE, checkpoint

OURS = "ours"
DEVELOPMENT, UNSEEN = Exposure.DEVELOPMENT, Exposure.UNSEEN


@pytest.fixture(params=["file", "checkpoint"])
def place(request: pytest.FixtureRequest, open_folder: Path) -> Path:
    """A place with one score, on KidsCook."""
    if request.param == "checkpoint":
        save_checkpoint(checkpoint(), open_folder / "model")
        return open_folder / "model"
    write_scores(open_folder / "scores.json", [SCORE])
    return open_folder / "scores.json"


def _kept(place: Path) -> tuple[BenchmarkScore, ...]:
    return read_card(place)[0].scores if is_checkpoint(place) else read_scores(place)


def _evaluation(
    *figures: Figure,
    dataset: str = "EWT",
    split: str = "test",
    exposure: Exposure | None = None,
    setting: str = "",
    others: Sequence[System] = (),
) -> Evaluation:
    own = System(name="it", source=OURS, setting=setting, figures=figures or shares({"F1": 0.5}))
    return Evaluation(task="t", dataset=dataset, split=split, exposure=exposure, systems=[*others, own])


def test_scores_are_added_to_those_that_are_kept(place: Path) -> None:
    before = load_checkpoint(place) if is_checkpoint(place) else None
    (attached,) = attach_evaluations([_evaluation(setting="context left")], {OURS: place}, UNSEEN)
    assert attached.exposure is UNSEEN
    new = BenchmarkScore(
        dataset="EWT", split="test", metric="F1, context left", value=0.5, unit=Unit.SHARE, exposure=UNSEEN
    )
    assert _kept(place) == (SCORE, new)
    if before:
        after = load_checkpoint(place)
        assert (after.model and after.model.digest) == (before.model and before.model.digest)
        assert evolve(after.card, scores=before.card.scores) == before.card


def test_a_score_replaces_that_of_the_same_dataset_split_and_metric(place: Path) -> None:
    first = [_evaluation(*shares({"F1": 0.5, "recall": 0.5})), _evaluation(split="dev"), _evaluation(dataset="GUM")]
    attach_evaluations(first, {OURS: place}, UNSEEN)
    attach_evaluations([_evaluation(*shares({"F1": 0.6}))], {OURS: place}, UNSEEN)
    found = {(score.dataset, score.split, score.metric): score.value for score in _kept(place)}
    assert found == {
        ("KidsCook", "valid", "cloze match"): SCORE.value,
        ("EWT", "test", "F1"): 0.6,
        ("EWT", "test", "recall"): 0.5,
        ("EWT", "dev", "F1"): 0.5,
        ("GUM", "test", "F1"): 0.5,
    }
    assert len(found) == len(_kept(place))


def test_only_overall_shares_nats_and_words_of_models_with_a_place_are_kept(place: Path) -> None:
    figures = [
        *counts({"pairs": 7}),
        *shares({"F1": 0.5}),
        *shares({"F1": 0.4}, "kitchen"),
        Figure(metric="order", value=0.3, unit=Unit.CORRELATION),
        Figure(metric="surprisal", value=3.5, unit=Unit.NATS, direction=Direction.LOWER),
    ]
    others = [
        System(name="simple", role=Role.BASELINE, source=OURS, figures=shares({"baseline": 0.1})),
        System(name="paper", role=Role.PUBLISHED, source=OURS, figures=shares({"published": 0.2})),
        System(name="elsewhere", source="elsewhere", figures=shares({"foreign": 0.3})),
    ]
    attach_evaluations([_evaluation(*figures, others=others)], {OURS: place}, UNSEEN)
    found = [(score.metric, score.unit, score.direction) for score in _kept(place) if score != SCORE]
    assert found == [("F1", Unit.SHARE, Direction.HIGHER), ("surprisal", Unit.NATS, Direction.LOWER)]


@given(attached=st.lists(st.tuples(st.sampled_from(Exposure), st.sampled_from([None, *Exposure])), min_size=1))
def test_development_data_never_becomes_unseen(attached: list[tuple[Exposure, Exposure | None]]) -> None:
    """Whatever is said, and whatever an evaluation knows: once it was data for development, it stays so."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "scores.json")
        seen = set[Exposure | None]()
        for number, (said, known) in enumerate(attached):
            figures = shares({"F1": number / 10 % 1})
            (evaluation,) = attach_evaluations([_evaluation(*figures, exposure=known)], {OURS: place}, said)
            seen |= {said, known}
            (score,) = _kept(place)
            worst = next(one for one in (DEVELOPMENT, Exposure.UNKNOWN, UNSEEN) if one in seen)
            assert score.exposure is evaluation.exposure is worst


def test_what_was_kept_as_development_stays_so_for_every_metric_of_that_split(place: Path) -> None:
    attach_evaluations([_evaluation()], {OURS: place}, DEVELOPMENT)
    attach_evaluations(
        [_evaluation(*shares({"recall": 0.5})), _evaluation(split="dev", exposure=DEVELOPMENT), _evaluation(split="x")],
        {OURS: place},
        UNSEEN,
    )
    exposures = {(score.split, score.metric): score.exposure for score in _kept(place)}
    assert exposures["test", "recall"] is DEVELOPMENT
    assert exposures["dev", "F1"] is DEVELOPMENT
    assert exposures["x", "F1"] is UNSEEN


def test_scores_on_the_small_sample_are_kept_apart(tmp_path: Path) -> None:
    save_checkpoint(checkpoint(), tmp_path / "model")
    for value in (0.5, 0.6):
        evaluation = _evaluation(*shares({"F1": value}), split=SLICE, exposure=DEVELOPMENT)
        attach_evaluations([evaluation], {OURS: tmp_path / "model"}, UNSEEN)
    card = read_card(tmp_path / "model")[0]
    assert card.scores == (SCORE,)
    assert [(score.value, score.exposure) for score in card.slice] == [(0.6, DEVELOPMENT)]


@pytest.mark.parametrize("source", [None, "another"])
def test_nothing_to_attach_to_is_said(place: Path, source: str | None) -> None:
    places = {source: place} if source else {}
    with pytest.raises(ConfigurationError, match="nothing that keeps scores") as caught:
        attach_evaluations([_evaluation()], places, UNSEEN)
    assert caught.value.remedy
    assert _kept(place) == (SCORE,)


def test_a_place_that_cannot_be_written_stays_as_it_was(place: Path) -> None:
    file = place / CARD if is_checkpoint(place) else place
    before = file.read_bytes()
    place.parent.chmod(0o555)
    try:
        with without_privileges(), pytest.raises((ModelError, StoreError), match="cannot be written") as caught:
            attach_evaluations([_evaluation()], {OURS: place}, UNSEEN)
    finally:
        place.parent.chmod(0o755)
    assert caught.value.where == str(place)
    assert caught.value.remedy
    assert file.read_bytes() == before
    assert [path.name for path in place.parent.iterdir()] == [place.name]


@pytest.mark.parametrize(
    "content",
    ["", "[", "5", "[5]", '[{"metric": "x"}]', "\udcff", json.dumps([{"unit": "percent", "exposure": "unseen"}])],
)
def test_a_damaged_place_is_named_and_stays_as_it_was(place: Path, content: str) -> None:
    file = place / CARD if is_checkpoint(place) else place
    file.write_text(content, encoding="utf-8", errors="surrogateescape")
    before = file.read_bytes()
    with pytest.raises(KGScriptsError) as caught:
        attach_evaluations([_evaluation()], {OURS: place}, UNSEEN)
    assert isinstance(caught.value, ModelError)
    assert str(place) in str(caught.value.where)
    assert caught.value.remedy
    assert file.read_bytes() == before
