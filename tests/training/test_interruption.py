"""Ctrl-C, a full disk and damaged files amid a training: what was reached is kept, and nothing is half-written."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner

import cli
from kgscripts.models.checkpoint import load_checkpoint
from lightning_modules.commands import app
from lightning_modules.module import TrainingModule
from lightning_modules.runs import EpochFiles
from schemas.errors import ModelError
from tests.disk import small_disk
from tests.models.tiny_encoder import write_tiny_encoder
from tests.training import corpus

_EPOCHS = 12


def templates(folder: Path) -> Path:
    """The pairs with every tool blanked."""
    path = folder / "templates.tsv"
    rows = []
    for pair in corpus.pairs():
        marks = ("0" if word in {"knife", "pan", "pot", "peeler"} else "1" for word in pair.concrete)
        rows.append(f"{' '.join(pair.abstract)}\t{' '.join(pair.concrete)}\t{' '.join(marks)}\n")
    path.write_text("".join(rows), encoding="utf-8")
    return path


def _command(folder: Path, kind: str, epochs: int = _EPOCHS) -> list[str]:
    """A training of many epochs that takes a second or two, but for --out."""
    command = [kind, "--train", str(templates(folder)), "--accelerator", "cpu"]
    if kind == "transducer":
        corpus.configuration(folder)
        return [*command, "--config", str(folder / "transducer.toml"), "--epochs", str(epochs)]
    encoder = write_tiny_encoder(folder / "encoder")
    return [*command, "--set", f"encoder={encoder}", "--set", f"patience={epochs}", "--epochs", str(epochs)]


def _run(*arguments: str) -> None:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_after_ctrl_c_at_any_moment_a_run_goes_on_to_the_same_end(tmp_path: Path) -> None:
    command = _command(tmp_path, "masked")
    last = tmp_path / "model.training" / "last.ckpt"
    training = subprocess.Popen(
        [sys.executable, "-m", "cli", "train", *command, "--out", str(tmp_path / "model")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has Ctrl-C switched off, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while not last.exists() and training.poll() is None:
        time.sleep(0.01)
    training.send_signal(signal.SIGINT)
    out, errors = training.communicate()
    assert training.returncode == 130, errors
    assert "Traceback" not in errors
    assert out.strip() == ""
    _goes_on_to_the_same_end(command, tmp_path)


@pytest.mark.usefixtures("_ctrl_c")
@pytest.mark.parametrize("kind", ["transducer", "masked"])
@pytest.mark.parametrize("step", ["training_step", "optimizer_step", "validation_step"])
def test_after_ctrl_c_in_the_first_epoch_a_run_goes_on_to_the_same_end(
    tmp_path: Path, kind: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = _command(tmp_path, kind, epochs=2)
    original, pressed = getattr(TrainingModule, step), list[str]()

    def interrupted(self: TrainingModule, *arguments: Any, **settings: Any) -> Any:
        if not pressed:
            pressed.append(step)
            signal.raise_signal(signal.SIGINT)
        return original(self, *arguments, **settings)

    with monkeypatch.context() as patch:
        patch.setattr(TrainingModule, step, interrupted)
        stopped = CliRunner().invoke(cli.app, ["train", *command, "--out", str(tmp_path / "model")])
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr.count("Ctrl-C again") == 1
    assert "--resume goes on with it" in stopped.stderr
    assert (tmp_path / "model.training" / "last.ckpt").exists()
    _goes_on_to_the_same_end(command, tmp_path)


def test_on_two_devices_one_process_prints_and_writes(tmp_path: Path) -> None:
    """Of the seven training batches one comes twice; both devices have the one held-out batch."""
    command = [*_command(tmp_path, "transducer", epochs=2), "--devices", "2", "--out", str(tmp_path / "model")]
    done = subprocess.run([sys.executable, "-m", "cli", "train", *command], capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / 'model'}: finished after 2 epochs, held-out loss {_loss(tmp_path):.3f} nats\n"
    assert [line.split()[:2] for line in done.stderr.splitlines() if line] == [["epoch", "1"], ["epoch", "2"]]


def _loss(folder: Path) -> float:
    return float(load_checkpoint(folder / "model").card.training["held_out_loss"])


@pytest.fixture
def _ctrl_c() -> Iterator[None]:
    """Ctrl-C as in a terminal; it is switched off where tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _goes_on_to_the_same_end(command: list[str], tmp_path: Path) -> None:
    """Check that an interrupted run resumes, and gives what an unbroken one gives."""
    last = tmp_path / "model.training" / "last.ckpt"
    assert not (tmp_path / "model").exists()
    with pytest.raises(ModelError, match="an unfinished run is here"):
        _run(*command, "--out", str(tmp_path / "model"))
    _run(*command, "--out", str(tmp_path / "model"), "--resume")
    assert not last.exists()
    _run(*command, "--out", str(tmp_path / "unbroken"))
    resumed, unbroken = (load_checkpoint(tmp_path / name).as_torch() for name in ("model", "unbroken"))
    assert all(torch.equal(resumed[name], tensor) for name, tensor in unbroken.items())


def test_an_epoch_that_the_disk_refuses_leaves_the_one_before(tmp_path: Path) -> None:
    files, path = EpochFiles(), tmp_path / "last.ckpt"
    files.save_checkpoint({"epoch": 1}, path)
    with small_disk(), pytest.raises(ModelError, match="the run cannot be saved: File too large") as refused:
        files.save_checkpoint({"epoch": 2, "weights": torch.zeros(5000)}, path)
    assert refused.value.where == str(path)
    assert "--resume" in str(refused.value.remedy)
    assert list(tmp_path.iterdir()) == [path]
    assert files.load_checkpoint(path, weights_only=True) == {"epoch": 1}


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", None])
def test_a_damaged_epoch_is_told(tmp_path: Path, content: bytes | None) -> None:
    files, path = EpochFiles(), tmp_path / "model.training" / "last.ckpt"
    path.parent.mkdir()
    files.save_checkpoint({"weights": torch.zeros(5000)}, path)
    path.write_bytes(path.read_bytes()[:9000] if content is None else content)
    with pytest.raises(ModelError, match="damaged") as refused:
        files.load_checkpoint(path, weights_only=True)
    assert refused.value.where == str(path)
    assert "remove model.training" in str(refused.value.remedy)


@pytest.mark.parametrize("kind", ["transducer", "masked"])
def test_a_place_that_is_taken_is_told_before_the_work(tmp_path: Path, kind: str) -> None:
    command = _command(tmp_path, kind)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("dear")
    for place in (taken, taken / "letter.txt"):
        with pytest.raises(ModelError, match="not empty, and no checkpoint"):
            _run(*command, "--out", str(place))
    assert [path.name for path in taken.iterdir()] == ["letter.txt"]
    assert not (tmp_path / "taken.training").exists()
