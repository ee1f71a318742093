"""The evaluation tasks of steps: which are one, in which order, which are typical and essential."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from attrs import evolve

from kgscripts.commands.options import (
    GraphFolder,
    Inscript,
    Jobs,
    Pipeline,
    Thresholds,
)
from kgscripts.evaluation.registry import Benchmark, evaluation_task, of_checkpoint, of_package
from kgscripts.evaluation.result import Evaluation
from kgscripts.reproductions.events.tasks import place_of_extractor
from schemas.errors import ConfigurationError

_VECTORS = "action-vectors"
"""The enricher with the weights of typicality and importance."""


def _of_seen(**corpus: Path) -> list[Evaluation]:
    """Evaluations without a source: these are no scores of the model that ships, which was trained on them."""
    note = "The model was trained on these scenarios: `kgscripts train cross-validate-steps` leaves each out."
    evaluations = steps(corpus.get("descript"), corpus.get("inscript"), model="steps")
    return [
        evolve(each, systems=[evolve(system, source="") for system in each.systems], notes=[note])
        for each in evaluations
    ]


@evaluation_task(
    "--descript corpora/descript/gold_paraphrase_sets --ara corpora/ara",
    place=of_checkpoint("steps"),
    benchmarks=[
        Benchmark("steps: descript", {"descript": "descript/gold_paraphrase_sets"}, run=_of_seen),
        Benchmark("steps: inscript", {"inscript": "inscript"}, run=_of_seen),
        Benchmark("steps: ara", {"ara": "ara"}, {"model": "steps"}),
    ],
)
def steps(
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    inscript: Inscript = None,
    ara: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Aligned Recipe Actions: a folder with one folder per dish.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
    threshold: Thresholds = None,
) -> list[Evaluation]:
    """Evaluate which steps of a scenario are merged, on steps that people have grouped or aligned.

    On DeScript and InScript, scores are B-cubed and of pairs, means over the annotations; the model that ships has seen
    these scenarios: `kgscripts train cross-validate-steps` leaves each out. On Aligned Recipe Actions, they are recall
    and precision of pairs of actions of two recipes; the dish is the scenario. Plain rules are there to compare with.
    """
    from kgscripts.reproductions.steps.merging import evaluate_steps

    if descript is None and inscript is None and ara is None:
        remedy = "name a corpus by --descript, --inscript or --ara"
        raise ConfigurationError("nothing to evaluate on", remedy=remedy)
    return evaluate_steps(descript=descript, inscript=inscript, ara=ara, model=model, thresholds=threshold or ())


@evaluation_task(
    "--descript corpora/descript/gold_paraphrase_sets",
    place=of_checkpoint("steps"),
    benchmarks=[
        Benchmark("matches", {"inscript": "inscript", "descript": "descript/gold_paraphrase_sets"}, {"model": "steps"})
    ],
)
def matches(
    inscript: Inscript = None,
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
) -> list[Evaluation]:
    """Evaluate which actions of texts are matched to the steps of the written scripts that ship.

    Each scenario is scored by weights that were learnt from the labels of the others.
    """
    from kgscripts.reproductions.steps.script_matches import evaluate_matches

    if inscript is None and descript is None:
        raise ConfigurationError("nothing to evaluate on", remedy="name a corpus by --inscript or --descript")
    return evaluate_matches(inscript=inscript, descript=descript, model=model)


@evaluation_task(
    "corpora/captaincook",
    place=place_of_extractor,
    benchmarks=[Benchmark("order: CaptainCook4D", {"directory": "captaincook"})],
)
def order(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="CaptainCook4D: recordings.json and the folder task_graphs.")
    ],
    spacy_model: Pipeline = None,
    jobs: Jobs = 1,
) -> list[Evaluation]:
    """Evaluate the order of steps on task graphs of recipes, which say which step must precede which.

    A graph is built of what people did, each recording as a source. Of the pairs of steps that a task graph orders, the
    paths of PRECEDES have a share in this order, in the other one, or open; of its free pairs they leave a share open.
    """
    from kgscripts.reproductions.steps.task_graphs import evaluate_order

    return [evaluate_order(directory, pipeline=spacy_model, jobs=jobs)]


@evaluation_task(
    "--inscript corpora/inscript",
    place=of_package(_VECTORS),
    benchmarks=[Benchmark("typicality: InScript", {"inscript": "inscript"})],
)
def typicality(
    inscript: Annotated[Path, typer.Option(metavar="DIR", help="InScript, with one folder per split.")],
    split: Annotated[str, typer.Option(help="The split whose mentions are judged: val or train.")] = "val",
) -> list[Evaluation]:
    """Evaluate whether typical steps are those of the script, on the labels of InScript.

    Each scenario is judged with weights learnt from the others. Above a threshold, `ScrEv kept` is the share of the
    mentions so labelled; script events are ScrEv, RelNScrEv and Evoking.
    """
    from kgscripts.reproductions.steps.typicality import evaluate_typicality

    return [evaluate_typicality(inscript, split)]


@evaluation_task("GRAPH --examples 10", place=of_package(_VECTORS))
def importance(directory: GraphFolder) -> list[Evaluation]:
    """Evaluate which steps are essential, usual, optional, or no part of a scenario, on steps that were judged twice.

    The list ships with the package; its steps are those of a graph of MCScript. Steps on which the two judgements
    differ are left out, and those that the graph lacks are wrong.
    """
    from kgscripts.reproductions.steps.importance import evaluate_importance
    from schemas.script_graph import StoredGraph

    return [evaluate_importance(StoredGraph.open(directory))]
