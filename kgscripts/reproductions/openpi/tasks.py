"""The evaluation task of OpenPI: state changes by the official scores, and by those of OpenPI 2.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from kgscripts.commands.options import PredictionsOut, SplitName
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, named, of_checkpoint, quiet
from kgscripts.evaluation.result import Evaluation
from schemas.output_files import write_lines
from schemas.provenance import Exposure
from schemas.terminal import json_text

_LOOKED_AT = "dev"
"""The split of OpenPI 2.0 that was looked at when the models that ship were developed."""
_Model = Annotated[
    str | None, typer.Option(metavar="NAME|DIR", help="Or a model that ships, or a checkpoint directory.")
]


def _read(gold: Path, questions: Path | None, **options: object) -> Iterator[str | Path]:
    from kgscripts.reproductions.openpi.answers import official_files

    return chain(chain.from_iterable(map(official_files, filter(None, (gold, questions)))), named(**options))


@evaluation_task(
    "--gold dev --model default",
    inputs=_read,
    place=of_checkpoint("state-changes"),
    benchmarks=[
        Benchmark(f"state changes: {name}", {"gold": "openpi/gold/dev"}, {"model": name})
        for name in ("state-changes", "state-changes-retrieval")
    ],
)
def state_changes(
    gold: Annotated[
        Path,
        typer.Option(
            metavar="FILE|DIR",
            help="Gold answers: id_answers.jsonl, or the folder of a split.",
        ),
    ],
    predictions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Predictions: JSON lines with id and answers.")
    ] = None,
    model: _Model = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR",
            help="The steps, as id_question_metadata.jsonl or a folder. Default: the files beside the gold answers.",
        ),
    ] = None,
    unseen: Annotated[
        list[str] | None,
        typer.Option(metavar="TOPIC", help="A topic that the model was not trained on. May be repeated."),
    ] = None,
    split: SplitName = None,
    predictions_out: PredictionsOut = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate state changes with the official scores of OpenPI, and with scores that count each answer once.

    Official: precision, recall and F1 by exact match, BLEU-2 and ROUGE-L, where one gold answer can serve many
    predictions. One to one: it serves one. Clusters: gold answers about the same attribute of the same entity serve
    one prediction. The published scores are printed beside ours.
    """
    from kgscripts.models.registry import load
    from kgscripts.reproductions.openpi.answers import (
        predict_changes,
        read_answers,
        read_steps,
        steps_beside,
        steps_of,
    )
    from kgscripts.reproductions.openpi.predicted import UNSEEN_TOPICS, evaluate_changes

    if (predictions is None) == (model is None):
        raise typer.BadParameter("give either --predictions or --model", param_hint="--predictions")
    answers = read_answers(gold)
    steps = read_steps(questions) if questions else steps_beside(gold)
    predicted: Mapping[str, Sequence[str]]
    if model is not None:
        loaded = load("state-changes", model)
        name = loaded.model.name
        wanted = steps_of(answers, steps)
        report(description="predicting", total=len(wanted))
        predicted = predict_changes(loaded, wanted, on_steps=lambda count: report(advance=count))
    else:
        assert predictions is not None
        name, predicted = predictions.name, read_answers(predictions)
    evaluation = evaluate_changes(
        answers,
        predicted,
        steps,
        dataset="OpenPI",
        split=split or (gold if gold.is_dir() else gold.parent).absolute().name,
        system=name,
        source=model or "",
        unseen=unseen or UNSEEN_TOPICS,
    )
    if predictions_out is not None:
        lines = ({"id": name, "answers": predicted[name]} for name in answers)
        write_lines(predictions_out, (json_text(line, indent=None) for line in lines))
    return [evaluation]


@evaluation_task("--gold v2.0 --model default", name="openpi-2", place=of_checkpoint("state-changes"))
def openpi_2(
    gold: Annotated[
        Path,
        typer.Option(metavar="FILE|DIR", help="Gold procedures, or the folder v2.0 of OpenPI, with published answers."),
    ],
    predictions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Predictions: JSON with the answers for each step by id.")
    ] = None,
    model: _Model = None,
    split: SplitName = None,
    predictions_out: PredictionsOut = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate which entities and attributes change, in a procedure and in its steps, as OpenPI 2.0 counts them.

    Of a folder, the published answers of language models are scored beside.
    """
    from kgscripts.models.registry import is_shipped, load
    from kgscripts.reproductions.openpi.schema import (
        evaluate_schema,
        predict_schema,
        published_files,
        read_schema_answers,
        read_schema_gold,
    )

    if (predictions is None) == (model is None):
        raise typer.BadParameter("give either --predictions or --model", param_hint="--predictions")
    procedures = read_schema_gold(gold)
    published = {name: read_schema_answers(path, procedures) for name, path in published_files(gold).items()}
    split = split or (_LOOKED_AT if gold.is_dir() else gold.name.partition(".")[0].partition("-")[0])
    exposure = None
    if model is not None:
        loaded = load("state-changes", model)
        name = loaded.model.name
        report(description="predicting", total=sum(len(procedure.steps) for procedure in procedures.values()))
        answers = predict_schema(loaded, procedures, on_steps=lambda count: report(advance=count))
        if split == _LOOKED_AT and is_shipped(model, "state-changes"):
            exposure = Exposure.DEVELOPMENT
    else:
        assert predictions is not None
        name, answers = predictions.name, read_schema_answers(predictions, procedures)
    if predictions_out is not None:
        write_lines(predictions_out, [json_text(answers)])
    return [
        evaluate_schema(procedures, answers, published, split=split, system=name, source=model or "", exposure=exposure)
    ]
