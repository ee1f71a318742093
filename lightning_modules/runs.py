"""Runs of training: the trainer, files of unfinished runs, and Ctrl-C."""

from __future__ import annotations

import io
import logging
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins import TorchCheckpointIO
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import LearningRateMonitor
from pytorch_lightning.loggers import CSVLogger, Logger, TensorBoardLogger

from lightning_modules.schedule import Schedule, StoppedError
from lightning_modules.settings import Hardware, Precision
from schemas.errors import ConfigurationError, ModelError
from schemas.terminal import echo


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
            callbacks=[callback, LearningRateMonitor("step")],
            gradient_clip_val=gradient_clip,
            # The callback ends the run.
            max_epochs=-1,
            default_root_dir=folder,
            enable_checkpointing=False,
            # `TrainingData` deals the batches out to the devices, and makes new ones for each epoch.
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


@contextmanager
def _saving_at_ctrl_c(schedule: Schedule) -> Iterator[None]:
    """At the first Ctrl-C, let the schedule save the run and stop it; at the second, interrupt it."""
    before = signal.getsignal(signal.SIGINT)
    # Only the main thread may set a handler; where Ctrl-C is ignored, as in the background, it stays so.
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def handle(*_: object) -> None:
        signal.signal(signal.SIGINT, before)
        schedule.is_interrupted = True
        if schedule.is_first:
            echo("the run is saved after this step; Ctrl-C again ends it without that", err=True)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        # Lightning leaves the signal ignored.
        signal.signal(signal.SIGINT, before)


def fit(
    trainer: pl.Trainer, module: pl.LightningModule, data: pl.LightningDataModule, last: Path, schedule: Schedule
) -> None:
    """Train, from the checkpoint `last` if there is one, until the schedule ends it or its time is over.

    Raises KeyboardInterrupt after Ctrl-C, and ModelError if one of several devices fails.
    """
    with warnings.catch_warnings(), _saving_at_ctrl_c(schedule), ExitStack() as stack:
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
            with schedule.shown:
                # Weights only: no code that is in a file of a run is ever run.
                trainer.fit(module, data, ckpt_path=last if last.is_file() else None, weights_only=True)
        except StoppedError:
            pass
        except (SystemExit, RuntimeError) as stopped:
            # Lightning turns Ctrl-C into an exit of its own.
            if _is_interrupted(stopped):
                raise KeyboardInterrupt from stopped
            if isinstance(stopped, SystemExit) or trainer.world_size == 1:
                raise
            remedy = "the error of that device is printed too; what was saved before is kept for --resume"
            raise ModelError(f"one of {trainer.world_size} devices failed: {stopped}", remedy=remedy) from stopped
        if schedule.is_interrupted and trainer.is_global_zero:
            raise KeyboardInterrupt


def _is_interrupted(stopped: BaseException | None) -> bool:
    """Whether Ctrl-C is the cause; between two epochs it makes Lightning's own cleanup fail."""
    while stopped is not None and not isinstance(stopped, (SystemExit, KeyboardInterrupt)):
        stopped = stopped.__context__
    return stopped is not None
