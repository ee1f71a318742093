"""`kgscripts train step-encoder`, `kgscripts train steps` and its cross-validation."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
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

Descript = Annotated[Path, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript.")]
Inscript = Annotated[Path, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")]

Encoder = Annotated[
    str,
    typer.Option(metavar="NAME|DIR", help="A checkpoint of `train step-encoder` or of `train steps`."),
]


def step_encoder(
    out: Out,
    model: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A shipped configuration (see below) or a TOML file.")
    ] = "encoder",
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Train the encoder whose vectors `train steps` compares.

    It learns from event sequence descriptions that were written for it, and ship with the package.
    """
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=[named_file(model)])
    import attrs

    from lightning_modules.steps.encoder_task import EncoderTask
    from lightning_modules.steps.settings import read_encoder_configuration

    configuration = read_encoder_configuration(model)
    settings = configuration.training if seed is None else attrs.evolve(configuration.training, seed=seed)
    task = EncoderTask(configuration.name)
    words = ["kgscripts", "train", "step-encoder", "--model", configuration.name if Path(model).is_file() else model]
    words += [] if seed is None else ["--seed", str(seed)]
    data = f"{len(task.split.train) + len(task.split.held_out)} scenarios that were written for training"
    run.train(task, settings, data=data, command=shlex.join(words))


def steps(
    descript: Descript,
    inscript: Inscript,
    out: Out,
    encoder: Encoder = "default",
    model: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A shipped configuration (see below) or a TOML file.")
    ] = "merger",
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Train the model that merges the steps of a scenario that mean the same.

    It learns from paraphrase sets, from the event labels of stories, and from event sequence descriptions that were
    written for it, a tenth of whose scenarios decides which weights are kept.
    """
    inputs = (descript, inscript, encoder, named_file(model))
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=inputs)
    import attrs

    from kgscripts.models.steps.encoder import read_encoder
    from lightning_modules.steps.settings import read_configuration
    from lightning_modules.steps.task import StepScenarios, StepTask

    configuration = read_configuration(model)
    settings = configuration.training if seed is None else attrs.evolve(configuration.training, seed=seed)
    vectors = read_encoder(encoder)
    scenarios = StepScenarios.read(descript, inscript)
    words = ["kgscripts", "train", "steps", "--descript", descript.name, "--inscript", inscript.name]
    words += ["--encoder", Path(encoder).name, "--model", configuration.name if Path(model).is_file() else model]
    words += [] if seed is None else ["--seed", str(seed)]
    data = (
        f"{len(scenarios.descript)} scenarios of DeScript's gold paraphrase sets, {len(scenarios.inscript)} of "
        f"InScript, and {len(scenarios.written)} that were written for training"
    )
    run.train(StepTask(configuration, scenarios, vectors), settings, data=data, command=shlex.join(words))


def cross_validate_steps(
    descript: Descript,
    inscript: Inscript,
    encoder: Encoder = "default",
    attach: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="Write the scores on the card of this model, trained on all.")
    ] = None,
    accelerator: Accelerator = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure how well steps are merged in each scenario of DeScript and InScript, by a model trained without it."""
    from kgscripts.commands.evaluate_steps import print_reports
    from kgscripts.models.checkpoint import attach_scores
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.models.steps.encoder import read_encoder
    from lightning_modules.hardware import Hardware
    from lightning_modules.steps.cross_validation import cross_validate
    from lightning_modules.steps.settings import read_configuration
    from lightning_modules.steps.task import StepScenarios
    from schemas.provenance import Exposure
    from schemas.terminal import progress_bar

    directory = None if attach is None else find_checkpoint(attach, "steps")
    vectors = read_encoder(encoder)
    scenarios = StepScenarios.read(descript, inscript)
    with progress_bar() as progress:
        total = len({item.scenario for item in (*scenarios.descript, *scenarios.inscript)})
        task = progress.add_task("scenarios", total=total)
        reports = cross_validate(
            scenarios,
            read_configuration("merger"),
            vectors,
            hardware=Hardware(accelerator=accelerator),
            on_scenario=lambda: progress.advance(task),
        )
    named = dict(zip(("DeScript", "InScript"), reports, strict=True))
    if directory is not None:
        # The thresholds were chosen in view of these scores.
        scores = [
            score
            for name, report in named.items()
            for score in report.benchmark_scores(name, "each scenario left out", Exposure.DEVELOPMENT)
        ]
        attach_scores(directory, scores)
    print_reports(named, as_json=as_json)
