"""Fine-tune a causal language model on pairs and write its checkpoint directory."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import attrs
from attrs import frozen

from kgscripts.corpora.pair import Pair
from kgscripts.models.causal_loading import causal_checkpoint, load_causal_model
from kgscripts.models.checkpoint import ModelCard, save_checkpoint
from lightning_modules.causal.data import CausalData
from lightning_modules.causal.module import CausalTraining
from lightning_modules.causal.settings import CausalSettings
from lightning_modules.machine import Machine
from lightning_modules.runs import RunFolder, fit_to_best, pairs_digest
from lightning_modules.transducer.data import split_pairs


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
    best = fit_to_best(
        CausalTraining(model.network, settings, texts.steps),
        texts,
        run,
        monitor="held_out_loss",
        patience=settings.patience,
        seed=settings.seed,
        machine=machine,
        max_epochs=settings.epochs,
        max_time=max_time,
        gradient_clip_val=1.0,
    )
    model.network.load_state_dict({name.removeprefix("network."): value for name, value in best.state.items()})
    outcome = Outcome(epochs=best.epochs, held_out_loss=best.value)
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
