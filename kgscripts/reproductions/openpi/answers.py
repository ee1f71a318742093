"""The gold answers and predictions of state changes as files have them, and the predictions of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kgscripts.corpora.json_records import json_object, string, strings
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.openpi.change_template import write_change
from kgscripts.reproductions.openpi.composer.protocol import ChangeModel
from kgscripts.reproductions.openpi.reading import OpenPIStep, read_openpi
from schemas.changes import ProcedureStep
from schemas.errors import InputError

_OFFICIAL = ("id_question.jsonl", "id_question_metadata.jsonl", "id_answers.jsonl")
_REPORTED = 32
"""Steps that a model is given at once, so that progress can be shown."""


def read_answers(path: Path) -> dict[str, list[str]]:
    """Read the answers of each step, by id, from JSON lines with `id` and `answers`.

    Of a folder, `id_answers.jsonl` is read. Raises InputError, with file and line, for a file that cannot be read, a
    line that is malformed or cut off, and an id that occurs twice.
    """
    if path.is_dir():
        path = path / "id_answers.jsonl"
    answers: dict[str, list[str]] = {}
    for where, line in numbered_lines(path):
        try:
            record = json_object(line)
            name, sentences = string(record, "id"), strings(record, "answers")
        except InputError as error:
            remedy = 'write {"id": "URL||NUMBER", "answers": ["sentence", ...]} on each line'
            raise InputError(error.message, where=where, remedy=remedy) from error
        if name in answers:
            raise InputError(f"the id {name!r} occurs twice", where=where, remedy="remove one of the lines")
        answers[name] = sentences
    return answers


def read_steps(path: Path) -> dict[str, OpenPIStep]:
    """Read the steps of a file or folder of OpenPI, by id.

    A file of a folder with the official files is read together with them: `id_question_metadata.jsonl` alone lacks
    steps of how-tos without a topic. Raises InputError as `read_openpi` does.
    """
    return {step.id: step for step in read_openpi(path.parent if _is_official(path) else path)}


def steps_beside(gold: Path) -> dict[str, OpenPIStep]:
    """The steps of the folder in which the gold answers are, or that is given; empty if it has no official files."""
    folder = gold if gold.is_dir() else gold.parent
    return read_steps(folder) if _has_official_files(folder) else {}


def predict_changes(
    model: ChangeModel,
    steps: Sequence[OpenPIStep],
    *,
    on_steps: Callable[[int], object],
) -> dict[str, list[str]]:
    """The sentences that a model predicts for each step, by id; `on_steps` is called with the number of further steps
    that are done."""
    predictions: dict[str, list[str]] = {}
    for start in range(0, len(steps), _REPORTED):
        batch = steps[start : start + _REPORTED]
        predictions.update(zip((step.id for step in batch), _sentences(model, batch), strict=True))
        on_steps(len(batch))
    return predictions


def _sentences(model: ChangeModel, steps: Sequence[OpenPIStep]) -> list[list[str]]:
    by_step = model.predict([ProcedureStep(text=step.text, context=step.context, title=step.title) for step in steps])
    return [[write_change(predicted.change) for predicted in changes] for changes in by_step]


def steps_of(gold: Mapping[str, Sequence[str]], steps: Mapping[str, OpenPIStep]) -> list[OpenPIStep]:
    """The steps of the gold answers. Raises InputError, which names an id, if one of them is unknown."""
    if missing := [name for name in gold if name not in steps]:
        raise InputError(
            f"no question for {len(missing)} ids of the gold answers, such as {missing[0]}",
            remedy="pass the questions of the same split with --questions",
        )
    return [steps[name] for name in gold]


def official_files(path: Path) -> list[Path]:
    """The files that the functions of this module read for a file or folder of OpenPI, if they exist."""
    folder = path if path.is_dir() else path.parent
    beside = [folder / name for name in (*_OFFICIAL, "id_answers_metadata.jsonl")]
    return beside if path.is_dir() else [path, *beside]


def _is_official(path: Path) -> bool:
    return path.name in _OFFICIAL and _has_official_files(path.parent)


def _has_official_files(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _OFFICIAL)
