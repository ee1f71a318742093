"""How far an epoch is: a bar on a terminal, and elsewhere a line a minute."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from time import monotonic
from typing import Any

import pytorch_lightning as pl

from lightning_modules.module import TrainingModule
from schemas.terminal import echo, progress_bar

_LINE_EVERY = 60.0
"""Seconds."""


class Progress(pl.Callback):
    """Shows the steps of each epoch. How many epochs there will be is not known before the last one ends."""

    def __init__(self) -> None:
        self._shown = ExitStack()
        self._next_line = monotonic() + _LINE_EVERY

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Show the bar."""
        if trainer.is_global_zero:
            self._bar = self._shown.enter_context(progress_bar())
            self._task = self._bar.add_task("training", total=None)

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,  # noqa: ARG002
        batch: Any,  # noqa: ARG002
        batch_idx: int,
    ) -> None:
        """Show how many steps are done."""
        if not trainer.is_global_zero:
            return
        assert isinstance(pl_module, TrainingModule)
        name = f"epoch {trainer.current_epoch + 1} {pl_module.phase}"
        done, steps = batch_idx + 1, int(trainer.num_training_batches)
        self._bar.update(self._task, completed=done, total=steps, description=name)
        if not sys.stderr.isatty() and (now := monotonic()) >= self._next_line:
            self._next_line = now + _LINE_EVERY
            loss = float(trainer.callback_metrics["loss"])
            echo(f"{name}: step {done:,} of {steps:,}, loss {loss:.3f}", err=True)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Remove the bar."""
        self._shown.close()

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:  # noqa: ARG002
        """Remove the bar."""
        self._shown.close()
