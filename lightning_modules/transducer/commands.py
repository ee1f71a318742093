"""`kgscripts train transducer`."""

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
    Train,
    TrainingFiles,
    named_file,
)


def transducer(
    config: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A shipped configuration (see below) or a TOML file.")
    ],
    train: Train,
    out: Out,
    glove: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Word vectors: GloVe's text, or infer_glove.npy with i2v.freq.pkl.gz."),
    ] = None,
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Train a transducer or a baseline (language model, seq2seq) on abstract and concrete instructions.

    On two cores an epoch of KidsCook's 7,200 pairs takes about half a minute (0.11 s a step of 32 pairs, measured by
    `python -m benchmarks aligning`); a configuration has at most 50 epochs.
    """
    run = RunOptions.of(
        out, resume, max_time, accelerator, devices, precision, inputs=[named_file(config), *train, glove]
    )
    import attrs

    from lightning_modules.transducer.configuration import read_configuration
    from lightning_modules.transducer.task import TransducerTask

    configuration = read_configuration(config)
    if seed is not None:
        configuration = attrs.evolve(configuration, training=attrs.evolve(configuration.training, seed=seed))
    files = TrainingFiles.read(train)
    options = ["--config", configuration.name, *(("--glove", glove.name) if glove else ())]
    run.train(
        TransducerTask(configuration, files.pairs, glove),
        configuration.training,
        data=files.description,
        command=files.command("transducer", [*options, "--seed", str(configuration.training.seed)]),
    )
