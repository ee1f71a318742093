"""`kgscripts train causal`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.hardware import Precision
from lightning_modules.options import (
    Accelerator,
    Devices,
    MaxTime,
    NetworkPrecision,
    Out,
    Resume,
    RunOptions,
    Train,
    TrainingFiles,
)
from schemas.errors import ConfigurationError


def causal(
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A causal language model: openai-gpt, gpt2, a folder.")
    ],
    train: Train,
    out: Out,
    epochs: Annotated[int, typer.Option(help="The maximum number of epochs.")] = 3,
    learning_rate: Annotated[float, typer.Option(help="The highest learning rate.")] = 6.25e-5,
    batch_size: Annotated[int, typer.Option(help="Pairs per step.")] = 16,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1931,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Fine-tune a Hugging Face causal language model on abstract and concrete instructions."""
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=[model, *train])
    from lightning_modules.causal.settings import CausalSettings
    from lightning_modules.causal.task import CausalTask

    try:
        settings = CausalSettings(epochs=epochs, learning_rate=learning_rate, batch_size=batch_size, seed=seed)
    except ValueError as error:
        raise ConfigurationError(str(error.args[0]), remedy="choose a value within range") from error
    files = TrainingFiles.read(train)
    options = ["--model", Path(model).name if Path(model).is_dir() else model, "--epochs", str(epochs)]
    options += ["--learning-rate", str(learning_rate), "--batch-size", str(batch_size), "--seed", str(seed)]
    run.train(
        CausalTask(model, files.pairs), settings, data=files.description, command=files.command("causal", options)
    )
