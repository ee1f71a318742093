"""The models that ship: they predict what they predicted, and the transducer is small and fills blanks."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.models.checkpoint import load_checkpoint, save_checkpoint
from kgscripts.models.cloze import Cloze
from kgscripts.models.registry import describe, find_checkpoint, load, shipped_models
from kgscripts.reproductions.tasks import evaluate_on_slice
from schemas.provenance import Exposure

LEAST_DIFFERENCE = {"share": 0.0001, "words": 0.0001, "nats": 0.001}
"""Surprisal may differ on other processors; the other scores are ratios of counts."""

_DEVELOPED_IN_VIEW = ("aligner", "state-changes", "state-changes-retrieval", "steps")
"""Models that were changed after scores on their benchmark had been seen."""
_BOTH = ("scenarios",)
"""Models with scores on data that settings were chosen on, and on data that they were not."""


# The tools are in `tests/evaluation/test_predicted_tools.py`, where what they are compared with is computed once.
@pytest.mark.parametrize("name", sorted(set(shipped_models()) - {"tools"}))
def test_the_scores_on_the_slice_are_those_of_the_card(name: str) -> None:
    if name in _BOTH:
        check_slice(name, {Exposure.DEVELOPMENT, Exposure.UNSEEN})
    else:
        check_slice(name, {Exposure.DEVELOPMENT if name in _DEVELOPED_IN_VIEW else Exposure.UNSEEN})


def check_slice(name: str, exposures: set[Exposure]) -> None:
    """Check that a model has the scores on the slice that its card tells, and others of these exposures."""
    card = load_checkpoint(find_checkpoint(name)).card
    measured = [
        score
        for found in evaluate_on_slice(name)
        for system in found.models
        for score in found.benchmark_scores(system, Exposure.DEVELOPMENT)
    ]
    assert [(score.dataset, score.metric) for score in measured] == [
        (score.dataset, score.metric) for score in card.slice
    ]
    assert len(measured) >= 6
    assert card.scores
    assert {score.exposure for score in card.slice} == {Exposure.DEVELOPMENT}
    assert {score.exposure for score in card.scores} == exposures
    for now, then in zip(measured, card.slice, strict=True):
        assert now.value == pytest.approx(then.value, abs=LEAST_DIFFERENCE[now.unit]), now.metric


def test_the_command_writes_the_scores_on_the_card_and_changes_nothing_else(tmp_path: Path) -> None:
    shipped = load_checkpoint(find_checkpoint("transducer"))
    save_checkpoint(attrs.evolve(shipped, card=attrs.evolve(shipped.card, slice=[])), tmp_path / "model")
    arguments = ["slice", "--model", str(tmp_path / "model"), "--attach-as", "development"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "slice.template.tsv" in result.stdout
    card = load_checkpoint(tmp_path / "model").card
    assert [score.metric for score in card.slice] == [score.metric for score in shipped.card.slice]
    assert attrs.evolve(card, slice=shipped.card.slice) == shipped.card
    assert describe(tmp_path / "model") == describe("transducer")


def test_the_transducer_is_small_and_says_how_good_it_is() -> None:
    directory = find_checkpoint("transducer")
    assert sum(path.stat().st_size for path in directory.iterdir()) < 2_000_000
    card = load_checkpoint(directory).card
    figures = {(score.metric, score.split): score.value for score in card.scores}
    assert figures["oracle match, context left", "valid"] > 0.242
    assert figures["oracle top5, context left", "valid"] > 0.54
    assert figures["surprisal, context left", "valid"] < 3.55
    assert card.command.startswith("kgscripts train transducer --config transducer-parameterised")


def test_the_transducer_knows_what_one_cuts_with() -> None:
    concrete = ("use", "a", "sharp", "_", "to", "cut", "it", ".")
    cloze = Cloze(("chop", "the", "onion", "."), concrete, tuple(word == "_" for word in concrete), 3)
    candidates = ["knife", "banana", "minutes"]
    guesses = load("cloze", "transducer").predict([cloze], candidates)[0]
    assert candidates[int(guesses[:3].argmax())] == "knife"
