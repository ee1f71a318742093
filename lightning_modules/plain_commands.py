"""Commands of `kgscripts train` without Lightning, and those that cross-validate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import attrs
import typer
from attrs import frozen

from kgscripts.commands.options import AsJson, Thresholds
from lightning_modules.configuration import read_configuration, read_settings
from lightning_modules.options import Accelerator, Config, Settings, TrainOptions, with_options
from lightning_modules.settings import Hardware, Withheld
from schemas.errors import ModelError
from schemas.output_files import check_directory, check_outputs
from schemas.terminal import echo, printable

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
    from kgscripts.commands.evaluation_output import finish
    from lightning_modules.scenarios.detector_task import cross_validate as measure
    from lightning_modules.scenarios.stories import StoryFiles
    from schemas.terminal import progress_bar

    files = StoryFiles.read(train, development)
    with progress_bar() as progress:
        task = progress.add_task("stories", total=len(files.labelled))
        evaluation = measure(
            files,
            configuration,
            withheld,
            folds=folds,
            hardware=Hardware(accelerator=accelerator),
            on_story=lambda count: progress.advance(task, count),
        )
    evaluation = attrs.evolve(evaluation, split=f"{evaluation.split}, withheld: {withheld}")
    shown = len(evaluation.examples) if as_json else 10
    finish([evaluation], places={}, attach_as=None, output=None, as_json=as_json, examples=shown)


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
    from lightning_modules.steps.task import StepScenarios, cross_validate
    from schemas.provenance import Exposure
    from schemas.terminal import progress_bar

    directory = None if attach is None else find_checkpoint(attach, "steps")
    vectors = read_encoder(encoder)
    scenarios = StepScenarios.read(descript, inscript)
    with progress_bar() as progress:
        total = len({item.scenario for item in (*scenarios.descript, *scenarios.inscript)})
        task = progress.add_task("scenarios", total=total)
        evaluations = cross_validate(
            scenarios,
            configuration,
            vectors,
            hardware=Hardware(accelerator=accelerator),
            on_scenario=lambda: progress.advance(task),
            thresholds=threshold or (),
        )
    finish(
        evaluations,
        places={"steps": directory} if directory else {},
        # The thresholds were chosen in view of these scores.
        attach_as=Exposure.DEVELOPMENT if directory else None,
        output=None,
        as_json=as_json,
        examples=0,
    )


OutFile = Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Use only this many of the training items.")]


@with_options("tools", TrainOptions)
def tools(
    run: TrainOptions,
    train: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Events with tools, TSV. Default: those that were written for kgscripts."),
    ] = None,
) -> None:
    """Train the model that ranks the tools of an event. It takes some two minutes on one core.

    The scores that are printed are those of the cross-validation that the probabilities are fitted on.
    """
    configuration = run.configuration()
    from kgscripts.models.checkpoint import save_checkpoint
    from kgscripts.models.tools.ranker import ranker_checkpoint
    from lightning_modules.learning.tool_ranker import read_events, shipped_events, train_ranker

    path = train or shipped_events()
    groups = run.limited(read_events(path))
    ranker, held_out = train_ranker(groups, configuration.training, lambda stage: echo(stage, err=True))
    events = sum(len(group.events) for group in groups)
    data = f"{events:,} events in {len(groups):,} groups with {len(ranker.known.tools):,} tools, of {path.name}"
    for name, scores in held_out.items():
        echo(
            f"{scores.events:,} {name}, held out: answered {scores.answered:.2f}, precision@1 {scores.precision:.2f}, "
            f"hit@5 {scores.hit_at_5:.2f}"
        )
    figures = {"cross_validation": {name: attrs.asdict(scores) for name, scores in held_out.items()}}
    card = run.card(configuration, "ranks the tools of an event", "CC0-1.0", data, figures)
    save_checkpoint(ranker_checkpoint(ranker, card), run.out)
    echo(f"{printable(str(run.out))}: {data}")


@frozen(kw_only=True)
class PipelineOptions(TrainOptions):
    """The options of the training of a pipeline, which has the layout of spaCy."""

    def check_place(self) -> None:
        """See `TrainOptions`."""
        check_directory(self.out, self.inputs)
        if self.out.exists() and any(self.out.iterdir()) and not (self.out / "meta.json").is_file():
            remedy = "name another directory, or take away what is there"
            raise ModelError("not empty, and no pipeline", where=str(self.out), remedy=remedy)


@with_options("text", PipelineOptions)
def text(
    treebanks: Annotated[Path, typer.Option(metavar="DIR", help="Folder with ewt/ and gum/ in CoNLL-U.")],
    run: TrainOptions,
    work: Annotated[Path, typer.Option(metavar="DIR", help="Where training writes.")] = Path("build/text"),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the best pipeline of an interrupted run in --work.")
    ] = False,
) -> None:
    """Train the spaCy pipeline that parses texts: tags, morphology, lemmas, sentences and dependencies.

    spaCy's own loop trains it, prints its progress, and keeps the best pipeline so far in --work. The tables of the
    lemma corrector are made of the same treebanks. The scores are measured at the end and written beside the pipeline.
    """
    configuration = run.configuration()
    from lightning_modules.learning.text.train import score_table, train_and_package

    scores = train_and_package(treebanks, work, run.out, configuration.training, limit=run.limit, resume=resume)
    echo(score_table(scores))


def scenario_calibration(
    development: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The checkpoint to write; it may be the one that is read.")],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A detector: the one that ships (default), or a checkpoint.")
    ] = "default",
) -> None:
    """Give a detector the activities that are not listed, and the confidence below which a segment has no scenario.

    Training does so at its end. `kgscripts evaluate scenario-confidence` prints what each floor gives.
    """
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents
    from lightning_modules.scenarios.stories import calibrate

    check_directory(out, [development])
    settings = calibrate(model, read_scenario_documents(development), out).settings
    echo(f"{printable(str(out))}: {len(settings.others)} other activities, floor {settings.floor:.2f}")


def typicality(inscript: Inscript, out: OutFile, limit: Limit = None) -> None:
    """Learn how typical a step is of its scenario's script, from the `train` stories of InScript."""
    check_outputs(out, inputs=[inscript / "train", inscript / "val"])
    from lightning_modules.learning.importance import train_typicality

    weights = train_typicality(inscript, out, limit)
    echo(f"wrote {printable(str(out))}; steps are usual from a typicality of {weights.usual} on")


def importance(
    graphs: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Graphs of MCScript and of the sequences of DeScript.")
    ],
    out: OutFile,
) -> None:
    """Learn which steps are essential and which are optional, from steps of graphs that were judged."""
    check_outputs(out, inputs=graphs)
    from lightning_modules.learning.importance import train_importance
    from schemas.script_graph import StoredGraph

    weights, steps = train_importance([StoredGraph.open(directory) for directory in graphs], out)
    echo(
        f"wrote {printable(str(out))}, learnt from {steps:,} steps; essential from a probability of "
        f"{weights.least_essential} on"
    )
