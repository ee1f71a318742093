"""Train a network on pairs and write its checkpoint directory."""

from __future__ import annotations

import json
import logging
import shutil
import signal
import warnings
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import attrs
import pytorch_lightning as pl
import torch
from attrs import frozen
from lightning_fabric.utilities.exceptions import MisconfigurationException

from kgscripts.corpora.pair import Pair
from kgscripts.models.checkpoint_directory import ModelCard, is_checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.embeddings import WordVectors, read_glove, read_released_vectors
from kgscripts.models.networks import make_network, network_checkpoint
from kgscripts.models.vocabulary import Vocabulary
from lightning_modules.machine import Machine
from lightning_modules.transducer.configuration import Configuration
from lightning_modules.transducer.data import PairData, Split, split_pairs
from lightning_modules.transducer.module import PairTraining
from lightning_modules.transducer.schedule import Epoch, Schedule
from schemas.errors import ConfigurationError, ModelError


@frozen(kw_only=True)
class Outcome:
    """What a run came to. `is_finished` is False where its time ran out: it can be resumed."""

    epochs: int
    held_out_loss: float
    is_finished: bool


def train(
    configuration: Configuration,
    pairs: Sequence[Pair],
    directory: Path,
    *,
    glove: Path | None = None,
    machine: Machine | None = None,
    resume: bool = False,
    max_seconds: float | None = None,
    data: str = "",
    command: str = "",
    report: Callable[[Epoch], None] = lambda _: None,
) -> Outcome:
    """Train as configured and write the checkpoint directory, with the best weights so far, when the run ends.

    Until then everything is in a folder beside it, ``NAME.training``. A run that was killed or ran out of time goes on
    with `resume`, to the same end as one that was not. `data` and `command` go onto the model card.

    Raises
    ------
    InputError
        For too few pairs, or vectors that cannot be read.
    ModelError
        If there is an unfinished run and `resume` is not given, it is one of something else, a loss is not finite, or
        nothing can be saved.
    KeyboardInterrupt
        After Ctrl-C; the last finished epoch is kept.
    """
    machine = machine or Machine()
    split = split_pairs(pairs)
    vectors = _vectors(configuration, split, glove)
    vocabulary = vectors.vocabulary
    run = _Run(directory, _description(configuration, pairs, vectors))
    if done := run.begin(resume):
        return done
    torch.manual_seed(configuration.training.seed)
    network = make_network(configuration.network, vocabulary, vectors.vectors if vectors.found else None)
    schedule = Schedule(configuration.training, run.last, max_seconds, report)
    module = PairTraining(network, configuration.training)
    _fit(module, PairData(split, vocabulary, configuration.training), schedule, machine, run.last)
    outcome = Outcome(epochs=schedule.epochs, held_out_loss=round(schedule.best_loss, 4), is_finished=schedule.finished)
    if module.global_rank == 0:
        card = ModelCard(
            name=configuration.name,
            version=metadata.version("kgscripts"),
            task="words of a concrete instruction given the abstract one",
            licence="",
            data=data,
            command=command,
            training={
                **attrs.asdict(outcome),
                "train_pairs": len(split.train),
                "held_out_pairs": len(split.held_out),
                "words_with_vectors": vectors.found,
                **attrs.asdict(configuration.training),
                "run": run.digest,
            },
        )
        save_checkpoint(network_checkpoint(configuration.network, schedule.best_weights, vocabulary, card), directory)
        if schedule.finished:
            shutil.rmtree(run.folder, ignore_errors=True)
    return outcome


