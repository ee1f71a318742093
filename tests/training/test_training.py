"""Training learns, can be repeated and resumed, and keeps the last good epoch whatever happens."""

from __future__ import annotations

import csv
import os
import re
import resource
import signal
from collections.abc import Callable
from itertools import count
from pathlib import Path

import attrs
import pytest
import torch
from torch import Tensor

from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.models.registry import load
from kgscripts.reproductions.kidscook.networks.recurrent import PairNetwork
from lightning_modules import runs, schedule
from lightning_modules.schedule import Epoch
from lightning_modules.settings import Hardware, Precision
from lightning_modules.training import Outcome
from lightning_modules.transducer import WordModule
from schemas.errors import ConfigurationError, InputError, ModelError
from tests.training import corpus
from tests.training.corpus import train


def weights(directory: Path) -> dict[str, Tensor]:
    return dict(load_checkpoint(directory).as_torch())


def assert_same(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, tensor in one.items():
        assert torch.equal(tensor, other[name]), name


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A transducer that was trained to the end at once."""
    folder = tmp_path_factory.mktemp("unbroken")
    train(corpus.configuration(folder), corpus.pairs(), folder / "model")
    return folder / "model"


class StoppedError(Exception):
    """A kill, for tests."""


def _stop_after(number: int) -> Callable[[Epoch], None]:
    def report(epoch: Epoch) -> None:
        if epoch.number == number:
            raise StoppedError

    return report


@pytest.mark.parametrize("kind", ["transducer", "language-model", "sequence-to-sequence"])
def test_the_loss_falls_and_the_model_fills_blanks(tmp_path: Path, kind: str) -> None:
    configuration = corpus.configuration(tmp_path, kind)
    epochs_of_hard_em = 2 * (kind == "transducer")
    settings = attrs.evolve(configuration.training, epochs=6 + epochs_of_hard_em, hard_em_after=3 * epochs_of_hard_em)
    epochs: list[Epoch] = []
    outcome = train(
        attrs.evolve(configuration, training=settings),
        corpus.pairs(),
        tmp_path / "model",
        report=epochs.append,
        data="60 pairs",
        command="kgscripts train",
    )
    likelihood = [epoch.held_out_loss for epoch in epochs if epoch.phase == "likelihood"]
    assert likelihood[-1] < likelihood[0] - 5
    assert [epoch.phase for epoch in epochs] == ["likelihood"] * 6 + ["hard EM"] * epochs_of_hard_em
    assert outcome.is_finished
    model = load("cloze", tmp_path / "model")
    scores = model.score([("chop", "the", "leek")], [("cut", "the", "leek")])
    assert scores is not None
    assert scores.item() < 0
    card = load_checkpoint(tmp_path / "model").card
    assert (card.data, card.command) == ("60 pairs", "kgscripts train")
    assert card.training["held_out_loss"] == outcome.held_out_loss
    assert {path.name for path in tmp_path.iterdir()} == {f"{kind}.toml", "model", "model.training"}


def test_the_same_seed_gives_the_same_weights(unbroken: Path, tmp_path: Path) -> None:
    configuration = corpus.configuration(tmp_path)
    train(configuration, corpus.pairs(), tmp_path / "again")
    assert_same(weights(unbroken), weights(tmp_path / "again"))
    seeded = attrs.evolve(configuration, training=attrs.evolve(configuration.training, seed=7))
    train(seeded, corpus.pairs(), tmp_path / "other")
    assert not torch.equal(
        weights(unbroken)["decoder.weight_hh_l0"], weights(tmp_path / "other")["decoder.weight_hh_l0"]
    )


@pytest.mark.parametrize("epochs", [1, 2, 3, 4])
def test_a_killed_run_resumes_to_the_same_end(unbroken: Path, tmp_path: Path, epochs: int) -> None:
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    with pytest.raises(StoppedError):
        train(configuration, corpus.pairs(), directory, report=_stop_after(epochs))
    assert not directory.exists()
    seen: list[Epoch] = []
    outcome = train(configuration, corpus.pairs(), directory, resume=True, report=seen.append)
    assert [epoch.number for epoch in seen] == list(range(epochs + 1, 5))
    assert outcome == Outcome(epochs=4, held_out_loss=outcome.held_out_loss, is_finished=True)
    assert_same(weights(unbroken), weights(directory))
    assert load_checkpoint(directory).card.training == load_checkpoint(unbroken).card.training


def test_a_run_killed_amid_an_epoch_resumes_from_the_one_before(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    original = WordModule.training_step

    def killed(self: WordModule, batch: object, number: int) -> Tensor:
        if self.current_epoch == 2 and number == 3:
            raise StoppedError
        return original(self, batch, number)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(WordModule, "training_step", killed)
        with pytest.raises(StoppedError):
            train(configuration, corpus.pairs(), directory)
    train(configuration, corpus.pairs(), directory, resume=True)
    assert_same(weights(unbroken), weights(directory))


def test_what_runs_out_of_time_is_a_model_already_and_goes_on(unbroken: Path, tmp_path: Path) -> None:
    """Each run has time for one step; an epoch has seven."""
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    for number in range(1, 11):
        outcome = train(configuration, corpus.pairs(), directory, resume=number > 1, deadline=0.0)
        assert (outcome.epochs, outcome.is_finished) == (number // 7, False)
    load("cloze", directory)
    assert train(configuration, corpus.pairs(), directory, resume=True).is_finished
    assert_same(weights(unbroken), weights(directory))


def test_ctrl_c_in_the_first_epoch_loses_what_was_done_since_the_last_saving(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock on which every look takes 25 seconds: a run is saved after the third and the sixth step."""
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    steps: list[int] = []
    original = WordModule.training_step

    def step(self: WordModule, batch: object, number: int) -> Tensor:
        steps.append(number)
        if len(steps) == 6:
            raise KeyboardInterrupt
        return original(self, batch, number)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(schedule, "monotonic", count(0, 25).__next__)
        patched.setattr(WordModule, "training_step", step)
        with pytest.raises(KeyboardInterrupt):
            train(configuration, corpus.pairs(), directory)
        train(configuration, corpus.pairs(), directory, resume=True)
    assert steps[:8] == [0, 1, 2, 3, 4, 5, 3, 4]
    assert_same(weights(unbroken), weights(directory))


def test_losses_are_logged_as_csv_and_for_tensorboard(tmp_path: Path) -> None:
    epochs: list[Epoch] = []
    configuration = corpus.configuration(tmp_path)
    train(configuration, corpus.pairs(), tmp_path / "model", report=epochs.append, tensorboard=True)
    with (tmp_path / "model.training" / "logs" / "version_0" / "metrics.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in ("train_loss", "held_out_loss"):
        logged = [float(row[name]) for row in rows if row[name]]
        assert logged == pytest.approx([getattr(epoch, name) for epoch in epochs])
    assert list((tmp_path / "model.training" / "tensorboard").rglob("events.*"))


def test_tensorboard_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError

    monkeypatch.setattr(runs, "TensorBoardLogger", missing)
    with pytest.raises(ModelError, match="TensorBoard is not installed") as refused:
        train(corpus.configuration(tmp_path), corpus.pairs(), tmp_path / "model", tensorboard=True)
    assert "kgscripts[tensorboard]" in str(refused.value.remedy)


def test_without_a_terminal_there_is_a_line_with_each_saving(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schedule, "monotonic", count(0, 25).__next__)
    train(corpus.configuration(tmp_path, "language-model"), corpus.pairs(), tmp_path / "model")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(", loss ")[0] for line in lines] == [f"epoch {n} likelihood: step 3 of 7" for n in (1, 2)]


def test_resuming_what_is_finished_changes_nothing(tmp_path: Path) -> None:
    configuration, directory = corpus.configuration(tmp_path, "language-model"), tmp_path / "model"
    outcome = train(configuration, corpus.pairs(), directory)
    seen: list[Epoch] = []
    again = train(configuration, corpus.pairs(), directory, resume=True, report=seen.append)
    assert again == outcome
    assert not seen


def test_an_unfinished_run_is_neither_overwritten_nor_mixed_with_another(tmp_path: Path) -> None:
    configuration, directory = corpus.configuration(tmp_path, "language-model"), tmp_path / "model"
    train(configuration, corpus.pairs(), directory, deadline=0.0)
    with pytest.raises(ModelError, match="an unfinished run is here"):
        train(configuration, corpus.pairs(), directory)
    for changes, pairs, said in (
        ({"seed": 7}, 60, "has seed 1931, now 7$"),
        ({"epochs": 1}, 60, "has epochs 2, now 1; a run can get more epochs$"),
        ({"epochs": 3, "schedule": "linear"}, 60, "has epochs 2, now 3, schedule 'constant', now 'linear'$"),
        ({}, 59, "has other pairs, other vocabulary$"),
    ):
        other = attrs.evolve(configuration, training=attrs.evolve(configuration.training, **changes))
        with pytest.raises(ModelError) as refused:
            train(other, corpus.pairs(pairs), directory, resume=True)
        assert re.search(said, refused.value.message)


@pytest.mark.parametrize("deadline", [0.0, None])
def test_a_run_whose_learning_rate_falls_cannot_be_lengthened(tmp_path: Path, deadline: float | None) -> None:
    configuration, directory = corpus.configuration(tmp_path, "language-model"), tmp_path / "model"
    for epochs in (1, 2):
        settings = attrs.evolve(configuration.training, epochs=epochs, schedule="linear")
        longer = attrs.evolve(configuration, training=settings)
        if epochs == 1:
            train(longer, corpus.pairs(), directory, deadline=deadline)
    with pytest.raises(ModelError, match="epochs 1, now 2; a run can get more epochs where schedule is constant"):
        train(longer, corpus.pairs(), directory, resume=True)


@pytest.mark.parametrize("epochs", [1, 2, 3])
@pytest.mark.parametrize("deadline", [0.0, None])
def test_more_epochs_lengthen_a_run_to_the_end_that_it_would_have_had(
    unbroken: Path, tmp_path: Path, epochs: int, deadline: float | None
) -> None:
    """Of the four epochs, two are of hard EM; a run of one epoch has no such phase."""
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    short = attrs.evolve(configuration, training=attrs.evolve(configuration.training, epochs=epochs))
    assert train(short, corpus.pairs(), directory, deadline=deadline).is_finished is (deadline is None)
    outcome = train(configuration, corpus.pairs(), directory, resume=True)
    assert (outcome.epochs, outcome.is_finished) == (4, True)
    assert_same(weights(unbroken), weights(directory))
    assert load_checkpoint(directory).card.training == load_checkpoint(unbroken).card.training


@pytest.mark.parametrize(("deadline", "steps"), [(5, 1), (35, 3), (60, 5), (75, 6), (85, 7), (95, 8)])
def test_a_run_ends_before_a_step_or_a_measurement_that_would_take_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deadline: int, steps: int
) -> None:
    """Every step takes ten seconds, and so does what is held out, after the seventh of an epoch."""
    clock = [0.0]

    def slow(self: WordModule, batch: object, number: int) -> Tensor:
        clock[0] += 10
        return self._finite_loss(batch, number).mean  # type: ignore[arg-type]

    monkeypatch.setattr(schedule, "monotonic", lambda: clock[0])
    monkeypatch.setattr(WordModule, "training_step", slow)
    monkeypatch.setattr(
        WordModule,
        "validation_step",
        lambda *given: WordModule.log(given[0], "held_out_loss", slow(*given), batch_size=1),
    )
    train(corpus.configuration(tmp_path, "language-model"), corpus.pairs(), tmp_path / "model", deadline=deadline)
    assert clock[0] == 10 * (steps + (steps >= 7))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("training", [True, False])
