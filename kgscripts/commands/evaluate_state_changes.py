"""`kgscripts evaluate state-changes`: the scores of predicted state changes on OpenPI."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, PredictionsOut, ScoresFile
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import echo_json, json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.corpora.openpi.reading import OpenPIStep
    from kgscripts.models.changes.protocol import ChangeModel


def state_changes(
    gold: Annotated[
        Path, typer.Option(metavar="FILE|DIR", help="Gold answers: id_answers.jsonl, or the folder of a split.")
    ],
    predictions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Predictions: JSON lines with id and answers.")
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
    as_json: AsJson = False,
    output: ScoresFile = None,
    predictions_out: PredictionsOut = None,
    examples: Annotated[int, typer.Option(min=0, metavar="N", help="Print N steps with their predictions.")] = 0,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate state changes with the official scores of OpenPI, and with scores that count each answer once.

    Official: precision, recall and F1 by exact match, BLEU-2 and ROUGE-L, where one gold answer can serve many
    predictions. One to one: it serves one. Clusters: gold answers about the same attribute of the same entity serve
    one prediction. The published scores are printed beside ours.
    """
    from kgscripts.commands.evaluate_state_changes_output import print_examples, print_report
    from kgscripts.evaluation.changes.answers import official_files, read_answers, read_steps, steps_beside
    from kgscripts.evaluation.changes.report import UNSEEN_TOPICS, evaluate_changes
    from kgscripts.models.checkpoint import attach_scores
    from kgscripts.models.registry import find_checkpoint, load

    if (predictions is None) == (model is None):
        raise typer.BadParameter("give either --predictions or --model", param_hint="--predictions")
    if attach_as and model is None:
        raise typer.BadParameter("needs --model", param_hint="--attach-as")
    read = [*official_files(gold), *(official_files(questions) if questions else ()), predictions, model]
    check_outputs(output, predictions_out, inputs=read)
    answers = read_answers(gold)
    steps = read_steps(questions) if questions else steps_beside(gold)
    if model is not None:
        predicted = _predict(load("state-changes", model), answers, steps)
    else:
        assert predictions is not None
        predicted = read_answers(predictions)
    report = evaluate_changes(answers, predicted, steps, unseen=unseen or UNSEEN_TOPICS)
    if predictions_out is not None:
        lines = ({"id": name, "answers": predicted[name]} for name in answers)
        write_lines(predictions_out, (json_text(line, indent=None) for line in lines))
    if attach_as and model is not None:
        split = (gold if gold.is_dir() else gold.absolute().parent).name
        attach_scores(find_checkpoint(model, "state-changes"), report.benchmark_scores("OpenPI", split, attach_as))
    if as_json or output is not None:
        content = {"model": model, **report.as_json()}
        if output is not None:
            write_lines(output, [json_text(content)])
        if as_json:
            echo_json(content)
            return
    print_report(report)
    print_examples(answers, predicted, steps, examples)


def _predict(
    model: ChangeModel, gold: Mapping[str, list[str]], steps: Mapping[str, OpenPIStep]
) -> dict[str, list[str]]:
    from kgscripts.evaluation.changes.answers import predict_changes, steps_of

    wanted = steps_of(gold, steps)
    with progress_bar() as progress:
        task = progress.add_task("predicting", total=len(wanted))
        return predict_changes(model, wanted, on_steps=partial(progress.advance, task))
