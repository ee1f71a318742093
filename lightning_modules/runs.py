"""Runs of training: the folder of an unfinished run, the trainer, and Ctrl-C."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from attrs import frozen
from lightning_fabric.plugins import TorchCheckpointIO
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import LearningRateMonitor
from pytorch_lightning.loggers import CSVLogger, Logger, TensorBoardLogger

from kgscripts.models.checkpoint import check_place
from lightning_modules.hardware import Hardware, Precision
from lightning_modules.progress import Progress
from lightning_modules.schedule import OutOfTimeError
from schemas.errors import ConfigurationError, ModelError

_DESCRIPTION = "run.json"


@frozen
class RunFolder:
    """``NAME.training`` beside the checkpoint directory to be. `description` is all that decides the result.

    Of a run that has ended, the logs stay there.
    """

    directory: Path
    description: Mapping[str, Any]

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.directory.with_name(f"{self.directory.name}.training")

    @property
    def last(self) -> Path:
        """Lightning's checkpoint of where the run is."""
        return self.path / "last.ckpt"

    @property
    def digest(self) -> str:
        """SHA-256 of the description."""
        return sha256(self._text().encode()).hexdigest()

    def begin(self, resume: bool) -> None:
        """Make the folder, or find the run to resume.

        Raises ModelError if there is an unfinished run that is not to be resumed or is a run of something else, and if
        nothing can be written here or the checkpoint could not be written at the end.
        """
        check_place(self.directory)
        described = self.path / _DESCRIPTION
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

    def end(self) -> None:
        """Remove what only an unfinished run needs."""
        for file in (self.last, self.path / _DESCRIPTION):
            file.unlink(missing_ok=True)

    def _text(self) -> str:
        return json.dumps(self.description, indent=1, sort_keys=True) + "\n"


class EpochFiles(TorchCheckpointIO):
    """Files of unfinished runs, written atomically: neither a kill nor a full disk leaves half of one."""

    def save_checkpoint(
        self,
        checkpoint: dict[str, Any],
        path: str | Path,
        storage_options: Any = None,  # noqa: ARG002
    ) -> None:
        """Raises ModelError if the disk refuses; then the file is as it was before."""
        path = Path(path)
        temporary = path.with_name(f".{path.name}.new")
        content = io.BytesIO()  # torch's own error does not give the reason
        torch.save(checkpoint, content)
        try:
            with temporary.open("wb") as file:
                file.write(content.getbuffer())
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            remedy = "make room, then go on from what was saved before with --resume"
            raise ModelError(f"the run cannot be saved: {error.strerror}", where=str(path), remedy=remedy) from error

    def load_checkpoint(self, path: str | Path, *arguments: Any, **settings: Any) -> dict[str, Any]:
        """Raises ModelError for a file that is damaged or of another program."""
        try:
            return super().load_checkpoint(path, *arguments, **settings)
        except Exception as error:  # torch raises whatever the opcodes of a damaged file lead to
            remedy = f"remove {Path(path).parent.name} and begin anew"
            raise ModelError("the run that was saved is damaged", where=str(path), remedy=remedy) from error


def make_trainer(
    hardware: Hardware, callback: pl.Callback, gradient_clip: float | None, folder: Path, *, tensorboard: bool
) -> pl.Trainer:
    """A trainer that runs until the callback stops it, shows nothing but progress, and logs to the folder as CSV.

    Raises ConfigurationError for hardware that is not there, and ModelError if TensorBoard is not installed.
    """
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        return pl.Trainer(
            accelerator=hardware.accelerator,
            devices=hardware.devices,
            precision=hardware.precision.value,
            callbacks=[callback, Progress(), LearningRateMonitor("step")],
            gradient_clip_val=gradient_clip,
            max_epochs=-1,
            default_root_dir=folder,
            enable_checkpointing=False,
            use_distributed_sampler=False,
            logger=_loggers(folder, tensorboard=tensorboard),
            log_every_n_steps=10,
            enable_model_summary=False,
            enable_progress_bar=False,
            num_sanity_val_steps=0,
            plugins=[EpochFiles()],
            reload_dataloaders_every_n_epochs=1,
        )
    except (TypeError, ValueError, RuntimeError, MisconfigurationException) as error:
        remedy = "choose an accelerator, devices and a precision that this computer has"
        raise ConfigurationError(f"Lightning refuses: {error}", remedy=remedy) from error


def _loggers(folder: Path, *, tensorboard: bool) -> list[Logger]:
    """Each run and each part that is resumed has a version of its own: ``logs/version_0/metrics.csv``."""
    loggers: list[Logger] = [CSVLogger(folder, name="logs")]
    if tensorboard:
        try:
            loggers.append(TensorBoardLogger(folder, name="tensorboard"))
        except ModuleNotFoundError as error:
            raise ModelError("TensorBoard is not installed", remedy="pip install 'kgscripts[tensorboard]'") from error
    return loggers


def fit(trainer: pl.Trainer, module: pl.LightningModule, data: pl.LightningDataModule, last: Path) -> None:
    """Train, from the checkpoint `last` if there is one, until the schedule ends it or its time is over.

    Raises KeyboardInterrupt after Ctrl-C.
    """
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings(), ExitStack() as stack:
        if trainer.precision == Precision.BRAIN_FLOAT.value and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            # oneDNN has no recurrent network of bfloat16 for processors without its instructions; torch itself has one.
            warnings.filterwarnings("ignore", message="TF32 acceleration")
            stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        # Worker processes gain nothing here: a batch is made in a millisecond.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message=".*smaller than the logging interval.*")
        # `TrainingData` leaves out what a resumed epoch has seen.
        warnings.filterwarnings("ignore", message=".*your dataloader is not resumable.*")
        # The folder of the run holds its description before any weights.
        warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
        try:
            trainer.fit(module, data, ckpt_path=last if last.is_file() else None, weights_only=True)
        except OutOfTimeError:
            return
        except (SystemExit, RuntimeError) as stopped:
            if not _is_interrupted(stopped):
                raise
            # Lightning turns Ctrl-C into an exit of its own, and leaves the signal ignored.
            signal.signal(signal.SIGINT, handler)
            raise KeyboardInterrupt from stopped


def _is_interrupted(stopped: BaseException | None) -> bool:
    """Whether Ctrl-C is the cause; between two epochs it makes Lightning's own cleanup fail."""
    while stopped is not None and not isinstance(stopped, (SystemExit, KeyboardInterrupt)):
        stopped = stopped.__context__
    return stopped is not None