def test_a_loss_that_is_not_finite_stops_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float, training: bool
) -> None:
    configuration, directory = corpus.configuration(tmp_path, "language-model"), tmp_path / "model"
    original = PairNetwork.decode
    calls = []

    def spoilt(self: PairNetwork, *arguments: Tensor) -> Tensor:
        calls.append(self.training)
        states = original(self, *arguments)  # type: ignore[arg-type]
        # In the second epoch: the first has seven batches, and one of held-out pairs.
        return (
            states * value if calls.count(training) > (7 if training else 1) and self.training == training else states
        )

    with monkeypatch.context() as patched:
        patched.setattr(PairNetwork, "decode", spoilt)
        with pytest.raises(ModelError, match=r"the loss is (nan|inf)") as caught:
            train(configuration, corpus.pairs(), directory)
    assert str(caught.value.where).startswith("epoch ")
    assert "made-up:" in str(caught.value.where)
    assert train(configuration, corpus.pairs(), directory, resume=True).is_finished


def test_when_the_disk_is_full_the_last_good_epoch_is_kept(unbroken: Path, tmp_path: Path) -> None:
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def fill_the_disk(epoch: Epoch) -> None:
        if epoch.number == 2:
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))

    try:
        with pytest.raises(ModelError, match="cannot be saved") as caught:
            train(configuration, corpus.pairs(), directory, report=fill_the_disk)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert "--resume" in str(caught.value.remedy)
    assert sorted(path.name for path in (tmp_path / "model.training").iterdir()) == ["last.ckpt", "logs", "run.json"]
    train(configuration, corpus.pairs(), directory, resume=True)
    assert_same(weights(unbroken), weights(directory))


