"""The evaluation task of OpenPI: state changes by the official scores, and by those of OpenPI 2.0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from attrs import evolve

from kgscripts.commands.options import PredictionsOut, SplitName
from kgscripts.evaluation.registry import Benchmark, Report, evaluation_task, named, of_checkpoint, quiet
from kgscripts.evaluation.result import Evaluation, Role
from schemas.output_files import write_lines
from schemas.provenance import Exposure
from schemas.terminal import echo, json_text

if TYPE_CHECKING:
    from kgscripts.reproductions.openpi.schema import Answers

_LOOKED_AT = "dev"
"""The split of OpenPI 2.0 that was looked at when the models that ship were developed."""


class SchemaVersion(StrEnum):
    """The data whose schemas are evaluated."""

    OPENPI_2 = "2.0"


def _read(gold: Path, questions: Path | None, schema: SchemaVersion | None, **options: object) -> Iterator[str | Path]:
    from kgscripts.reproductions.openpi.answers import official_files

    files = [gold] if schema else chain.from_iterable(map(official_files, filter(None, (gold, questions))))
    return chain(files, named(**options))


def _show(evaluations: Sequence[Evaluation], schema: SchemaVersion | None, **_: object) -> None:
    """Of OpenPI 2.0, print the F1 of each system in a row; precision and recall do not fit beside it."""
    from kgscripts.commands.evaluation_output import print_evaluations

    if schema is None:
        print_evaluations(evaluations)
        return
    print_evaluations(
        [
            evolve(
                found,
                systems=[
                    evolve(system, figures=[figure for figure in system.figures if figure.metric.endswith("F1")])
                    for system in found.systems
                ],
            )
            for found in evaluations
        ]
    )
    echo("\nPrecision and recall: --json.")


@evaluation_task(
    "--gold dev --model default",
    inputs=_read,
    place=of_checkpoint("state-changes"),
    show=_show,
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
            help="Gold answers: id_answers.jsonl, or the folder of a split; with --schema, v2.0 of OpenPI or a file.",
        ),
    ],
    predictions: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Predictions: JSON lines with id and answers; with --schema, JSON, and may be repeated.",
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="Or a model that ships, or a checkpoint directory.")
    ] = None,
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
    schema: Annotated[
        SchemaVersion | None,
        typer.Option(
            help="Evaluate which entities and attributes change, on OpenPI 2.0; of a folder, published answers too.",
            show_default=False,
        ),
    ] = None,
    split: SplitName = None,
    predictions_out: PredictionsOut = None,
    report: Report = quiet,
) -> list[Evaluation]:
    """Evaluate state changes with the official scores of OpenPI, and with scores that count each answer once.

    Official: precision, recall and F1 by exact match, BLEU-2 and ROUGE-L, where one gold answer can serve many
    predictions. One to one: it serves one. Clusters: gold answers about the same attribute of the same entity serve
    one prediction. The published scores are printed beside ours.

    With --schema 2.0: F1 of the entities, and of the attributes, that change in a procedure and in its steps, as the
    evaluator of OpenPI 2.0 counts them.
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

    if schema is not None:
        if questions or unseen:
            option = "--questions" if questions else "--unseen"
            raise typer.BadParameter(f"not with --schema {schema}", param_hint=option)
        return [_change_schema(gold, predictions or [], model, split, predictions_out, report)]
    if len(predictions or []) + (model is not None) != 1:
        raise typer.BadParameter("give either --predictions, once, or --model", param_hint="--predictions")
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
        (file,) = predictions or []
        name, predicted = file.name, read_answers(file)
    found = evaluate_changes(
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
    return [found]


def _change_schema(
    gold: Path,
    predictions: Sequence[Path],
    model: str | None,
    split: str | None,
    predictions_out: Path | None,
    report: Report,
) -> Evaluation:
    """Evaluate a model, answers in files and, of a folder, the published answers in it."""
    from kgscripts.models.registry import is_shipped, load
    from kgscripts.reproductions.openpi.schema import Answered, evaluate_schema, predict_schema
    from kgscripts.reproductions.openpi.schema_files import (
        gold_files,
        published_files,
        read_schema_answers,
        read_schema_gold,
    )

    published = published_files(gold)
    if not (model or predictions or published):
        raise typer.BadParameter("give --predictions or --model", param_hint="--predictions")
    if predictions_out and model is None:
        raise typer.BadParameter("needs --model", param_hint="--predictions-out")
    golds = read_schema_gold(gold)
    procedures = golds[0].procedures
    answered = [Answered(name=path.name, answers=read_schema_answers(path, procedures)) for path in predictions]
    for name, path in published.items():
        answered.append(Answered(name=name, answers=read_schema_answers(path, procedures), role=Role.PUBLISHED))
    split = split or gold_files(gold)[0].name.partition(".")[0].partition("-")[0]
    exposure = None
    if model is not None:
        loaded = load("state-changes", model)
        report(description="predicting", total=sum(len(procedure.steps) for procedure in procedures.values()))
        answers: Answers = predict_schema(loaded, procedures.values(), on_steps=lambda count: report(advance=count))
        answered.insert(0, Answered(name=loaded.model.name, answers=answers, source=model))
        if split == _LOOKED_AT and is_shipped(model, "state-changes"):
            exposure = Exposure.DEVELOPMENT
        if predictions_out is not None:
            write_lines(predictions_out, [json_text(answers)])
    return evaluate_schema(golds, answered, split=split, exposure=exposure)
