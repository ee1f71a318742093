"""Fine-tune a causal language model on pairs and write its checkpoint directory."""

from __future__ import annotations

import json
import logging
import shutil
import signal
import warnings
from collections.abc import Sequence
from hashlib import sha256
from importlib import metadata
from pathlib import Path

import attrs
import pytorch_lightning as pl
import torch
from attrs import frozen
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint

from kgscripts.corpora.pair import Pair
from kgscripts.models.causal_loading import causal_checkpoint, load_causal_model
from kgscripts.models.checkpoint_directory import ModelCard, save_checkpoint
from lightning_modules.causal.data import CausalData
from lightning_modules.causal.module import CausalTraining
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.machine import Machine
from lightning_modules.transducer.data import split_pairs
from schemas.errors import ConfigurationError, ModelError

_LAST = "last.ckpt"


@frozen(kw_only=True)
class Outcome:
    """What a run came to: epochs, and nats a piece on the held-out pairs with the weights that were kept."""

    epochs: int
    held_out_loss: float


def fine_tune(
    model_name: str,
    pairs: Sequence[Pair],
    directory: Path,
    settings: CausalSettings,
    *,
    machine: Machine,
    resume: bool = False,
    max_time: str | None = None,
    data: str = "",
    command: str = "",
) -> Outcome:
    """Fine-tune and write the checkpoint directory with the weights that are best on a held-out tenth of the pairs.

    Until the run ends everything is in a folder beside it, ``NAME.training``; a run that was killed goes on from its
    last finished epoch with `resume`. `max_time` is ``DD:HH:MM:SS``. `data` and `command` go onto the model card.

    Raises
    ------
    InputError
        For too few pairs.
    ModelError
        If there is no such model, an unfinished run is in the way or is another one, a loss is not finite, or nothing
        can be saved.
    KeyboardInterrupt
        After Ctrl-C; the last finished epoch is kept.
    """
    split = split_pairs(pairs)
    folder = directory.with_name(f"{directory.name}.training")
    _begin(folder, _description(model_name, pairs, settings), resume)
    model = load_causal_model(model_name)
    model.network.requires_grad_(True)
    model.network.train()
    texts = CausalData(split, model, settings)
    best = ModelCheckpoint(
        folder,
        "best",
        monitor="held_out_loss",
        save_last=True,
        save_on_train_epoch_end=True,
        enable_version_counter=False,
    )
    trainer = _trainer(settings, machine, max_time, [best, EarlyStopping("held_out_loss", patience=settings.patience)])
    _fit(trainer, CausalTraining(model.network, settings, texts.steps), texts, folder / _LAST)
    if not best.best_model_path:
        raise ModelError("not one epoch was finished", where=str(folder), remedy="give it more time")
    weights = torch.load(best.best_model_path, map_location="cpu", weights_only=True)["state_dict"]
    model.network.load_state_dict({name.removeprefix("network."): value for name, value in weights.items()})
    outcome = Outcome(epochs=trainer.current_epoch, held_out_loss=round(float(best.best_model_score or 0.0), 4))
    card = ModelCard(
        name=f"{Path(model_name).name}, fine-tuned",
        version=metadata.version("kgscripts"),
        task="words of a concrete instruction given the abstract one",
        licence="",
        data=data,
        command=command,
        training={
            **attrs.asdict(outcome),
            "train_pairs": len(split.train),
            "held_out_pairs": len(split.held_out),
            **attrs.asdict(settings),
        },
    )
    save_checkpoint(causal_checkpoint(model, card), directory)
    shutil.rmtree(folder, ignore_errors=True)
    return outcome


def _description(model_name: str, pairs: Sequence[Pair], settings: CausalSettings) -> str:
    """Everything that decides what the run comes to."""
    texts = json.dumps([(pair.abstract, pair.concrete) for pair in pairs])
    facts = {"model": model_name, "pairs": sha256(texts.encode()).hexdigest(), "settings": attrs.asdict(settings)}
    return json.dumps(facts, indent=1, sort_keys=True) + "\n"


def _begin(folder: Path, description: str, resume: bool) -> None:
    """Make the folder of the run, or find the one to resume."""
    described = folder / "run.json"
    if (folder / _LAST).is_file():
        if not resume:
            remedy = f"go on with it by --resume, or remove {folder.name}"
            raise ModelError("an unfinished run is here", where=str(folder), remedy=remedy)
        if not described.is_file() or described.read_text(encoding="utf-8") != description:
            remedy = f"give what it was begun with (run.json there), or remove {folder.name}"
            message = "the unfinished run is one of another model, other pairs or other settings"
            raise ModelError(message, where=str(folder), remedy=remedy)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        described.write_text(description, encoding="utf-8")
    except OSError as error:
        remedy = "name a directory that can be written"
        raise ModelError(f"cannot be written: {error.strerror}", where=str(folder), remedy=remedy) from error


def _trainer(
    settings: CausalSettings, machine: Machine, max_time: str | None, callbacks: list[pl.Callback]
) -> pl.Trainer:
    for name in ("pytorch_lightning", "lightning_fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        return pl.Trainer(
            accelerator=machine.accelerator,
            devices=machine.devices,
            precision=machine.precision.value,
            max_epochs=settings.epochs,
            max_time=max_time,
            gradient_clip_val=1.0,
            callbacks=callbacks,
            logger=False,
            enable_model_summary=False,
            enable_progress_bar=machine.progress_bar,
            num_sanity_val_steps=0,
            reload_dataloaders_every_n_epochs=1,
        )
    except (ValueError, RuntimeError, MisconfigurationException) as error:
        remedy = "choose an accelerator, devices, a precision and a time (DD:HH:MM:SS) that this machine has"
        raise ConfigurationError(f"Lightning refuses: {error}", remedy=remedy) from error


def _fit(trainer: pl.Trainer, module: CausalTraining, texts: CausalData, last: Path) -> None:
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        warnings.filterwarnings("ignore", message=".*does not have many workers.*")
        warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
        try:
            trainer.fit(module, texts, ckpt_path=last if last.is_file() else None, weights_only=True)
        except SystemExit as stopped:
            # Lightning turns Ctrl-C into an exit of its own, and leaves Ctrl-C switched off.
            signal.signal(signal.SIGINT, handler)
            raise KeyboardInterrupt from stopped
