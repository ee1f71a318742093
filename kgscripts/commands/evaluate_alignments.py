"""`kgscripts evaluate alignments`: the accuracy of alignments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, ScoresFile
from schemas.output_files import check_outputs, write_lines
from schemas.provenance import Exposure
from schemas.terminal import console, echo_json, json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.evaluation.alignment.accuracy import AlignmentScores

_MODEL_HELP = (
    "diagonal, ibm1 or ibm1-free (these need --train), aligner, aligner-free (not monotonic), or the checkpoint "
    "directory of an aligner or a transducer. May be repeated. Default: diagonal, aligner and aligner-free."
)


def alignments(
    gold: Annotated[Path, typer.Option(metavar="FILE", help="Gold alignments: JSON lines.")],
    templates: Annotated[Path, typer.Option(metavar="FILE", help="The pairs of the gold alignments.")],
    model: Annotated[list[str] | None, typer.Option(metavar="NAME|DIR", help=_MODEL_HELP)] = None,
    train: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Training pairs for ibm1.")] = None,
    as_json: AsJson = False,
    output: ScoresFile = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate alignments on gold labels (words not on the abstract side) and on anchors (words on both sides).

    The interval is the 95 % interval of the accuracy over resampled pairs. "Anchors, unknown" replaces each anchor by
    the unknown word, so that copying does not help. The last row is the upper bound for paths without crossings.
    """
    from attrs import asdict

    from kgscripts.corpora.pairs.gold_alignments import read_gold_alignments
    from kgscripts.corpora.pairs.loading import load_pairs
    from kgscripts.evaluation.alignment.accuracy import best_monotonic, evaluate_alignments, sample_of_anchors
    from kgscripts.evaluation.alignment.models import checkpoint_of, open_alignment_model

    models = model or ["diagonal", "aligner", "aligner-free"]
    check_outputs(output, inputs=[gold, templates, *(train or ()), *map(checkpoint_of, models)])
    pairs = load_pairs([templates]).pairs
    labels = read_gold_alignments(gold, pairs)
    sample = sample_of_anchors(pairs)
    learned_from = load_pairs(train).pairs if train else []
    scores = []
    with progress_bar() as progress:
        for name in progress.track(models, description="aligning"):
            scores.append(evaluate_alignments(name, open_alignment_model(name, learned_from), labels, pairs, sample))
    rows = [asdict(row) for row in scores]
    content = rows[0] if len(rows) == 1 else rows
    if output is not None:
        write_lines(output, [json_text(content)])
    if attach_as:
        _attach(scores, templates, attach_as)
    if as_json:
        echo_json(content)
        return
    accepted = [{index: frozenset(indices) for index, indices in label.aligned.items()} for label in labels]
    _print(scores, best_monotonic([pairs[label.row - 1] for label in labels], accepted))


def _attach(scores: Sequence[AlignmentScores], templates: Path, exposure: Exposure) -> None:
    from kgscripts.evaluation.alignment.models import BASELINES, checkpoint_of
    from kgscripts.models.checkpoint import attach_scores
    from kgscripts.models.registry import find_checkpoint

    for row in scores:
        if row.name not in BASELINES:
            directory = find_checkpoint(checkpoint_of(row.name))
            attach_scores(directory, row.benchmark_scores(templates.name, templates.name.split(".")[0], exposure))


def _print(scores: Sequence[AlignmentScores], best: float) -> None:
    from rich import box
    from rich.table import Table

    table = Table(title="Alignments", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model")
    table.add_column("order")
    for heading in ("accuracy", "95 % interval", "anchors", "anchors, unknown", "mean span"):
        table.add_column(heading, justify="right")
    for row in scores:
        table.add_row(
            row.name,
            "kept" if row.monotonic else "free",
            f"{row.alignment_accuracy:.3f}",
            f"{row.interval[0]:.3f} to {row.interval[1]:.3f}",
            f"{row.anchor_accuracy:.3f}",
            f"{row.anchor_accuracy_unknown:.3f}",
            f"{row.mean_span_length:.2f}",
        )
    table.add_row("best possible path", "kept", f"{best:.3f}", "", "", "", "")
    console().print(table)
