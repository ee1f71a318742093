"""`kgscripts evaluate scenario-confidence`: how often detected scenarios are right, by their confidence."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, SplitName


def scenario_confidence(
    gold: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A detector: the one that ships (default), or a checkpoint.")
    ] = "default",
    split: SplitName = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate the confidence of detected scenarios, and the floor below which a segment has none.

    Each document is taken as it is, and as if its scenarios were not listed: then all that is found in it is wrong.
    `kgscripts train scenario-calibration` chooses the floor of a detector.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.models.scenarios.detector import load_detector
    from kgscripts.reproductions.scenarios.confidence import evaluate_confidence
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents
    from schemas.output_files import check_outputs

    check_outputs(output, inputs=[gold, model])
    places = {model: find_checkpoint(model, "scenarios")} if attach_as else {}
    dataset = gold.absolute().name
    found = evaluate_confidence(
        read_scenario_documents(gold),
        load_detector(model),
        dataset=dataset,
        split=split or dataset.split(".")[0],
        source=model,
    )
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
