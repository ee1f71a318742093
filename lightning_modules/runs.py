"""Runs of training: the folder of an unfinished one, the trainer, and what Ctrl-C does."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import warnings
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import pytorch_lightning as pl
import torch
from attrs import frozen
from lightning_fabric.plugins import TorchCheckpointIO
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint

from kgscripts.corpora.pair import Pair
from kgscripts.models.checkpoint import check_place
from lightning_modules.machine import Machine
from schemas.errors import ConfigurationError, ModelError


@frozen
class RunFolder:
    """``NAME.training`` beside the checkpoint directory to be. `description` is all that decides what the run gives."""

    directory: Path
    description: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.directory.with_name(f"{self.directory.name}.training")

    @property
    def last(self) -> Path:
        """Lightning's checkpoint of the last finished epoch."""
        return self.path / "last.ckpt"

    @property
    def digest(self) -> str:
        """SHA-256 of the description."""
        return sha256(self._text().encode()).hexdigest()

    def begin(self, resume: bool) -> None:
        """Make the folder, or find the run to resume.

        Raises ModelError if an unfinished run is in the way or is another one, or nothing can be written, neither now
        nor at the end.
        """
        check_place(self.directory)
        described = self.path / "run.json"
        if self.last.is_file():
            if not resume:
                remedy = f"go on with it by --resume, or remove {self.path.name}"
                raise ModelError("an unfinished run is here", where=str(self.path), remedy=remedy)
            if not described.is_file() or described.read_text(encoding="utf-8") != self._text():
                remedy = f"give what it was begun with (run.json there), or remove {self.path.name}"
                message = "the unfinished run is one of another model, other pairs or other settings"
                raise ModelError(message, where=str(self.path), remedy=remedy)
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            described.write_text(self._text(), encoding="utf-8")
        except OSError as error:
            remedy = "name a directory that can be written"
            raise ModelError(f"cannot be written: {error.strerror}", where=str(self.path), remedy=remedy) from error

    def _text(self) -> str:
        return json.dumps(self.description, indent=1, sort_keys=True) + "\n"


class SeededSteps(pl.Callback):
    """Draws dropout from the seed and the step's number alone, so that a resumed run is the unbroken one."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def on_train_batch_start(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,  # noqa: ARG002
        batch: Any,  # noqa: ARG002
        batch_idx: int,  # noqa: ARG002
    ) -> None:
        """Seed torch."""
        torch.manual_seed(self._seed * 1_000_003 + trainer.global_step)


class EpochFiles(TorchCheckpointIO):
    """Files of finished epochs, written aside and moved into place: no kill and no full disk leaves half of one."""

    def save_checkpoint(
        self,
        checkpoint: dict[str, Any],
        path: str | Path,
        storage_options: Any = None,  # noqa: ARG002
    ) -> None:
        """Raises ModelError where the disk refuses; what was there then still is."""
        path = Path(path)
        aside = path.with_name(f".{path.name}.new")
        content = io.BytesIO()  # torch says less than the system of why it cannot write to a file
        torch.save(checkpoint, content)
        try:
            with aside.open("wb") as file:
                file.write(content.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except OSError as error:
            aside.unlink(missing_ok=True)
            remedy = "make room, then go on from the epoch before with --resume"
            raise ModelError(f"the epoch cannot be saved: {error.strerror}", where=str(path), remedy=remedy) from error

    def load_checkpoint(self, path: str | Path, *arguments: Any, **settings: Any) -> dict[str, Any]:
        """Raises ModelError for a file that is damaged or none of ours."""
        try:
            return super().load_checkpoint(path, *arguments, **settings)
        except (OSError, RuntimeError, EOFError, KeyError, ValueError, UnpicklingError) as error:
            remedy = f"remove {Path(path).parent.name} and begin anew"
            raise ModelError("the epoch that was saved is damaged", where=str(path), remedy=remedy) from error


def pairs_digest(pairs: Sequence[Pair]) -> str:
    """SHA-256 of what the pairs say."""
    texts = json.dumps([(pair.abstract, pair.concrete, pair.blanks) for pair in pairs])
    return sha256(texts.encode()).hexdigest()


def make_trainer(machine: Machine, callbacks: list[pl.Callback], **settings: Any) -> pl.Trainer:
    """A trainer that shows nothing but progress. Raises ConfigurationError for a machine that is not there."""
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        return pl.Trainer(
            accelerator=machine.accelerator,
            devices=machine.devices,
            precision=machine.precision.value,
            callbacks=callbacks,
            logger=False,
            enable_model_summary=False,
            enable_progress_bar=machine.progress_bar,
            num_sanity_val_steps=0,
            plugins=[EpochFiles()],
            reload_dataloaders_every_n_epochs=1,
            **settings,
        )
    except (TypeError, ValueError, RuntimeError, MisconfigurationException) as error:
        remedy = "choose an accelerator, devices, a precision and a time (DD:HH:MM:SS) that this machine has"
        raise ConfigurationError(f"Lightning refuses: {error}", remedy=remedy) from error


def fit(trainer: pl.Trainer, module: pl.LightningModule, data: pl.LightningDataModule, last: Path) -> None:
    """Train, from the checkpoint `last` if there is one. Raises KeyboardInterrupt after Ctrl-C."""
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        # Worker processes gain nothing here: a batch is made in a millisecond.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message=".*smaller than the logging interval.*")
        # The run's folder holds its description before it holds weights.
        warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
        try:
            trainer.fit(module, data, ckpt_path=last if last.is_file() else None, weights_only=True)
        except (SystemExit, RuntimeError) as stopped:
            if not _is_interrupted(stopped):
                raise
            # Lightning turns Ctrl-C into an exit of its own, and leaves Ctrl-C switched off.
            signal.signal(signal.SIGINT, handler)
            raise KeyboardInterrupt from stopped


@frozen
class Best:
    """What a run came to: its epochs, the lowest value of what was monitored, and the state of the module then."""

    epochs: int
    value: float
    state: Mapping[str, torch.Tensor]


def fit_to_best(
    module: pl.LightningModule,
    data: pl.LightningDataModule,
    run: RunFolder,
    *,
    monitor: str,
    patience: int,
    seed: int,
    machine: Machine,
    **settings: Any,
) -> Best:
    """Train until `monitor` has not fallen for `patience` epochs, or as the trainer's `settings` say.

    Raises ModelError if not one epoch was finished or saved, and KeyboardInterrupt after Ctrl-C.
    """
    best = ModelCheckpoint(
        run.path,
        "best",
        monitor=monitor,
        save_last=True,
        save_on_train_epoch_end=True,
        enable_version_counter=False,
    )
    callbacks: list[pl.Callback] = [best, EarlyStopping(monitor, patience=patience), SeededSteps(seed)]
    trainer = make_trainer(machine, callbacks, **settings)
    fit(trainer, module, data, run.last)
    if not best.best_model_path:
        raise ModelError("not one epoch was finished", where=str(run.path), remedy="give it more time")
    state = torch.load(best.best_model_path, map_location="cpu", weights_only=True)["state_dict"]
    return Best(trainer.current_epoch, round(float(best.best_model_score or 0.0), 4), state)


def _is_interrupted(stopped: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it; between two epochs Lightning's own clearing up fails after one."""
    while stopped is not None and not isinstance(stopped, (SystemExit, KeyboardInterrupt)):
        stopped = stopped.__context__
    return stopped is not None
