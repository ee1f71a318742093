"""Training of the aligner: what comes of it, what stops it, and that nothing half-written is left behind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from attrs import evolve
from torch import Tensor
from typer.testing import CliRunner

from kgscripts.corpora.gold_alignments import GoldAlignment
from kgscripts.corpora.pair import Pair
from kgscripts.models.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from lightning_modules.aligner import train as training
from lightning_modules.aligner.examples import Example, anchor_example, batches, labelled_example
from lightning_modules.aligner.train import TrainingSettings, train_aligner
from lightning_modules.commands import app
from schemas.errors import ConfigurationError, InputError, KGScriptsError, ModelError
from tests.training import corpus

PAIRS = corpus.pairs(12)
LABELS = [
    GoldAlignment(row=row + 1, aligned={len(pair.concrete) - 2: (0,)}, unaligned=()) for row, pair in enumerate(PAIRS)
]
SETTINGS = TrainingSettings(layers=1, rank=2, size=8, steps=3, labelled=4, anchored=2)


def _train(settings: TrainingSettings = SETTINGS, pairs: Sequence[Pair] = PAIRS) -> Checkpoint:
    return train_aligner(pairs, LABELS, settings, command="kgscripts train aligner", on_step=lambda _: None)


def test_what_is_trained_aligns_and_says_what_it_was_trained_on(tmp_path: Path) -> None:
    save_checkpoint(_train(), tmp_path / "model")
    aligner = load("alignment", tmp_path / "model")
    for pair, alignment in zip(PAIRS, aligner.align(PAIRS), strict=True):
        assert list(alignment.path) == sorted(alignment.path)
        assert len(alignment.path) == len(pair.concrete)
    card = load_checkpoint(tmp_path / "model").card
    assert card.data == "12 pairs, 12 words of 12 of them labelled; starts from all-MiniLM-L6-v2"
    assert card.command == "kgscripts train aligner"
    assert card.training["steps"] == 3


def test_the_seed_decides_everything() -> None:
    first, again, other = _train(), _train(), _train(evolve(SETTINGS, seed=7))
    for name, tensor in first.tensors.items():
        assert torch.equal(tensor, again.tensors[name]), name
    assert any(not torch.equal(tensor, other.tensors[name]) for name, tensor in first.tensors.items())


def test_the_loss_falls() -> None:
    losses: list[float] = []
    settings = evolve(SETTINGS, steps=20, rate=1e-2)
    train_aligner(PAIRS, LABELS, settings, command="", on_step=losses.append)
    assert len(losses) == 20
    assert sum(losses[-5:]) < sum(losses[:5]) * 0.8


def test_sides_of_ten_thousand_tokens_are_learned_from_as_far_as_they_are_read() -> None:
    long = [
        Pair(abstract=("chop", "the", "garlic") * 3_400, concrete=("use", "a", "knife", ".") * 2_500, where="long"),
        Pair(abstract=("chop",), concrete=("use", "a", "garlic", ".") * 2_500, where="long"),
        *PAIRS[2:],
    ]
    assert _train(pairs=long).card.training["last_loss"] > 0


def test_a_loss_that_is_no_number_stops_and_says_where() -> None:
    with pytest.raises(ModelError, match=r"the loss is (nan|inf)") as stopped:
        _train(evolve(SETTINGS, rate=1e30, steps=20))
    assert str(stopped.value.where).startswith("step ")
    assert "made-up:" in str(stopped.value.where)


def test_labels_are_targets_and_anchors_are_their_own() -> None:
    pair = Pair(abstract=("chop", "the", "garlic"), concrete=("use", "a", "knife", "on", "garlic", "."), where="p:1")
    label = GoldAlignment(row=1, aligned={2: (0, 1)}, unaligned=())
    example = labelled_example(pair, label, random.Random(0))
    assert {target.concrete: target.places for target in example.targets} == {4: (2,), 2: (0,)}
    hidden = anchor_example(pair, random.Random(1))
    assert [(target.concrete, target.places) for target in hidden.targets] == [(4, (2,))]
    assert (example.where, hidden.where) == ("p:1", "p:1")


def test_each_epoch_has_each_pair_once() -> None:
    drawn = batches([5, 1, 9, 3, 7], 2, random.Random(0))
    for _ in range(3):
        assert sorted(row for _ in range(3) for row in next(drawn)) == [0, 1, 2, 3, 4]


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


def test_what_is_interrupted_leaves_nothing_and_the_older_model_whole(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_checkpoint(_train(), files / "older")
    plain = training._loss
    steps = []

    def interrupted(network: object, examples: Sequence[Example]) -> Tensor:
        steps.append(examples)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return plain(network, examples)  # type: ignore[arg-type]

    monkeypatch.setattr(training, "_loss", interrupted)
    before = sorted(files.rglob("*"))
    options = ("--train", files / "pairs.tsv", "--labels", files / "labels.jsonl", "--out")
    for name in ("model", "older"):
        steps.clear()
        result = CliRunner().invoke(app, ["aligner", *map(str, (*options, files / name))])
        assert result.exit_code != 0
        assert len(steps) == 3
    assert sorted(files.rglob("*")) == before
    load("alignment", files / "older")
