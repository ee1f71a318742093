"""`kgscripts evaluate scenario-mentions`: how many events of a graph belong to the scenario of their passage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, SplitName


def scenario_mentions(
    gold: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships (default, topic-tiling), or a checkpoint.")
    ] = "default",
    beside: Annotated[
        Path | None,
        typer.Option(metavar="FILE|DIR", help="How-tos whose titles are offered to the documents in another graph."),
    ] = None,
    split: SplitName = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate the scenarios of event mentions: with detection, and with one label for the whole of each text.

    Graphs are built of the documents in a temporary folder. A mention is right if it has a scenario that its sentence
    is labelled with: precision is over the mentions with a scenario, recall over those in labelled sentences. The one
    label is the gold one of most sentences.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.corpora.scenarios.labels import scenario_of
    from kgscripts.models.registry import find_checkpoint, load
    from kgscripts.reproductions.scenarios.documents import read_scenario_documents, story_documents
    from kgscripts.reproductions.scenarios.mentions import evaluate_mentions
    from schemas.output_files import check_outputs

    check_outputs(output, inputs=[gold, model, beside])
    places = {model: find_checkpoint(model, "scenarios")} if attach_as else {}
    named = [] if beside is None else [scenario_of(document) for document in story_documents(beside)]
    documents = read_scenario_documents(gold, others=[scenario for scenario in named if scenario])
    dataset = gold.absolute().name
    found = evaluate_mentions(
        documents,
        load("scenarios", model),
        dataset=dataset,
        split=split or dataset.split(".")[0],
        source=model,
        beside=beside,
    )
    finish(
        [found],
        places=places,
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
    )
