"""`kgscripts evaluate state-changes`: the scores of predicted state changes on OpenPI."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscripts.commands.options import AsJson, AttachAs, Examples, PredictionsOut, ScoresFile, SplitName
from kgscripts.reproductions.openpi.evaluate_change_schema import SchemaVersion, evaluate_change_schema
from schemas.output_files import check_outputs, write_lines
from schemas.terminal import json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.evaluation.finished import Finished
    from kgscripts.models.changes.protocol import ChangeModel
    from kgscripts.reproductions.openpi.reading import OpenPIStep


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
    examples: Examples = 0,
    as_json: AsJson = False,
    output: ScoresFile = None,
    predictions_out: PredictionsOut = None,
    attach_as: AttachAs = None,
) -> None:
    """Evaluate state changes with the official scores of OpenPI, and with scores that count each answer once.

    Official: precision, recall and F1 by exact match, BLEU-2 and ROUGE-L, where one gold answer can serve many
    predictions. One to one: it serves one. Clusters: gold answers about the same attribute of the same entity serve
    one prediction. The published scores are printed beside ours.

    With --output, a model that is stopped goes on where it was if the same command is given again.

    With --schema 2.0: F1 of the entities, and of the attributes, that change in a procedure and in its steps, as the
    evaluator of OpenPI 2.0 counts them.
    """
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.finished import Finished
    from kgscripts.models.registry import find_checkpoint, load
    from kgscripts.reproductions.openpi.answers import official_files, read_answers, read_steps, steps_beside
    from kgscripts.reproductions.openpi.predicted import UNSEEN_TOPICS, evaluate_changes

    if schema is not None:
        if questions or unseen:
            option = "--questions" if questions else "--unseen"
            raise typer.BadParameter(f"not with --schema {schema}", param_hint=option)
        evaluate_change_schema(
            gold,
            predictions or [],
            model,
            split=split,
            examples=examples,
            as_json=as_json,
            output=output,
            predictions_out=predictions_out,
            attach_as=attach_as,
        )
        return
    if len(predictions or []) + (model is not None) != 1:
        raise typer.BadParameter("give either --predictions, once, or --model", param_hint="--predictions")
    if attach_as and model is None:
        raise typer.BadParameter("needs --model", param_hint="--attach-as")
    read = [*official_files(gold), *(official_files(questions) if questions else ()), *(predictions or []), model]
    check_outputs(output, predictions_out, inputs=read)
    finished = Finished.beside(output)
    check_outputs(finished.path, predictions_out, inputs=read)
    places = {model: find_checkpoint(model, "state-changes")} if model and attach_as else {}
    answers = read_answers(gold)
    steps = read_steps(questions) if questions else steps_beside(gold)
    if model is not None:
        loaded = load("state-changes", model)
        name = loaded.model.name
        predicted = _predict(loaded, answers, steps, finished)
    else:
        (file,) = predictions or []
        name = file.name
        predicted = read_answers(file)
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
    finish(
        [found],
        places=places,
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
    )
    finished.remove()


def _predict(
    model: ChangeModel, gold: Mapping[str, list[str]], steps: Mapping[str, OpenPIStep], finished: Finished
) -> dict[str, list[str]]:
    from kgscripts.reproductions.openpi.answers import predict_changes, steps_of

    wanted = steps_of(gold, steps)
    with progress_bar() as progress:
        task = progress.add_task("predicting", total=len(wanted))
        return predict_changes(model, wanted, on_steps=partial(progress.advance, task), finished=finished)
