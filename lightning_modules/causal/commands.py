"""`kgscripts train causal`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.machine import Machine, Precision
from lightning_modules.training_files import TrainingFiles, require_lightning
from schemas.errors import ConfigurationError


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
    require_lightning()
    from lightning_modules.causal.settings import CausalSettings
    from lightning_modules.causal.training import fine_tune

    try:
        settings = CausalSettings(epochs=epochs, learning_rate=learning_rate, batch_size=batch_size, seed=seed)
    except ValueError as error:
        raise ConfigurationError(str(error), remedy="choose a value within range") from error
    files = TrainingFiles.read(train)
    options = ["--model", Path(model).name if Path(model).is_dir() else model, "--epochs", str(epochs)]
    options += ["--learning-rate", str(learning_rate), "--batch-size", str(batch_size), "--seed", str(seed)]
    outcome = fine_tune(
        model,
        files.pairs,
        out,
        settings,
        machine=Machine.of_options(accelerator, devices, precision),
        resume=resume,
        max_time=max_time,
        data=files.description,
        command=files.command("causal", options),
    )
    typer.echo(f"{out}: {outcome.epochs} epochs, held-out loss {outcome.held_out_loss:.3f} nats a piece")
