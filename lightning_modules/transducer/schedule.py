"""When training goes over to hard EM, when it ends, and what of it survives a kill."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from attrs import frozen
from torch import Tensor

from lightning_modules.transducer.configuration import TrainingSettings
from lightning_modules.transducer.module import PairTraining


@frozen
class Epoch:
    """Figures of an epoch: losses in nats a pair, time in seconds."""

    number: int
    hard_em: bool
    train_loss: float
    held_out_loss: float
    is_best: bool
    seconds: float


class Schedule(pl.Callback):
    """Likelihood until patience or epochs run out, then hard EM likewise; keeps the best weights of the last phase.

    After each epoch everything that a resumed run needs is in `file`, written aside and moved into place.

    Parameters
    ----------
    settings:
        Epochs, patience, least gain.
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
        self._file = file
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self._report = report
        self._began = 0.0
        self.finished = False
        self.hard_em = False
        self.epochs = 0
        self.epochs_of_phase = 0
        self.epochs_without_gain = 0
        self.best_loss = math.inf
        self.best_weights: dict[str, Tensor] = {}

    def state_dict(self) -> dict[str, Any]:
        """What a resumed run has to know."""
        return {
            "finished": self.finished,
            "hard_em": self.hard_em,
            "epochs": self.epochs,
            "epochs_of_phase": self.epochs_of_phase,
            "epochs_without_gain": self.epochs_without_gain,
            "best_loss": self.best_loss,
            "best_weights": self.best_weights,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up what `state_dict` gave."""
        for name, value in state_dict.items():
            setattr(self, name, value)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """A resumed run is in the phase where it was left, or at its end."""
        assert isinstance(pl_module, PairTraining)
        pl_module.hard_em = self.hard_em
        trainer.should_stop = self.finished

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:  # noqa: ARG002
        """Time the epoch."""
        self._began = time.monotonic()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Judge the epoch, decide how to go on, and save."""
        assert isinstance(pl_module, PairTraining)
        losses = {name: float(value) for name, value in trainer.callback_metrics.items()}
        hard_em = self.hard_em
        is_best = self._judge(losses["held_out_loss"], pl_module)
        pl_module.hard_em = self.hard_em
        trainer.save_checkpoint(self._file)
        seconds = time.monotonic() - self._began
        self._report(Epoch(self.epochs, hard_em, losses["train_loss"], losses["held_out_loss"], is_best, seconds))
        late = self._deadline is not None and time.monotonic() + seconds > self._deadline
        trainer.should_stop = self.finished or late

    def _judge(self, loss: float, module: PairTraining) -> bool:
        """Whether this is the best epoch of its phase; goes over to the next phase when it is time."""
        is_best = self.epochs_of_phase == 0 or loss < self.best_loss - self._settings.minimum_gain
        self.epochs += 1
        self.epochs_of_phase += 1
        self.epochs_without_gain = 0 if is_best else self.epochs_without_gain + 1
        if is_best:
            self.best_loss = loss
            self.best_weights = {
                name: value.detach().cpu().clone() for name, value in module.network.state_dict().items()
            }
        most = self._settings.hard_em_epochs if self.hard_em else self._settings.likelihood_epochs
        if self.epochs_of_phase >= most or self.epochs_without_gain >= self._settings.patience:
            if self.hard_em or not self._settings.hard_em_epochs:
                self.finished = True
            else:
                # Losses of the two phases are not comparable, so the second one starts its own count.
                self.hard_em = True
                self.epochs_of_phase = self.epochs_without_gain = 0
        return is_best
