"""`kgscripts train state-changes`."""

from __future__ import annotations

from importlib import metadata
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
    Seed,
    named_file,
)
from schemas.errors import ConfigurationError
from schemas.terminal import echo, printable


def state_changes(
    model: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A shipped configuration (see below) or a TOML file.")
    ],
    train: Annotated[
        list[Path], typer.Option(metavar="PATH", help="Steps with changes: OpenPI, a folder or a file; repeatable.")
    ],
    out: Out,
    model_name: Annotated[
        str | None,
        typer.Option(metavar="NAME|DIR", help="For causal: the pretrained model, instead of gpt2-medium."),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="The maximum number of epochs, for a model that has any.")] = None,
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Train a model of state changes on steps of OpenPI.

    Retrieval is built in one pass of about a minute on one core, and has no epochs to resume.
    """
    inputs = [named_file(model), *train, model_name]
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=inputs)
    import attrs

    from kgscripts.models.checkpoint import ModelCard, save_checkpoint
    from lightning_modules.state_changes.composer_task import ComposerTask
    from lightning_modules.state_changes.configuration import read_configuration
    from lightning_modules.state_changes.retrieval import build_retrieval
    from lightning_modules.state_changes.steps import StepFiles
    from lightning_modules.state_changes.task import CausalChangeTask

    configuration = read_configuration(model)
    changed = {"pretrained": model_name, "epochs": epochs, "seed": seed}
    changed = {name: value for name, value in changed.items() if value is not None}
    if unknown := sorted(set(changed) - set(attrs.asdict(configuration.training))):
        message = f"{configuration.name} has no setting {', '.join(unknown)}"
        raise ConfigurationError(message, where=model, remedy="leave the option out")
    try:
        settings = attrs.evolve(configuration.training, **changed)
    except ValueError as error:
        raise ConfigurationError(str(error.args[0]), where=model, remedy="choose a value within range") from error
    files = StepFiles.read(train)
    options = ["--model", configuration.name if Path(model).is_file() else model]
    options += [] if model_name is None else ["--model-name", Path(model_name).name]
    options += [] if epochs is None else ["--epochs", str(epochs)]
    options += [] if seed is None else ["--seed", str(seed)]
    command = files.command(options)
    if configuration.kind == "composer":
        run.train(ComposerTask(configuration, files.steps), settings, data=files.description, command=command)
        return
    if configuration.kind == "causal":
        run.train(CausalChangeTask(configuration, files.steps), settings, data=files.description, command=command)
        return
    card = ModelCard(
        name=configuration.name,
        version=metadata.version("kgscripts"),
        task=CausalChangeTask.purpose,
        licence="MIT",
        data=files.description,
        command=command,
        training=attrs.asdict(settings),
    )
    save_checkpoint(build_retrieval(files.steps, settings, card), out)
    echo(f"{printable(str(out))}: {files.description}")
