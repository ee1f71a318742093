"""Training of the aligner: its result, resuming, and what it refuses."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from typer.testing import CliRunner

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.registry import load
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment
from lightning_modules.aligner.task import AlignerTask, anchor_example, labelled_example
from lightning_modules.commands import app
from lightning_modules.schedule import Epoch
from lightning_modules.task_settings import AlignerSettings
from lightning_modules.training import Outcome, train
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.training import corpus

PAIRS = corpus.pairs(40)
LABELS = [
    GoldAlignment(row=row + 1, aligned={len(pair.concrete) - 2: (0,)}, unaligned=()) for row, pair in enumerate(PAIRS)
]
SETTINGS = AlignerSettings(layers=1, rank=2, size=8, epochs=2, anchored=2)


def _train(
    out: Path,
    settings: AlignerSettings = SETTINGS,
    *,
    pairs: Sequence[Pair] = PAIRS,
    resume: bool = False,
    deadline: float | None = None,
    report: Callable[[Epoch], None] = lambda _: None,
) -> Outcome:
    task = AlignerTask(pairs, LABELS)
    return train(
        task,
        settings,
        out,
        hardware=corpus.CPU,
        resume=resume,
        deadline=deadline,
        report=report,
        data="some pairs",
        command="kgscripts train aligner",
    )


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An aligner that was trained without an interruption."""
    out = tmp_path_factory.mktemp("aligner") / "model"
    _train(out)
    return out


def test_what_is_trained_aligns_and_says_what_it_was_trained_on(unbroken: Path) -> None:
    aligner = load("alignment", unbroken)
    for pair, alignment in zip(PAIRS, aligner.align(PAIRS), strict=True):
        assert list(alignment.path) == sorted(alignment.path)
        assert len(alignment.path) == len(pair.concrete)
    card = load_checkpoint(unbroken).card
    assert (card.data, card.command) == ("some pairs", "kgscripts train aligner")
    assert card.training["epochs"] == 2
    assert card.training["train_examples"] + card.training["held_out_examples"] == 40


def test_what_runs_out_of_time_is_a_model_already_and_goes_on_to_the_same_end(unbroken: Path, tmp_path: Path) -> None:
    steps = -(-len(AlignerTask(PAIRS, LABELS).split.train) // SETTINGS.batch_size)
    for number in range(steps + 1):
        outcome = _train(tmp_path / "model", deadline=0.0, resume=number > 0)
        assert (outcome.epochs, outcome.is_finished) == (number + 1 >= steps, False)
    load("alignment", tmp_path / "model")
    with pytest.raises(ModelError, match="an unfinished run is here"):
        _train(tmp_path / "model")
    with pytest.raises(ModelError, match="has seed 1931, now 7"):
        _train(tmp_path / "model", evolve(SETTINGS, seed=7), resume=True)
    seen: list[int] = []
    assert _train(tmp_path / "model", resume=True, report=lambda epoch: seen.append(epoch.number)).is_finished
    assert seen == [2]
    first, resumed = (load_checkpoint(path).tensors for path in (unbroken, tmp_path / "model"))
    assert first.keys() == resumed.keys()
    assert all(np.array_equal(tensor, resumed[name]) for name, tensor in first.items())


def test_the_loss_falls(tmp_path: Path) -> None:
    epochs: list[Epoch] = []
    _train(tmp_path / "model", evolve(SETTINGS, epochs=6, learning_rate=2e-2), report=epochs.append)
    assert epochs[-1].train_loss < epochs[0].train_loss * 0.8
    assert epochs[-1].held_out_loss < epochs[0].held_out_loss * 0.8


def test_sides_of_ten_thousand_tokens_are_learned_from_as_far_as_they_are_read(tmp_path: Path) -> None:
    long = [
        Pair(abstract=("chop", "the", "garlic") * 3_400, concrete=("use", "a", "knife", ".") * 2_500, where="long"),
        Pair(abstract=("chop",), concrete=("use", "a", "garlic", ".") * 2_500, where="long"),
        *PAIRS[2:],
    ]
    assert _train(tmp_path / "model", evolve(SETTINGS, epochs=1), pairs=long).epochs == 1


def test_a_loss_that_is_not_finite_stops_and_says_where(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the loss is (nan|inf)") as stopped:
        _train(tmp_path / "model", evolve(SETTINGS, learning_rate=1e30))
    assert str(stopped.value.where).startswith("epoch ")
    assert "made-up:" in str(stopped.value.where)


def test_labels_are_targets_and_anchors_are_their_own() -> None:
    pair = Pair(abstract=("chop", "the", "garlic"), concrete=("use", "a", "knife", "on", "garlic", "."), where="p:1")
    label = GoldAlignment(row=1, aligned={2: (0, 1)}, unaligned=())
    example = labelled_example(pair, label, random.Random(0))
    assert {target.concrete: target.places for target in example.targets} == {4: (2,), 2: (0,)}
    hidden = anchor_example(pair, random.Random(1))
    assert [(target.concrete, target.places) for target in hidden.targets] == [(4, (2,))]
    assert (example.where, hidden.where) == ("p:1", "p:1")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with pairs and labels of them."""
    corpus.write(tmp_path)
    (tmp_path / "labels.jsonl").write_text('{"row": 1, "aligned": {"0": [0]}, "unaligned": []}\n')
    return tmp_path


def _command(folder: Path, *options: object) -> None:
    given = {"--train": folder / "pairs.tsv", "--labels": folder / "labels.jsonl", "--out": folder / "model"}
    given |= dict(zip(options[::2], options[1::2], strict=True))  # type: ignore[arg-type]
    words = [str(part) for name, value in given.items() if value is not None for part in (name, value)]
    result = CliRunner().invoke(app, ["aligner", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        (None, ConfigurationError, "the labels that ship belong to"),
        ("", InputError, "no gold alignments"),
        ('{"row": 1, "aligned": {}, "unaligned": [0]}\n', InputError, "no aligned words"),
        ('{"row": 1, "aligned": {"0": [999]}, "unaligned": []}\n', InputError, "labels.jsonl:1: token 999"),
        ('{"row": 999, "aligned": {"0": [0]}, "unaligned": []}\n', InputError, "labels.jsonl:1: row 999 of 60"),
        ("{\n", InputError, "labels.jsonl:1: not JSON"),
    ],
)
def test_labels_that_cannot_be_learned_from(
    files: Path, labels: str | None, error: type[KGScriptsError], message: str
) -> None:
    if labels is not None:
        (files / "labels.jsonl").write_text(labels)
    with pytest.raises(error) as refused:
        _command(files, "--labels", None if labels is None else files / "labels.jsonl")
    assert message in str(refused.value)
    assert refused.value.remedy
    assert not (files / "model").exists()
