"""`kgscripts evaluate state-changes --schema 2.0`: the scores of entities and attributes that change, on OpenPI 2.0."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from attrs import evolve

from schemas.output_files import check_outputs, write_lines
from schemas.provenance import Exposure
from schemas.terminal import echo, json_text, progress_bar

if TYPE_CHECKING:
    from kgscripts.evaluation.result import Evaluation, System
    from kgscripts.models.changes.protocol import ChangeModel
    from kgscripts.reproductions.openpi.schema import Answers, SchemaProcedure


_LOOKED_AT = "dev"
"""The split that was looked at when the models that ship were developed."""


class SchemaVersion(StrEnum):
    """The data whose schemas are evaluated."""

    OPENPI_2 = "2.0"


def evaluate_change_schema(
    gold: Path,
    predictions: Sequence[Path],
    model: str | None,
    *,
    split: str | None,
    examples: int,
    as_json: bool,
    output: Path | None,
    predictions_out: Path | None,
    attach_as: Exposure | None,
) -> None:
    """Evaluate a model, answers in files and, of a folder, the published answers in it; see `state_changes`."""
    from kgscripts.commands.evaluation_output import finish
    from kgscripts.evaluation.result import Role
    from kgscripts.models.registry import find_checkpoint, is_shipped, load
    from kgscripts.reproductions.openpi.schema_evaluation import Answered, evaluate_schema
    from kgscripts.reproductions.openpi.schema_files import (
        gold_files,
        published_files,
        read_schema_answers,
        read_schema_gold,
    )

    published = published_files(gold)
    if not (model or predictions or published):
        raise typer.BadParameter("give --predictions or --model", param_hint="--predictions")
    if model is None and (attach_as or predictions_out):
        raise typer.BadParameter("needs --model", param_hint="--attach-as" if attach_as else "--predictions-out")
    files = gold_files(gold)
    check_outputs(output, predictions_out, inputs=[*files, *predictions, *published.values(), model])
    places = {model: find_checkpoint(model, "state-changes")} if model and attach_as else {}
    golds = read_schema_gold(gold)
    procedures = golds[0].procedures
    answered = [Answered(name=path.name, answers=read_schema_answers(path, procedures)) for path in predictions]
    for name, path in published.items():
        answered.append(Answered(name=name, answers=read_schema_answers(path, procedures), role=Role.PUBLISHED))
    split = split or files[0].name.partition(".")[0].partition("-")[0]
    exposure = None
    if model is not None:
        loaded = load("state-changes", model)
        answers = _predict(loaded, list(procedures.values()))
        answered.insert(0, Answered(name=loaded.model.name, answers=answers, source=model))
        if split == _LOOKED_AT and is_shipped(model, "state-changes"):
            exposure = Exposure.DEVELOPMENT
        if predictions_out is not None:
            write_lines(predictions_out, [json_text(answers)])
    finish(
        [evaluate_schema(golds, answered, split=split, exposure=exposure)],
        places=places,
        attach_as=attach_as,
        output=output,
        as_json=as_json,
        examples=examples,
        show=_print_f1,
    )


def _predict(model: ChangeModel, procedures: Sequence[SchemaProcedure]) -> Answers:
    from kgscripts.reproductions.openpi.schema_evaluation import predict_schema

    with progress_bar() as progress:
        task = progress.add_task("predicting", total=sum(len(procedure.steps) for procedure in procedures))
        return predict_schema(model, procedures, on_steps=partial(progress.advance, task))


def _print_f1(evaluations: Sequence[Evaluation]) -> None:
    """Print the F1 of each system in a row; precision and recall do not fit beside it."""
    from kgscripts.commands.evaluation_output import print_evaluations

    print_evaluations([evolve(each, systems=map(_only_f1, each.systems)) for each in evaluations])
    echo("\nPrecision and recall: --json.")


def _only_f1(system: System) -> System:
    return evolve(system, figures=[figure for figure in system.figures if figure.metric.endswith("F1")])