@frozen
class _Run:
    """The folder of an unfinished run. `description` is everything that decides what the run comes to."""

    directory: Path
    description: dict[str, Any]

    @property
    def folder(self) -> Path:
        return self.directory.with_name(f"{self.directory.name}.training")

    @property
    def last(self) -> Path:
        return self.folder / "last.ckpt"

    @property
    def digest(self) -> str:
        return sha256(json.dumps(self.description, sort_keys=True).encode()).hexdigest()

    def begin(self, resume: bool) -> Outcome | None:
        """Make the folder, or find the run to resume; the outcome if that is finished already."""
        described = self.folder / "run.json"
        if resume and not self.last.is_file() and is_checkpoint(self.directory):
            training = load_checkpoint(self.directory).card.training
            if training.get("run") == self.digest and training.get("is_finished"):
                return Outcome(epochs=training["epochs"], held_out_loss=training["held_out_loss"], is_finished=True)
        if self.last.is_file():
            if not resume:
                remedy = f"go on with it by --resume, or remove {self.folder.name}"
                raise ModelError("an unfinished run is here", where=str(self.folder), remedy=remedy)
            if not described.is_file() or described.read_text(encoding="utf-8") != self._text():
                remedy = f"give what it was begun with (run.json there), or remove {self.folder.name}"
                message = "the unfinished run is one of another configuration, other pairs or other vectors"
                raise ModelError(message, where=str(self.folder), remedy=remedy)
            return None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            described.write_text(self._text(), encoding="utf-8")
        except OSError as error:
            remedy = "name a directory that can be written"
            raise ModelError(f"cannot be written: {error.strerror}", where=str(self.folder), remedy=remedy) from error
        return None

    def _text(self) -> str:
        return json.dumps(self.description, indent=1, sort_keys=True) + "\n"


def _fit(module: PairTraining, data: PairData, schedule: Schedule, machine: Machine, last: Path) -> None:
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        # Worker processes gain nothing here: a batch is made in a millisecond.
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message=".*smaller than the logging interval.*")
        trainer = _trainer(schedule, machine, last.parent)
        try:
            trainer.fit(module, data, ckpt_path=last if last.is_file() else None, weights_only=True)
        except SystemExit as stopped:
            # Lightning turns Ctrl-C into an exit of its own, and leaves Ctrl-C switched off.
            signal.signal(signal.SIGINT, handler)
            raise KeyboardInterrupt from stopped


def _trainer(schedule: Schedule, machine: Machine, folder: Path) -> pl.Trainer:
    try:
        return pl.Trainer(
            accelerator=machine.accelerator,
            devices=machine.devices,
            precision=machine.precision.value,
            max_epochs=-1,  # the schedule ends it
            callbacks=[schedule],
            default_root_dir=folder,
            logger=False,
            enable_checkpointing=False,
            enable_model_summary=False,
            enable_progress_bar=machine.progress_bar,
            num_sanity_val_steps=0,
            reload_dataloaders_every_n_epochs=1,
            use_distributed_sampler=False,
        )
    except (ValueError, RuntimeError, MisconfigurationException) as error:
        remedy = "choose an accelerator, devices and a precision that this machine has"
        raise ConfigurationError(f"Lightning refuses: {error}", remedy=remedy) from error


def _vectors(configuration: Configuration, split: Split, glove: Path | None) -> WordVectors:
    """The vocabulary and its vectors; none were found where no file is given."""
    if glove is not None and glove.suffix == ".npy":
        return read_released_vectors(glove)
    settings = configuration.training
    texts = (side for pair in split.train for side in (pair.abstract, pair.concrete))
    vocabulary = Vocabulary.of_texts(texts, settings.minimum_count)
    if glove is not None:
        return read_glove(glove, vocabulary, settings.seed)
    return WordVectors(vocabulary, torch.empty(0), found=0)


def _description(configuration: Configuration, pairs: Sequence[Pair], vectors: WordVectors) -> dict[str, Any]:
    texts = json.dumps([(pair.abstract, pair.concrete) for pair in pairs])
    return {
        "configuration": attrs.asdict(configuration),
        "pairs": sha256(texts.encode()).hexdigest(),
        "vocabulary": sha256(vectors.vocabulary.to_json().encode()).hexdigest(),
        "vectors": sha256(vectors.vectors.numpy().tobytes()).hexdigest(),
    }
