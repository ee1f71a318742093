"""The evaluation tasks of KidsCook: cloze tests and alignments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import SplitName
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, named, quiet
from kgscripts.evaluation.result import Evaluation

_TEMPLATES, _WHITELIST = "kidscook/valid.template.tsv", "kidscook/approved.5.txt"
_CLOZE_MODELS = (
    "A checkpoint directory, or a model that ships (transducer, masked). The suffix :left hides the right side of each "
    "blank. May be repeated."
)
_ALIGNERS = (
    "diagonal, ibm1 or ibm1-free (these need --train), aligner, aligner-free (not monotonic), or the checkpoint "
    "directory of an aligner or a transducer. May be repeated. Default: diagonal, aligner and aligner-free."
)


def _read_by_cloze(model: list[str], **options: object) -> Iterator[str | Path]:
    from kgscripts.reproductions.kidscook.cloze.models import checkpoint_name

    return chain(named(**options), map(checkpoint_name, model))


def _place_of_cloze(source: str, **_: object) -> Path:
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.kidscook.cloze.models import checkpoint_name

    return find_checkpoint(checkpoint_name(source))


@evaluation_task(
    "--model masked --templates valid.template.tsv --whitelist words.txt",
    inputs=_read_by_cloze,
    place=_place_of_cloze,
    benchmarks=[
        Benchmark(f"cloze: {name}", {"templates": _TEMPLATES, "whitelist": _WHITELIST}, {"model": [name]})
        for name in ("transducer", "masked")
    ],
)
def cloze(
    model: Annotated[list[str], typer.Option(metavar="MODEL", help=_CLOZE_MODELS)],
    templates: Annotated[
        Path, typer.Option(metavar="FILE", help="Cloze templates: TSV with a 0 for each hidden token.")
    ],
    whitelist: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The candidates, one per line. Default: the blanked words."),
    ] = None,
    split: SplitName = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples of the greedy setup.")] = 1931,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate models on the cloze task: match, top-5 precision and surprisal (KidsCook, Table 4).

    Oracle: earlier blanks contain the gold words. Greedy: they contain the model's own. The published scores are
    printed beside those on the released templates; those models see only the left side of a blank.
    """
    from kgscripts.reproductions.kidscook.cloze.files import evaluate_cloze_files

    def begin(name: str, total: int) -> Callable[[int], None]:
        report(description=name, total=total, completed=0)
        return lambda count: report(advance=count)

    return [evaluate_cloze_files(model, templates, whitelist, split=split, seed=seed, on_model=begin)]


def _read_by_aligners(model: list[str] | None, **options: object) -> Iterator[str | Path]:
    from kgscripts.reproductions.kidscook.alignments.models import checkpoint_of

    return chain(named(**options), map(checkpoint_of, model or ()))


def _place_of_aligner(source: str, **_: object) -> Path | None:
    from kgscripts.models.registry import find_checkpoint
    from kgscripts.reproductions.kidscook.alignments.models import BASELINES, checkpoint_of

    return None if source in ("", *BASELINES) else find_checkpoint(checkpoint_of(source))


@evaluation_task(
    "--gold gold.jsonl --templates valid.template.tsv",
    inputs=_read_by_aligners,
    place=_place_of_aligner,
    benchmarks=[
        Benchmark(
            "alignments: KidsCook",
            {"gold": "kidscook/alignments.valid.jsonl", "templates": _TEMPLATES},
            {"model": ["aligner", "aligner-free", "diagonal"]},
        )
    ],
)
def alignments(
    gold: Annotated[Path, typer.Option(metavar="FILE", help="Gold alignments: JSON lines.")],
    templates: Annotated[Path, typer.Option(metavar="FILE", help="The pairs of the gold alignments.")],
    model: Annotated[list[str] | None, typer.Option(metavar="NAME|DIR", help=_ALIGNERS)] = None,
    train: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Training pairs for ibm1.")] = None,
    split: SplitName = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate alignments on gold labels (words not on the abstract side) and on anchors (words on both sides).

    The interval is the 95 % interval of the accuracy over resampled pairs. "With anchors unknown" replaces each anchor
    by the unknown word, so that copying does not help. The last system is the upper bound for paths without crossings.
    """
    from kgscripts.reproductions.kidscook.alignments.files import evaluate_alignment_files

    models = model or ["diagonal", "aligner", "aligner-free"]
    report(total=len(models))
    return [
        evaluate_alignment_files(
            models,
            gold,
            templates,
            train=train or (),
            split=split,
            on_model=lambda name: report(description=name, advance=1),
        )
    ]
