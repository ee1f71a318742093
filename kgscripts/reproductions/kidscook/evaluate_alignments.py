"""`kgscripts evaluate alignments`: the accuracy of alignments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, ScoresFile, SplitName
from schemas.output_files import check_outputs
from schemas.terminal import progress_bar

_MODEL_HELP = (
    "diagonal, ibm1 or ibm1-free (these need --train), aligner, aligner-free (not monotonic), or the checkpoint "
    "directory of an aligner or a transducer. May be repeated. Default: diagonal, aligner and aligner-free."
)


def alignments(
    gold: Annotated[Path, typer.Option(metavar="FILE", help="Gold alignments: JSON lines.")],
    templates: Annotated[Path, typer.Option(metavar="FILE", help="The pairs of the gold alignments.")],
    model: Annotated[list[str] | None, typer.Option(metavar="NAME|DIR", help=_MODEL_HELP)] = None,
    train: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Training pairs for ibm1.")] = None,
    split: SplitName = None,
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate alignments on gold labels (words not on the abstract side) and on anchors (words on both sides).

    The interval is the 95 % interval of the accuracy over resampled pairs. "With anchors unknown" replaces each anchor
    by the unknown word, so that copying does not help. The last system is the upper bound for paths without crossings.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.kidscook.alignments.files import evaluate_alignment_files
    from kgscripts.reproductions.kidscook.alignments.models import BASELINES, checkpoint_of

    models = model or ["diagonal", "aligner", "aligner-free"]
    check_outputs(output, inputs=[gold, templates, *(train or ()), *map(checkpoint_of, models)])
    with progress_bar() as progress:
        task = progress.add_task("loading", total=len(models))

        def begin(name: str) -> None:
            progress.update(task, description=name, advance=1)

        found = evaluate_alignment_files(models, gold, templates, train=train or (), split=split, on_model=begin)
    places = {name: find_checkpoint(checkpoint_of(name)) for name in models if attach_as and name not in BASELINES}
    finish([found], places=places, attach_as=attach_as, output=output, as_json=as_json, examples=examples)
