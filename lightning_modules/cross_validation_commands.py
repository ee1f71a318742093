"""`kgscripts train cross-validate` and `cross-validate-steps`: how good the models are on what they have not seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, Thresholds
from lightning_modules.configuration import read_configuration, read_settings
from lightning_modules.hardware import Hardware
from lightning_modules.options import Accelerator, Config, Settings
from lightning_modules.settings import Withheld

Stories = Annotated[
    list[Path],
    typer.Option(
        metavar="PATH", help="Stories with or without scenarios: MCScript, InScript, DeScript, ...; repeatable."
    ),
]
Development = Annotated[Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments, of other stories.")]
Descript = Annotated[Path, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript.")]
Inscript = Annotated[Path, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")]
Encoder = Annotated[
    str, typer.Option(metavar="NAME|DIR", help="A checkpoint of `train step-encoder` or of `train steps`.")
]


def cross_validate(
    train: Stories,
    development: Development,
    withheld: Annotated[
        Withheld,
        typer.Option(
            help="stories: others of the same scenario are trained on. scenarios: none of them is. knowledge: nor are "
            "the passages written about it, so that only its name is known."
        ),
    ] = Withheld.STORIES,
    folds: Annotated[int, typer.Option(min=2, help="The number of detectors that are trained.")] = 5,
    config: Config = "",
    settings: Settings = [],  # noqa: B006  (typer's own)
    accelerator: Accelerator = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure how often the detector finds the scenario of a story that it was not trained on.

    The stories with a scenario are dealt out to the folds; each fold is predicted by a detector that was trained on the
    others.
    """
    configuration = read_configuration("scenarios", config, read_settings(settings))
    import attrs

    from lightning_modules.scenarios.cross_validation import cross_validate as measure
    from lightning_modules.scenarios.stories import StoryFiles
    from schemas.terminal import echo, echo_json, printable, progress_bar

    files = StoryFiles.read(train, development)
    with progress_bar() as progress:
        task = progress.add_task("stories", total=len(files.labelled))
        found = measure(
            files,
            configuration,
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


def cross_validate_steps(
    descript: Descript,
    inscript: Inscript,
    encoder: Encoder = "default",
    attach: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="Write the scores on the card of this model, trained on all.")
    ] = None,
    threshold: Thresholds = None,
    config: Config = "",
    settings: Settings = [],  # noqa: B006  (typer's own)
    accelerator: Accelerator = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure how well steps are merged in each scenario of DeScript and InScript, by a model trained without it."""
    configuration = read_configuration("steps", config, read_settings(settings))
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.models.steps.encoder import read_encoder
    from lightning_modules.steps.cross_validation import cross_validate
    from lightning_modules.steps.task import StepScenarios
    from schemas.provenance import Exposure
    from schemas.terminal import progress_bar

    directory = None if attach is None else find_checkpoint(attach, "steps")
    vectors = read_encoder(encoder)
    scenarios = StepScenarios.read(descript, inscript)
    with progress_bar() as progress:
        total = len({item.scenario for item in (*scenarios.descript, *scenarios.inscript)})
        task = progress.add_task("scenarios", total=total)
        found = cross_validate(
            scenarios,
            configuration,
            vectors,
            hardware=Hardware(accelerator=accelerator),
            on_scenario=lambda: progress.advance(task),
            thresholds=threshold or (),
        )
    finish(
        found,
        places={"steps": directory} if directory else {},
        # The thresholds were chosen in view of these scores.
        attach_as=Exposure.DEVELOPMENT if directory else None,
        output=None,
        as_json=as_json,
        examples=0,
    )
