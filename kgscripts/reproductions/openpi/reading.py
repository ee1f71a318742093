"""OpenPI: steps of how-tos with their state changes, in any of the layouts in which they are distributed.

Tandon et al., EMNLP 2020 (https://github.com/allenai/openpi-dataset), and OpenPI-C
(https://github.com/shirley-wu/openpi-c).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from kgscripts.corpora.json_records import json_object
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.openpi.layouts import GoldAnswer, RawStep, raw_step, step_key, title_of
from schemas.errors import InputError

__all__ = ["GoldAnswer", "OpenPIStep", "read_openpi"]

_QUESTIONS = ("id_question.jsonl", "id_question_metadata.jsonl")
_ANSWERS = ("id_answers.jsonl", "id_answers_metadata.jsonl")
_OPTIONAL = _ANSWERS[1]
"""The train split has none."""

_Key = tuple[str, int]
_Records = dict[_Key, tuple[str, dict[str, Any]]]
"""Location and content of the records, by URL and number of the step."""


@frozen(kw_only=True)
class OpenPIStep:
    """A step of a how-to, with its state changes."""

    id: str
    """``URL||NUMBER``."""
    procedure: str
    """The URL of the how-to, as the data write it."""
    number: int
    """From 1."""
    text: str
    context: tuple[str, ...]
    """The earlier steps, in order."""
    title: str
    """The title of the how-to, from its URL."""
    topic: str
    """wikiHow's category; "" if unknown. Where the official files have no topic, they lost the answers too: such a step
    is no example of one that changes nothing."""
    answers: tuple[GoldAnswer, ...]


def read_openpi(path: str | Path) -> list[OpenPIStep]:
    """Read the steps of a file, or of a folder with the four official files, in order.

    The layout is detected from the content:

    - a folder with `id_question.jsonl`, `id_question_metadata.jsonl`, `id_answers.jsonl` and, except for the train
      split, `id_answers_metadata.jsonl`;
    - a file of which each record has all of these (version 1.1), or only questions;
    - records with `step`, `context` (a list) and `answers`;
    - the training data of the released code: `question`, and all answers in one string `answer`;
    - OpenPI-C: `id` is a list of URL and number, and each answer a list of entity, attribute, before, after. It leaves
      out steps without changes; contexts lack them too.

    A sentence that says that there is no change is no answer. Raises InputError, with file and line, for a missing
    file, a record that is malformed or cut off, a repeated id, and ids that differ between the files of a folder.
    """
    path = Path(path)
    records = _merged(path) if path.is_dir() else _records(path)
    if not records:
        raise InputError("no steps", where=str(path), remedy="pass a file or folder of OpenPI")
    return list(_steps(records))


def _records(path: Path) -> _Records:
    found: _Records = {}
    for where, line in numbered_lines(path):
        try:
            record = json_object(line)
            key = step_key(record)
        except InputError as error:
            raise _at(where, error) from error
        if key in found:
            detail = f"id {_id(key)!r} is already at {found[key][0]}"
            raise InputError(detail, where=where, remedy="remove one of them")
        found[key] = where, record
    return found


def _merged(folder: Path) -> _Records:
    """The records of the four files as one record a step, like those of version 1.1."""
    names = [name for name in (*_QUESTIONS, *_ANSWERS) if name != _OPTIONAL or (folder / name).exists()]
    if missing := [name for name in names if not (folder / name).is_file()]:
        remedy = f"pass a folder with {', '.join(names)}, or a single file"
        raise InputError(f"no {', '.join(missing)} in this folder", where=str(folder), remedy=remedy)
    merged, *others = (_records(folder / name) for name in names)
    for name, records in zip(names[1:], others, strict=True):
        if differing := sorted(map(_id, merged.keys() ^ records.keys())):
            detail = f"{len(differing)} ids are in only one of {names[0]} and {name}, such as {differing[0]!r}"
            raise InputError(detail, where=str(folder), remedy="get the files again")
        for key, (_, record) in records.items():
            merged[key][1].update(record)
    return merged


def _steps(records: _Records) -> Iterator[OpenPIStep]:
    steps: dict[_Key, RawStep] = {}
    for key, (where, record) in records.items():
        try:
            steps[key] = raw_step(record)
        except InputError as error:
            raise _at(where, error) from error
    earlier = _earlier_steps(steps)
    for key, step in steps.items():
        *context, text = earlier[key]
        if not text:
            raise InputError("an empty step", where=records[key][0], remedy="remove it")
        # A part of a corpus may lack the records of earlier steps.
        if step.context and " ".join(context) != " ".join(step.context):
            context = list(step.context)
        yield OpenPIStep(
            id=_id(key),
            procedure=step.procedure,
            number=step.number,
            text=text,
            context=tuple(context),
            title=title_of(step.procedure),
            topic=step.topic,
            answers=step.answers,
        )


def _earlier_steps(steps: Mapping[_Key, RawStep]) -> dict[_Key, list[str]]:
    """For each step the texts of the steps of its procedure up to it. A question adds its step to the one before."""
    found: dict[_Key, list[str]] = {}
    procedure, question, texts = "", "", list[str]()
    for key, step in sorted(steps.items()):
        if step.procedure != procedure:
            procedure, question, texts = step.procedure, "", []
        text = step.question.removeprefix(question).strip() if step.text is None else step.text
        question = step.question or f"{question} {text}".strip()
        texts = [*texts, text]
        found[key] = texts
    return found


def _id(key: _Key) -> str:
    return f"{key[0]}||{key[1]}"


def _at(where: str, error: InputError) -> InputError:
    return InputError(error.message, where=where, remedy=error.remedy or "correct the record or get the file again")
