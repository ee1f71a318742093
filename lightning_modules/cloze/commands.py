"""`kgscripts train masked`."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from lightning_modules.machine import Machine, Precision
from schemas.errors import ModelError


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
    if find_spec("pytorch_lightning") is None:
        raise ModelError("training needs pytorch-lightning", remedy="pip install 'kgscripts[train]'")
    import attrs

    from kgscripts.corpora.pair_corpora import load_pairs
    from lightning_modules.cloze.train import CONFIGURATION, MaskedConfiguration, train_masked

    configuration = MaskedConfiguration.read(config or CONFIGURATION)
    if seed is not None:
        configuration = attrs.evolve(configuration, seed=seed)
    pairs = load_pairs(train).pairs
    names = [path.name for path in train]
    # Names without folders: the command means the same on another machine.
    command = ["kgscripts", "train", "masked", *(word for name in names for word in ("--train", name))]
    command += ["--config", config.name] if config else []
    command += ["--seed", str(configuration.seed), "--precision", precision.value]
    outcome = train_masked(
        configuration,
        pairs,
        out,
        machine=Machine.of_options(accelerator, devices, precision),
        resume=resume,
        max_time=max_time,
        data=f"{len(pairs):,} pairs of {', '.join(names)}",
        command=shlex.join(command),
    )
    typer.echo(f"{out}: {outcome.epochs} epochs, held-out surprisal {outcome.held_out_surprisal:.3f} nats a word")
