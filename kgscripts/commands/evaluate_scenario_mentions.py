"""`kgscripts evaluate scenario-mentions`: how many events of a graph belong to the scenario that they are told of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson
from schemas.terminal import echo, echo_json


def scenario_mentions(
    gold: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Documents with gold segments: JSON lines or WebAnno TSV 3.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME|DIR", help="A model that ships (default, topic-tiling), or a checkpoint.")
    ] = "default",
    as_json: AsJson = False,
) -> None:
    """Evaluate the scenarios of event mentions: with one label for the whole of each text, and with detection.

    A graph is built of the documents in a temporary folder. A mention is right if it has a scenario that its sentence
    is labelled with. The one label is the gold one of most sentences.
    """
    from attrs import asdict

    from kgscripts.corpora.scenarios.documents import read_scenario_documents
    from kgscripts.evaluation.scenarios.mentions import measure_mentions
    from kgscripts.models.registry import load

    documents = read_scenario_documents(gold)
    found = measure_mentions(documents, load("scenarios", model))
    if as_json:
        shares = ("right_share", "found_share", "right_scenario_share")
        echo_json(
            {
                name: asdict(scores) | {share: getattr(scores, share) for share in shares}
                for name, scores in found.items()
            }
        )
        return
    (first, *_) = found.values()
    counts = f"{len(documents):,} documents, {first.mentions:,} mentions, {first.labelled:,} in labelled sentences"
    echo(f"Mentions of events: {counts}")
    echo(f"{'':12}{'with a scenario':>17}{'right of these':>17}{'found of labelled':>19}")
    for name, scores in found.items():
        echo(f"{name:12}{scores.assigned:17,}{scores.right_share:17.3f}{scores.found_share:19.3f}")
