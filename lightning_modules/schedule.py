"""When a phase of training ends, when the whole ends, and what is saved after each epoch."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from attrs import frozen
from torch import Tensor

from lightning_modules.module import TrainingModule
from lightning_modules.settings import TrainingSettings


@frozen
class Epoch:
    """Figures of an epoch: mean losses in nats, time in seconds."""

    number: int
    phase: str
    train_loss: float
    held_out_loss: float
    is_best: bool
    seconds: float


class Schedule(pl.Callback):
    """Ends each phase when its patience or its epochs run out, and keeps the best weights of the last phase.

    After each epoch everything that a resumed run needs is saved in `file`, atomically.

    Parameters
    ----------
    settings:
        Phases, patience, least gain.
    file:
        The Lightning checkpoint of the last finished epoch.
    max_seconds:
        No epoch is begun that would probably end later than this after the start; None for no limit.
    report:
        Called with each finished epoch.
    """

    def __init__(
        self, settings: TrainingSettings, file: Path, max_seconds: float | None, report: Callable[[Epoch], None]
    ) -> None:
        self._settings = settings
        self._phases = [name for name, epochs in settings.phases.items() if epochs]
        self._file = file
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self._report = report
        self._began = 0.0
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
        """Put the module into its phase; a resumed run may be at its end."""
        assert isinstance(pl_module, TrainingModule)
        pl_module.phase = self._phases[self.phase]
        trainer.should_stop = self.finished

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Time the epoch."""
        self._began = time.monotonic()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Compare the epoch with the best one, decide how to go on, and save."""
        assert isinstance(pl_module, TrainingModule)
        losses = {name: float(value) for name, value in trainer.callback_metrics.items()}
        phase = self._phases[self.phase]
        is_best = self._compare(losses["held_out_loss"], pl_module)
        pl_module.phase = self._phases[self.phase]
        trainer.save_checkpoint(self._file)
        seconds = time.monotonic() - self._began
        self._report(Epoch(self.epochs, phase, losses["train_loss"], losses["held_out_loss"], is_best, seconds))
        late = self._deadline is not None and time.monotonic() + seconds > self._deadline
        trainer.should_stop = self.finished or late

    def _compare(self, loss: float, module: TrainingModule) -> bool:
        """Whether this is the best epoch of its phase. Begins the next phase when this one ends."""
        is_best = self.epochs_of_phase == 0 or loss < self.best_loss - self._settings.minimum_gain
        self.epochs += 1
        self.epochs_of_phase += 1
        self.epochs_without_gain = 0 if is_best else self.epochs_without_gain + 1
        if is_best:
            self.best_loss = loss
            self.best_weights = {name: value.detach().cpu().clone() for name, value in module.trained_state().items()}
        most = self._settings.phases[self._phases[self.phase]]
        if self.epochs_of_phase >= most or self.epochs_without_gain >= self._settings.patience:
            if self.phase == len(self._phases) - 1:
                self.finished = True
            else:
                # Losses of two phases are not comparable, so the next one has its own best.
                self.phase += 1
                self.epochs_of_phase = self.epochs_without_gain = 0
        return is_best
