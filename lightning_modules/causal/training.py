"""Fine-tune a causal language model on pairs and write its checkpoint directory."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import attrs
import pytorch_lightning as pl
import torch
from attrs import frozen
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint

from kgscripts.corpora.pair import Pair
from kgscripts.models.causal_loading import causal_checkpoint, load_causal_model
from kgscripts.models.checkpoint_directory import ModelCard, save_checkpoint
from lightning_modules.causal.data import CausalData
from lightning_modules.causal.module import CausalTraining
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.machine import Machine
from lightning_modules.runs import RunFolder, SeededSteps, fit, make_trainer, pairs_digest
from lightning_modules.transducer.data import split_pairs
from schemas.errors import ModelError


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
    description = {"model": model_name, "pairs": pairs_digest(pairs), "settings": attrs.asdict(settings)}
    run = RunFolder(directory, description)
    run.begin(resume)
    model = load_causal_model(model_name)
    model.network.requires_grad_(True)
    model.network.train()
    texts = CausalData(split, model, settings)
    best = ModelCheckpoint(
        run.path,
        "best",
        monitor="held_out_loss",
        save_last=True,
        save_on_train_epoch_end=True,
        enable_version_counter=False,
    )
    stopping = EarlyStopping("held_out_loss", patience=settings.patience)
    callbacks: list[pl.Callback] = [best, stopping, SeededSteps(settings.seed)]
    trainer = make_trainer(machine, callbacks, max_epochs=settings.epochs, max_time=max_time, gradient_clip_val=1.0)
    fit(trainer, CausalTraining(model.network, settings, texts.steps), texts, run.last)
    if not best.best_model_path:
        raise ModelError("not one epoch was finished", where=str(run.path), remedy="give it more time")
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
    shutil.rmtree(run.path, ignore_errors=True)
    return outcome
