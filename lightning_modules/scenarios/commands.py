"""`kgscripts train scenarios`."""

from __future__ import annotations

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
from lightning_modules.scenarios.withheld import Withheld
from schemas.errors import ConfigurationError


def scenarios(
    model: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="A shipped configuration (see below) or a TOML file.")
    ],
    train: Annotated[
        list[Path],
        typer.Option(
            metavar="PATH", help="Stories with or without scenarios: MCScript, InScript, DeScript, ...; repeatable."
        ),
    ],
    development: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments, of other stories.")
    ],
    out: Out,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE|DIR", help="Documents to evaluate on, made of stories not to train on; repeatable."),
    ] = None,
    epochs: Annotated[int | None, typer.Option(help="The maximum number of epochs.")] = None,
    seed: Seed = None,
    resume: Resume = False,
    max_time: MaxTime = None,
    accelerator: Accelerator = "auto",
    devices: Devices = "1",
    precision: NetworkPrecision = Precision.SINGLE,
) -> None:
    """Train a model that finds the passages of a text that are about an everyday scenario.

    `detector` learns from passages that were written for it and from the stories with a scenario; `topic-tiling` learns
    topics from all stories, and labels from those with a scenario. The development documents decide which segments are
    about no scenario, and when the training of `topic-tiling` ends. Stories that they are made of are not trained on.
    """
    inputs = [named_file(model), *train, development, *(held_out or ())]
    run = RunOptions.of(out, resume, max_time, accelerator, devices, precision, inputs=inputs)
    import attrs

    from lightning_modules.scenarios.configuration import read_configuration
    from lightning_modules.scenarios.stories import StoryFiles
    from lightning_modules.scenarios.tasks import check_needs, make_task

    configuration = read_configuration(model)
    changed = {name: value for name, value in {"epochs": epochs, "seed": seed}.items() if value is not None}
    try:
        settings = attrs.evolve(configuration.training, **changed)
    except ValueError as error:
        raise ConfigurationError(str(error.args[0]), where=model, remedy="choose a value within range") from error
    check_needs(configuration)
    files = StoryFiles.read(train, development, held_out or ())
    options = ["--model", configuration.name if Path(model).is_file() else model]
    for name, value in changed.items():
        options += [f"--{name}", str(value)]
    run.train(make_task(configuration, files), settings, data=files.description, command=files.command(options))


def cross_validate(
    train: Annotated[
        list[Path], typer.Option(metavar="PATH", help="Stories with and without scenarios, as for `train scenarios`.")
    ],
    development: Annotated[Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments.")],
    withheld: Annotated[
        Withheld,
        typer.Option(
            help="stories: others of the same scenario are trained on. scenarios: none of them is. knowledge: nor are "
            "the passages written about it, so that only its name is known."
        ),
    ] = Withheld.STORIES,
    folds: Annotated[int, typer.Option(min=2, help="So many detectors are trained.")] = 5,
    accelerator: Accelerator = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure how often the detector finds the scenario of a story that it was not trained on.

    The stories with a scenario are dealt out to the folds; each fold is predicted by a detector that was trained on the
    others.
    """
    import attrs

    from lightning_modules.hardware import Hardware
    from lightning_modules.scenarios.configuration import read_configuration
    from lightning_modules.scenarios.cross_validation import cross_validate as measure
    from lightning_modules.scenarios.stories import StoryFiles
    from schemas.terminal import echo, echo_json, printable, progress_bar

    files = StoryFiles.read(train, development)
    with progress_bar() as progress:
        task = progress.add_task("stories", total=len(files.labelled))
        found = measure(
            files,
            read_configuration("detector"),
            withheld,
            folds=folds,
            hardware=Hardware(accelerator=accelerator),
            on_story=lambda count: progress.advance(task, count),
        )
    if as_json:
        echo_json(
            {
                "withheld": withheld.value,
                "stories": found.stories,
                "scenarios": found.scenarios,
                "accuracy": round(found.accuracy, 4),
                "accuracy_among_theirs": round(found.accuracy_among_theirs, 4),
                "mistakes": [attrs.asdict(mistake) for mistake in found.mistakes],
            }
        )
        return
    echo(f"{found.stories} stories about {found.scenarios} scenarios, {folds} folds, withheld: {withheld}")
    echo(f"  right of all scenarios            {found.accuracy:.3f}")
    echo(f"  right of the stories' scenarios   {found.accuracy_among_theirs:.3f}")
    for mistake in found.mistakes[:10]:
        echo(printable(f"  {mistake.id}: {mistake.gold}, predicted {mistake.predicted}"))
    if len(found.mistakes) > 10:
        echo(f"  ... and {len(found.mistakes) - 10} other mistakes (--json prints all)")
