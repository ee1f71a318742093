"""`kgscripts evaluate steps`, `order`, `typicality` and `importance`: which steps are one, their order, which count."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, Thresholds
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs


def steps(
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    inscript: Annotated[
        Path | None, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")
    ] = None,
    ara: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Aligned Recipe Actions: a folder with one folder per dish.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
    threshold: Thresholds = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate which steps of a scenario are merged, on steps that people have grouped or aligned.

    On DeScript and InScript, scores are B-cubed and of pairs, means over the annotations; the model that ships has seen
    these scenarios: `kgscripts train cross-validate-steps` leaves each out. On Aligned Recipe Actions, they are recall
    and precision of pairs of actions of two recipes; the dish is the scenario. Plain rules are there to compare with.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.steps.merging import evaluate_steps
    from kgscripts.models.registry import find_checkpoint

    if descript is None and inscript is None and ara is None:
        remedy = "name a corpus by --descript, --inscript or --ara"
        raise ConfigurationError("nothing to evaluate on", remedy=remedy)
    check_outputs(output, inputs=[descript, inscript, ara, model])
    found = evaluate_steps(descript=descript, inscript=inscript, ara=ara, model=model, thresholds=threshold or ())
    places = {model: find_checkpoint(model, "steps")}
    finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)


def order(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="CaptainCook4D: recordings.json and the folder task_graphs.")
    ],
    spacy_model: Annotated[
        str | None, typer.Option(help="An installed spaCy pipeline instead of the shipped one.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that read.")] = 1,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate the order of steps on task graphs of recipes, which say which step must precede which.

    A graph is built of what people did, each recording as a source. Of the pairs of steps that a task graph orders, the
    paths of PRECEDES have a share in this order, in the other one, or open; of its free pairs they leave a share open.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.counting import EXTRACTOR
    from kgscripts.evaluation.steps.task_graphs import evaluate_order
    from kgscripts.score_files import scores_of_package

    if attach_as and spacy_model:
        remedy = "leave out --spacy-model"
        raise ConfigurationError("scores are kept for the shipped pipeline", where="--attach-as", remedy=remedy)
    check_outputs(output, inputs=[directory, spacy_model])
    found = evaluate_order(directory, pipeline=spacy_model, jobs=jobs)
    places = {EXTRACTOR: scores_of_package(EXTRACTOR)}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)


def typicality(
    inscript: Annotated[Path, typer.Option(metavar="DIR", help="InScript, with one folder per split.")],
    split: Annotated[str, typer.Option(help="The split whose mentions are judged: val or train.")] = "val",
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate whether typical steps are those of the script, on the labels of InScript.

    Each scenario is judged with weights learnt from the others. Above a threshold, `ScrEv kept` is the share of the
    mentions so labelled; script events are ScrEv, RelNScrEv and Evoking.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.enrichers.vectors import ActionVectors
    from kgscripts.evaluation.steps.typicality import OURS, evaluate_typicality
    from kgscripts.score_files import scores_of_package

    check_outputs(output, inputs=[inscript])
    found = evaluate_typicality(inscript, split)
    places = {OURS: scores_of_package(ActionVectors.name)}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)


def importance(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A graph directory.")],
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate which steps are essential, usual, optional, or no part of a scenario, on steps that were judged twice.

    The list ships with the package; its steps are those of a graph of MCScript. Steps on which the two judgements
    differ are left out, and those that the graph lacks are wrong.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.enrichers.vectors import ActionVectors
    from kgscripts.evaluation.steps.importance import OURS, evaluate_importance
    from kgscripts.score_files import scores_of_package
    from schemas.script_graph import StoredGraph

    check_outputs(output, inputs=[directory])
    found = evaluate_importance(StoredGraph.open(directory))
    places = {OURS: scores_of_package(ActionVectors.name)}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
