"""`kgscripts evaluate steps` and `kgscripts evaluate typicality`: steps that are the same, and steps of the script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile
from schemas.errors import ConfigurationError
from schemas.output_files import check_outputs


def steps(
    descript: Annotated[
        Path | None, typer.Option(metavar="FILE|DIR", help="Gold paraphrase sets of DeScript, such as its folder.")
    ] = None,
    inscript: Annotated[
        Path | None, typer.Option(metavar="DIR", help="InScript: a folder with one folder per split.")
    ] = None,
    model: Annotated[str, typer.Option(metavar="NAME|DIR", help="A model that merges steps.")] = "default",
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate which steps of a scenario are merged, on steps that people have grouped.

    Scores are B-cubed and of pairs, means over the annotations; plain rules are there to compare with. The model that
    ships has seen these scenarios: `kgscripts train cross-validate-steps` leaves each out.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.steps.merging import evaluate_steps
    from kgscripts.models.registry import find_checkpoint

    if descript is None and inscript is None:
        raise ConfigurationError("nothing to evaluate on", remedy="name a corpus by --descript or --inscript")
    check_outputs(output, inputs=[descript, inscript, model])
    found = evaluate_steps(descript=descript, inscript=inscript, model=model)
    places = {model: find_checkpoint(model, "steps")}
    finish(found, places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)


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
    from kgscripts.enrichers.action_vectors import ActionVectors
    from kgscripts.evaluation.steps.typicality import OURS, evaluate_typicality
    from kgscripts.score_files import scores_of_package

    check_outputs(output, inputs=[inscript])
    found = evaluate_typicality(inscript, split)
    places = {OURS: scores_of_package(ActionVectors.name)}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
