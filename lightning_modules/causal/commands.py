"""`kgscripts train causal`."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.machine import Machine, Precision
from schemas.errors import ConfigurationError, ModelError


def causal(
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A causal language model: openai-gpt, gpt2, a folder.")
    ],
    train: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Pairs: TSV, templates, JSON lines or released ids; repeatable.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")],
    epochs: Annotated[int, typer.Option(help="The most epochs.")] = 3,
    learning_rate: Annotated[float, typer.Option(help="At its height.")] = 6.25e-5,
    batch_size: Annotated[int, typer.Option(help="Pairs a step.")] = 16,
    seed: Annotated[int, typer.Option(help="Decides everything that is drawn.")] = 1931,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run, if there is one.")] = False,
    max_time: Annotated[str | None, typer.Option(metavar="DD:HH:MM:SS", help="Stop training after this time.")] = None,
    accelerator: Annotated[str, typer.Option(help="auto, cpu, gpu, mps, ...")] = "auto",
    devices: Annotated[str, typer.Option(help="How many devices, or auto.")] = "1",
    precision: Annotated[Precision, typer.Option(help="Of the network.")] = Precision.SINGLE,
) -> None:
    """Fine-tune a Hugging Face causal language model on abstract and concrete instructions."""
    if find_spec("pytorch_lightning") is None:
        raise ModelError("training needs pytorch-lightning", remedy="pip install 'kgscripts[train]'")
    from kgscripts.corpora.pair_corpora import load_pairs
    from lightning_modules.causal.settings import CausalSettings
    from lightning_modules.causal.training import fine_tune

    try:
        settings = CausalSettings(epochs=epochs, learning_rate=learning_rate, batch_size=batch_size, seed=seed)
    except ValueError as error:
        raise ConfigurationError(str(error), remedy="choose a value within range") from error
    pairs = load_pairs(train).pairs
    names = [path.name for path in train]
    # Names without folders: the command means the same on another machine.
    command = ["kgscripts", "train", "causal", "--model", Path(model).name if Path(model).is_dir() else model]
    command += [word for name in names for word in ("--train", name)]
    command += ["--epochs", str(epochs), "--learning-rate", str(learning_rate)]
    command += ["--batch-size", str(batch_size), "--seed", str(seed)]
    outcome = fine_tune(
        model,
        pairs,
        out,
        settings,
        machine=Machine.of_options(accelerator, devices, precision),
        resume=resume,
        max_time=max_time,
        data=f"{len(pairs):,} pairs of {', '.join(names)}",
        command=shlex.join(command),
    )
    typer.echo(f"{out}: {outcome.epochs} epochs, held-out loss {outcome.held_out_loss:.3f} nats a piece")
