"""A training task of another kind: what it takes to add one; resuming, clipping and devices are the same for all."""

from __future__ import annotations

import io
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from attrs import frozen
from torch import Tensor, nn

from kgscripts.models.checkpoint import Checkpoint, ModelCard, load_checkpoint
from kgscripts.reproductions.kidscook.alignments.gold import GoldAlignment
from kgscripts.reproductions.torch_networks.inference import TensorFields
from lightning_modules.aligner.task import AlignerTask
from lightning_modules.configuration import Configuration
from lightning_modules.masked import MaskedTask
from lightning_modules.module import Loss, TrainingBatch, TrainingData, TrainingModule, split
from lightning_modules.options import seconds_of
from lightning_modules.schedule import Epoch
from lightning_modules.settings import TrainingSettings
from lightning_modules.task_settings import AlignerSettings, MaskedSettings
from lightning_modules.training import train
from lightning_modules.transducer import TransducerTask
from schemas.errors import ConfigurationError
from tests.models.tiny_encoder import write_tiny_encoder
from tests.training import corpus

TEXTS = [(" ".join(pair.concrete), int("knife" in pair.concrete)) for pair in corpus.pairs(60)]


@frozen(kw_only=True)
class LabelSettings(TrainingSettings):
    epochs: int = 3
    batch_size: int = 8
    learning_rate: float = 0.01


@frozen(eq=False)
class LabelBatch(TrainingBatch):
    letters: Tensor
    labels: Tensor


class LabelData(TrainingData[tuple[str, int]]):
    def length(self, example: tuple[str, int]) -> tuple[int, ...]:
        return (len(example[0]),)

    def collate(self, examples: Sequence[tuple[str, int]]) -> LabelBatch:
        letters = [[float(text.count(chr(97 + place))) for place in range(26)] for text, _ in examples]
        labels = torch.tensor([label for _, label in examples])
        return LabelBatch(where=tuple(text for text, _ in examples), letters=torch.tensor(letters), labels=labels)


class LabelModule(TrainingModule):
    def loss(self, batch: LabelBatch) -> Loss:
        return Loss(nn.functional.cross_entropy(self.network(batch.letters), batch.labels), len(batch.labels))


class LabelTask:
    name, purpose, licence = "labels", "whether a text needs a knife", "CC0"

    def __init__(self) -> None:
        self.split = split(TEXTS, lambda item: item[0])
        self.inputs = {"texts": len(TEXTS)}

    def prepare(self, settings: LabelSettings) -> tuple[LabelModule, LabelData]:
        network = nn.Sequential(nn.Linear(26, 8), nn.Dropout(0.5), nn.Linear(8, 2))
        return LabelModule(network, settings), LabelData(self.split, settings)

    def checkpoint(self, module: LabelModule, settings: LabelSettings, card: ModelCard) -> Checkpoint:  # noqa: ARG002
        return Checkpoint(kind="labels", settings={"size": 8}, tensors=module.trained_state(), card=card)


def test_a_new_kind_of_model_is_trained_and_resumed_to_the_same_end(tmp_path: Path) -> None:
    """Each run has time for one step; the last of an epoch is followed by what is held out."""
    seen: list[Epoch] = []
    whole = train(LabelTask(), LabelSettings(), tmp_path / "whole", hardware=corpus.CPU, report=seen.append)
    assert (whole.epochs, whole.is_finished) == (3, True)
    steps = -(-len(LabelTask().split.train) // 8)
    resumed: list[Epoch] = []
    for number in range(1, 3 * steps + 1):
        options: dict[str, Any] = {"resume": number > 1, "deadline": 0.0, "report": resumed.append}
        outcome = train(LabelTask(), LabelSettings(), tmp_path / "parts", hardware=corpus.CPU, **options)
        assert (outcome.epochs, outcome.is_finished) == (number // steps, number == 3 * steps)
        assert (outcome.held_out_loss is None) == (number < steps) != (tmp_path / "parts").exists()
    assert outcome == whole
    for epoch, again in zip(seen, resumed, strict=True):
        assert attrs.evolve(epoch, seconds=0.0) == attrs.evolve(again, seconds=0.0)
    one, other = (load_checkpoint(tmp_path / name) for name in ("whole", "parts"))
    assert one.card.training == other.card.training
    assert all(torch.equal(tensor, other.as_torch()[name]) for name, tensor in one.as_torch().items())


def test_training_ends_when_patience_does(tmp_path: Path) -> None:
    settings = LabelSettings(epochs=50, patience=2, minimum_gain=100.0)
    assert train(LabelTask(), settings, tmp_path / "model", hardware=corpus.CPU).epochs == 3


def test_gradients_are_clipped(tmp_path: Path) -> None:
    for clip, name in ((None, "free"), (1e-12, "clipped")):
        settings = LabelSettings(epochs=1, gradient_clip=clip)
        train(LabelTask(), settings, tmp_path / name, hardware=corpus.CPU)
    free, clipped = (load_checkpoint(tmp_path / name).as_torch()["0.weight"] for name in ("free", "clipped"))
    assert not torch.equal(free, clipped)


def _devices(batch: TensorFields) -> set[str]:
    """The devices of all tensors of a batch, of nested ones too."""
    values = [getattr(batch, attribute.name) for attribute in attrs.fields(type(batch))]
    nested = [_devices(value) for value in values if isinstance(value, TensorFields)]
    return {value.device.type for value in values if isinstance(value, Tensor)}.union(*nested)


def test_all_of_a_batch_moves_to_a_device(tmp_path: Path) -> None:
    pairs = corpus.pairs(40)
    labels = [GoldAlignment(row=row + 1, aligned={0: (0,)}, unaligned=()) for row in range(len(pairs))]
    blanked = [attrs.evolve(pair, blanks=[word == "knife" for word in pair.concrete]) for pair in corpus.pairs(200)]
    masked = MaskedSettings(encoder=str(write_tiny_encoder(tmp_path / "encoder")))
    transducer = corpus.configuration(tmp_path)
    prepared: list[tuple[TrainingModule, TrainingData[Any]]] = [
        TransducerTask(transducer, pairs).prepare(transducer.training),
        MaskedTask(Configuration(name="masked", kind="masked", training=masked), blanked).prepare(masked),
        AlignerTask(pairs, labels).prepare(AlignerSettings(layers=1)),
    ]
    for _, data in prepared:
        batch = data.collate(data.train_batches(random.Random(0))[0])
        assert _devices(batch) == {"cpu"}
        assert _devices(batch.to("meta")) == {"meta"}
        assert batch.to("meta").where == batch.where


@pytest.mark.parametrize("time", ["soon", "10", "1:2:3:4:5", "1:-2"])
def test_times_that_cannot_be_read(time: str) -> None:
    with pytest.raises(ConfigurationError, match="no time"):
        seconds_of(time)


@pytest.mark.parametrize(("text", "seconds"), [("0:05", 5), ("90:00", 5400), ("1:30:00", 5400), ("1:00:00:01", 86401)])
def test_times(text: str, seconds: int) -> None:
    assert seconds_of(text) == seconds


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_counts_the_steps_of_an_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    train(LabelTask(), LabelSettings(), tmp_path / "labels", hardware=corpus.CPU)
    shown = screen.getvalue().replace("\x1b[?25", "")
    assert "epoch 3 training" in shown
    assert "/-" not in shown
    assert "?" not in shown
