"""When a phase of training ends, when the whole ends, and what is saved within and after each epoch."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Any

import pytorch_lightning as pl
from attrs import frozen
from torch import Tensor

from lightning_modules.module import TrainingModule
from lightning_modules.settings import TrainingSettings
from schemas.terminal import echo, progress_bar


@frozen
class Epoch:
    """Figures of an epoch: mean losses in nats, time in seconds."""

    number: int
    phase: str
    train_loss: float
    held_out_loss: float
    is_best: bool
    seconds: float


_SAVE_EVERY = 60.0
"""Seconds between two savings within an epoch; more for networks whose saving takes longer than a tenth of that.
Where there is no terminal for a bar, each of them prints how many steps are done."""


class StoppedError(Exception):
    """Ends a run within an epoch, whose state has been saved."""


class Schedule(pl.Callback):
    """Ends each phase when its patience or its epochs run out, and keeps the best weights of the last phase.

    After each epoch, once a minute within it, and before the run is stopped, everything that a resumed run needs is
    saved in `file`, atomically. Of several devices, the first decides for all, and reports. Lightning's own
    `ModelCheckpoint` and `Timer` know neither phases nor the best weights of one.

    Parameters
    ----------
    settings:
        Phases, patience, least gain.
    file:
        Lightning's checkpoint of where the run is.
    deadline:
        The run ends before a step that, if it takes as long as the one before, would end later than this, in seconds of
        `time.monotonic`; None for no limit. Each run takes one step at least.
    report:
        Called with each finished epoch.
    """

    def __init__(
        self, settings: TrainingSettings, file: Path, deadline: float | None, report: Callable[[Epoch], None]
    ) -> None:
        self._settings = settings
        self._phases = [name for name, epochs in settings.phases.items() if epochs]
        self._file = file
        self._deadline = math.inf if deadline is None else deadline
        self._report = report
        self._began = self._next_save = self._looked = self._took = 0.0
        self.is_interrupted = self.is_first = False
        self.shown = ExitStack()
        """What ends with the run: the bar of its steps."""
        self.finished = False
        self.phase = 0
        self.epochs = 0
        self.epochs_of_phase = 0
        self.epochs_without_gain = 0
        self.best_loss = math.inf
        self.best_weights: dict[str, Tensor] = {}

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run has to know."""
        return {
            "finished": self.finished,
            "phase": self.phase,
            "epochs": self.epochs,
            "epochs_of_phase": self.epochs_of_phase,
            "epochs_without_gain": self.epochs_without_gain,
            "best_loss": self.best_loss,
            "best_weights": self.best_weights,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` gave."""
        for name, value in state_dict.items():
            setattr(self, name, value)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Put the module into its phase; a resumed run may be at its end, or have more epochs now."""
        assert isinstance(pl_module, TrainingModule)
        self.is_first = trainer.is_global_zero
        if self.is_first:
            self._bar = self.shown.enter_context(progress_bar())
            self._task = self._bar.add_task("training", total=None)
        self.finished = False
        self._end_phase()
        pl_module.phase = self._phases[self.phase]
        trainer.should_stop = self.finished
        self._began = self._looked = monotonic()
        self._next_save = self._began + _SAVE_EVERY

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: object,  # noqa: ARG002
        batch: object,  # noqa: ARG002
        batch_idx: int,
    ) -> None:
        """Save within the epoch, and end the run if its time is over; after the last batch its end is near anyway."""
        assert isinstance(pl_module, TrainingModule)
        now = monotonic()
        self._took, self._looked = now - self._looked, now
        done, steps = batch_idx + 1, int(trainer.num_training_batches)
        name = f"epoch {trainer.current_epoch + 1} {pl_module.phase}"
        if self.is_first:
            self._bar.update(self._task, completed=done, total=steps, description=name)
        left = steps - done
        if not left:
            return
        # What is held out is measured after the last step, and takes no longer than steps of as many batches.
        measured = sum(trainer.num_val_batches) if left == 1 else 0
        is_over = self._is_over(now, 1 + measured)
        # Devices whose clocks differ would save or stop at different steps, and wait for each other for ever.
        is_due, is_over = trainer.strategy.broadcast((now >= self._next_save, is_over))
        if not (is_due or is_over):
            return
        trainer.save_checkpoint(self._file)
        if self.is_first and not is_over and not sys.stderr.isatty():
            echo(f"{name}: step {done:,} of {steps:,}, loss {pl_module.train_loss:.3f}", err=True)
        self._looked = monotonic()
        self._next_save = self._looked + max(_SAVE_EVERY, 10 * (self._looked - now))
        if is_over:
            raise StoppedError

    def _is_over(self, now: float, steps: float) -> bool:
        """Whether Ctrl-C came, or this number of further steps would end too late if they take as long as the last."""
        return self.is_interrupted or now + steps * self._took >= self._deadline

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Compare the epoch with the best one, decide how to go on, and save."""
        assert isinstance(pl_module, TrainingModule)
        loss = float(trainer.callback_metrics["held_out_loss"])
        phase = self._phases[self.phase]
        is_best = self._compare(loss, pl_module)
        # Before it is saved, so that a resumed run begins with the phase that comes.
        pl_module.phase = self._phases[self.phase]
        trainer.save_checkpoint(self._file)
        now = self._looked = monotonic()
        seconds, self._began = now - self._began, now
        self._next_save = now + _SAVE_EVERY
        if trainer.is_global_zero:
            self._report(Epoch(self.epochs, phase, pl_module.train_loss, loss, is_best, seconds))
        is_over = trainer.strategy.broadcast(self._is_over(now, 1))
        trainer.should_stop = self.finished or is_over

    def _compare(self, loss: float, module: TrainingModule) -> bool:
        """Whether this is the best epoch of its phase. Begins the next phase when this one ends."""
        is_best = self.epochs_of_phase == 0 or loss < self.best_loss - self._settings.minimum_gain
        self.epochs += 1
        self.epochs_of_phase += 1
        self.epochs_without_gain = 0 if is_best else self.epochs_without_gain + 1
        if is_best:
            self.best_loss = loss
            self.best_weights = {name: value.detach().cpu().clone() for name, value in module.trained_state().items()}
        self._end_phase()
        return is_best

    def _end_phase(self) -> None:
        """Begin the next phase, or end, if the epochs or the patience of this one ran out."""
        most = self._settings.phases[self._phases[self.phase]]
        if self.epochs_of_phase >= most or self.epochs_without_gain >= self._settings.patience:
            if self.phase == len(self._phases) - 1:
                self.finished = True
            else:
                # Losses of two phases are not comparable, so the next one has its own best.
                self.phase += 1
                self.epochs_of_phase = self.epochs_without_gain = 0
