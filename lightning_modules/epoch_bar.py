"""The progress of an epoch on a terminal."""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import Any

import pytorch_lightning as pl

from lightning_modules.module import TrainingModule
from schemas.terminal import progress_bar


class EpochBar(pl.Callback):
    """Shows the steps of each epoch. How many epochs there will be is not known before the last one ends."""

    def __init__(self) -> None:
        self._shown = ExitStack()

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Show the bar."""
        if trainer.is_global_zero:
            self._bar = self._shown.enter_context(progress_bar())
            self._task = self._bar.add_task("training", total=None)

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Begin at the first step."""
        assert isinstance(pl_module, TrainingModule)
        if trainer.is_global_zero:
            steps = trainer.num_training_batches
            name = f"epoch {trainer.current_epoch + 1} {pl_module.phase}"
            self._bar.reset(self._task, total=None if math.isinf(steps) else steps, description=name)

    def on_train_batch_end(self, trainer: pl.Trainer, *arguments: Any, **settings: Any) -> None:  # noqa: ARG002
        """Count the step."""
        if trainer.is_global_zero:
            self._bar.advance(self._task)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Remove the bar."""
        self._shown.close()

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:  # noqa: ARG002
        """Remove the bar."""
        self._shown.close()