def test_ctrl_c_keeps_the_last_epoch_and_works_again_afterwards(unbroken: Path, tmp_path: Path) -> None:
    configuration, directory = corpus.configuration(tmp_path), tmp_path / "model"
    # Whoever runs the tests in the background has Ctrl-C switched off.
    before = signal.signal(signal.SIGINT, handler := signal.default_int_handler)

    def interrupt(epoch: Epoch) -> None:
        if epoch.number == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train(configuration, corpus.pairs(), directory, report=interrupt)
    assert signal.getsignal(signal.SIGINT) is handler
    signal.signal(signal.SIGINT, before)
    train(configuration, corpus.pairs(), directory, resume=True)
    assert_same(weights(unbroken), weights(directory))


def test_mixed_precision(tmp_path: Path) -> None:
    hardware = Hardware(accelerator="cpu", precision=Precision.BRAIN_FLOAT)
    outcome = train(corpus.configuration(tmp_path), corpus.pairs(), tmp_path / "model", hardware=hardware)
    assert outcome.is_finished
    assert {tensor.dtype for tensor in weights(tmp_path / "model").values()} == {torch.float16}


def test_given_vectors_stay_as_they_are(tmp_path: Path) -> None:
    configuration = corpus.configuration(tmp_path, "language-model")
    glove = tmp_path / "glove.txt"
    glove.write_text("knife 1 2 3 4 5 6 7 8\nboard 8 7 6 5 4 3 2 1\n")
    train(configuration, corpus.pairs(), tmp_path / "model", glove=glove)
    checkpoint = load_checkpoint(tmp_path / "model")
    model = load("cloze", tmp_path / "model")
    row = model.vocabulary.ids(["knife"])[0]  # type: ignore[attr-defined]
    assert checkpoint.as_torch()["embedding.weight"][row].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert checkpoint.card.training["words_with_vectors"] == 2
    glove.write_text("knife 1 2\n")
    with pytest.raises(ConfigurationError, match="word vectors of"):
        train(configuration, corpus.pairs(), tmp_path / "other", glove=glove)
    with pytest.raises(InputError, match="no such file"):
        train(configuration, corpus.pairs(), tmp_path / "other", glove=tmp_path / "none.txt")


@pytest.mark.parametrize("hardware", [Hardware(accelerator="abacus"), Hardware(accelerator="cpu", devices=0)])
def test_hardware_that_is_not_there(tmp_path: Path, hardware: Hardware) -> None:
    with pytest.raises(ConfigurationError, match="Lightning refuses"):
        train(corpus.configuration(tmp_path), corpus.pairs(), tmp_path / "model", hardware=hardware)


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        train(corpus.configuration(tmp_path), corpus.pairs(), tmp_path / "file" / "model")
