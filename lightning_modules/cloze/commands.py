"""`kgscripts train masked`."""

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
    Seed,
    TrainingFiles,
)


def masked(
    train: Annotated[list[Path], typer.Option(metavar="FILE", help="Cloze templates; repeatable.")],
    out: Out,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="A TOML file instead of ours.")] = None,
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.BRAIN_FLOAT,
) -> None:
    """Adapt MiniLM to the blanks of cloze templates: the model that ships as `masked`."""
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=[*train, config])
    import attrs

    from lightning_modules.cloze.settings import CONFIGURATION, MaskedSettings
    from lightning_modules.cloze.task import MaskedTask

    settings = MaskedSettings.read(config or CONFIGURATION)
    if seed is not None:
        settings = attrs.evolve(settings, seed=seed)
    files = TrainingFiles.read(train)
    options = ["--config", config.name] if config else []
    options += ["--seed", str(settings.seed), "--precision", precision.value]
    run.train(MaskedTask(files.pairs), settings, data=files.description, command=files.command("masked", options))
