"""`kgscripts train`: training of the models, which needs the extra `train`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightning_modules.aligner.commands import aligner
from lightning_modules.causal.commands import causal
from lightning_modules.cloze.commands import masked
from lightning_modules.machine import Machine, Precision
from lightning_modules.training_files import TrainingFiles, require_lightning
from schemas.errors import ConfigurationError

if TYPE_CHECKING:
    from lightning_modules.transducer.schedule import Epoch

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Train models.")


@app.callback()
def _group() -> None:
    """Train models."""


app.command(epilog="Example: kgscripts train masked --train templates.tsv --out model")(masked)
app.command(epilog="Example: kgscripts train causal --model gpt2 --train pairs.tsv --out model")(causal)
app.command(epilog="Example: kgscripts train aligner --train train.template.tsv --out model")(aligner)


@app.command(epilog="Example: kgscripts train transducer --config transducer-fixed --train pairs.tsv --out model")
def transducer(
    config: Annotated[str, typer.Option(metavar="NAME|FILE", help="A shipped configuration, or a TOML file.")],
    train: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Pairs: TSV, templates, JSON lines or released ids; repeatable.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint directory to write.")],
    glove: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word vectors: GloVe's text, or infer_glove.npy with i2v.freq.pkl.gz."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an unfinished run, if there is one.")] = False,
    max_time: Annotated[
        str | None, typer.Option(metavar="[[D:]H:]MM:SS", help="Begin no epoch that would end later than this.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Instead of the configuration's.")] = None,
    accelerator: Annotated[str, typer.Option(help="auto, cpu, gpu, mps, ...")] = "auto",
    devices: Annotated[str, typer.Option(help="How many devices, or auto.")] = "1",
    precision: Annotated[Precision, typer.Option(help="Of the networks.")] = Precision.SINGLE,
) -> None:
    """Train a transducer or a baseline (language model, seq2seq) on abstract and concrete instructions."""
    require_lightning()
    import attrs

    from lightning_modules.transducer.configuration import read_configuration
    from lightning_modules.transducer.training import train as train_network

    configuration = read_configuration(config)
    if seed is not None:
        configuration = attrs.evolve(configuration, training=attrs.evolve(configuration.training, seed=seed))
    files = TrainingFiles.read(train)
    options = ["--config", configuration.name, *(("--glove", glove.name) if glove else ())]
    outcome = train_network(
        configuration,
        files.pairs,
        out,
        glove=glove,
        machine=Machine.of_options(accelerator, devices, precision),
        resume=resume,
        max_seconds=None if max_time is None else _seconds(max_time),
        data=files.description,
        command=files.command("transducer", [*options, "--seed", str(configuration.training.seed)]),
        report=_print_epoch,
    )
    state = "finished" if outcome.is_finished else "stopped, to be continued by --resume,"
    typer.echo(f"{out}: {state} after {outcome.epochs} epochs, held-out loss {outcome.held_out_loss:.3f} nats a pair")


def _print_epoch(epoch: Epoch) -> None:
    phase = "hard EM" if epoch.hard_em else "likelihood"
    best = "  best" if epoch.is_best else ""
    typer.echo(
        f"epoch {epoch.number:3} {phase:10}  train {epoch.train_loss:8.3f}  held-out {epoch.held_out_loss:8.3f}"
        f"  {epoch.seconds:6.1f} s{best}",
        err=True,
    )


def _seconds(text: str) -> float:
    """Seconds of ``[[D:]H:]MM:SS``. Raises ConfigurationError for anything else."""
    if not re.fullmatch(r"(\d+:){1,3}\d+", text):
        raise ConfigurationError(f"no time: {text}", where="--max-time", remedy="write it as 10:00 or 1:30:00")
    units = (1, 60, 3600, 86400)
    return float(sum(int(part) * unit for part, unit in zip(reversed(text.split(":")), units, strict=False)))
