"""Train a model and write its checkpoint directory: the same way for every task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, TypeVar

import attrs
import pytorch_lightning as pl
from attrs import frozen

from kgscripts.models.checkpoint import Checkpoint, ModelCard, is_checkpoint, load_checkpoint, save_checkpoint
from lightning_modules.configuration import name_of_trained
from lightning_modules.module import Split, TrainingData, TrainingModule
from lightning_modules.run_folder import RunFolder
from lightning_modules.runs import fit, make_trainer
from lightning_modules.schedule import Epoch, Schedule
from lightning_modules.settings import Hardware, TrainingSettings

_Settings = TypeVar("_Settings", bound=TrainingSettings, contravariant=True)


class TrainingTask(Protocol[_Settings]):
    """What `train` has to know of a kind of model. An instance holds the data that one model is trained on."""

    name: str
    """Name of the model, on its card."""
    purpose: str
    """What the model predicts, on its card."""
    licence: str
    """Terms of the weights, on the card."""
    split: Split[Any]
    """The training part and the held-out part."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What the result depends on besides the settings, as JSON values: digests of the data."""

    def prepare(self, settings: _Settings) -> tuple[TrainingModule, TrainingData[Any]]:
        """The untrained network under Lightning, and its batches. Called with all random generators seeded."""

    def checkpoint(self, module: Any, settings: _Settings, card: ModelCard) -> Checkpoint:
        """The checkpoint of the trained network."""


@frozen(kw_only=True)
class Outcome:
    """Finished epochs, and mean held-out loss of the weights that were kept; None, and no weights, within the first.

    `is_finished` is False if time ran out.
    """

    epochs: int
    held_out_loss: float | None
    is_finished: bool


def train(
    task: TrainingTask[_Settings],
    settings: _Settings,
    out: Path,
    *,
    hardware: Hardware | None = None,
    resume: bool = False,
    deadline: float | None = None,
    tensorboard: bool = False,
    data: str = "",
    command: str = "",
    report: Callable[[Epoch], None] = lambda _: None,
) -> Outcome:
    """Train and write the checkpoint directory, with the weights that are best on held-out data.

    Until the run ends, everything it needs to go on is in a folder beside the directory, ``NAME.training``: it is saved
    after each epoch and once a minute within it. A run that was killed or ran out of time goes on with `resume`, to the
    same end as an uninterrupted one; so does a run that has ended, if more epochs are given and the learning rate is
    constant. The folder has the logs too, as CSV and on request for TensorBoard, which stay. The run ends at the
    `deadline` (of `time.monotonic`), which its first step may exceed, and what is held out in the first epoch. `data`
    and `command` are written on the model card. Of several devices, the process of the first alone goes on at the end.

    Raises
    ------
    ModelError
        If there is an unfinished run and `resume` is not given, it is a run of something else, a loss is not finite, or
        the disk refuses.
    ConfigurationError
        If the hardware is not there.
    KeyboardInterrupt
        After Ctrl-C. The run is saved after the current step; a second Ctrl-C ends it with what was saved before.
    """
    run = RunFolder(out, {"model": task.name, "settings": attrs.asdict(settings), **task.inputs})
    if resume and (done := _finished_before(run)):
        return done
    run.begin(resume)
    pl.seed_everything(settings.seed, verbose=False)
    module, batches = task.prepare(settings)
    # Encoders are loaded in evaluation mode, and Lightning leaves a module in the mode that it has.
    module.train()
    schedule = Schedule(settings, run.last, deadline, report)
    clip = settings.gradient_clip
    trainer = make_trainer(hardware or Hardware(), schedule, clip, run.path, tensorboard=tensorboard)
    fit(trainer, module, batches, run.last, schedule)
    if not trainer.is_global_zero:
        raise SystemExit  # Lightning runs the same command for each device: what is left to do is done once
    loss = round(schedule.best_loss, 4) if schedule.best_weights else None
    outcome = Outcome(epochs=schedule.epochs, held_out_loss=loss, is_finished=schedule.finished)
    if schedule.best_weights:
        module.cpu()
        module.restore(schedule.best_weights)
        card = ModelCard(
            name=name_of_trained(task.name, out),
            version=metadata.version("kgscripts"),
            task=task.purpose,
            licence=task.licence,
            data=data,
            command=command,
            training={
                **attrs.asdict(outcome),
                "train_examples": len(task.split.train),
                "held_out_examples": len(task.split.held_out),
                **attrs.asdict(settings),
                "run": run.digest,
            },
        )
        save_checkpoint(task.checkpoint(module, settings, card), out)
        if schedule.finished:
            run.end()
    return outcome


def _finished_before(run: RunFolder) -> Outcome | None:
    """The outcome of this very run, if its checkpoint is there."""
    if run.last.is_file() or not is_checkpoint(run.directory):
        return None
    training = load_checkpoint(run.directory).card.training
    if training.get("run") != run.digest or not training.get("is_finished"):
        return None
    return Outcome(epochs=training["epochs"], held_out_loss=training["held_out_loss"], is_finished=True)
