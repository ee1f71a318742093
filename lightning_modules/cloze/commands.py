"""`kgscripts train masked`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.machine import Machine, Precision
from lightning_modules.training_files import TrainingFiles, require_lightning


def masked(
    train: Annotated[list[Path], typer.Option(metavar="FILE", help="Cloze templates; repeatable.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")],
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="A TOML file instead of ours.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run, if there is one.")] = False,
    max_time: Annotated[str | None, typer.Option(metavar="DD:HH:MM:SS", help="Stop training after this time.")] = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the configuration's.")] = None,
    accelerator: Annotated[str, typer.Option(help="auto, cpu, gpu, mps, ...")] = "auto",
    devices: Annotated[str, typer.Option(help="How many devices, or auto.")] = "1",
    precision: Annotated[Precision, typer.Option(help="Of the network.")] = Precision.BRAIN_FLOAT,
) -> None:
    """Adapt MiniLM to the blanks of cloze templates: the model that ships as `masked`."""
    require_lightning()
    import attrs

    from lightning_modules.cloze.train import CONFIGURATION, MaskedConfiguration, train_masked

    configuration = MaskedConfiguration.read(config or CONFIGURATION)
    if seed is not None:
        configuration = attrs.evolve(configuration, seed=seed)
    files = TrainingFiles.read(train)
    options = ["--config", config.name] if config else []
    options += ["--seed", str(configuration.seed), "--precision", precision.value]
    outcome = train_masked(
        configuration,
        files.pairs,
        out,
        machine=Machine.of_options(accelerator, devices, precision),
        resume=resume,
        max_time=max_time,
        data=files.description,
        command=files.command("masked", options),
    )
    typer.echo(f"{out}: {outcome.epochs} epochs, held-out surprisal {outcome.held_out_surprisal:.3f} nats a word")
