"""OpenPI: steps of how-tos with their state changes, in any of the layouts in which they are distributed.

Tandon et al., EMNLP 2020 (https://github.com/allenai/openpi-dataset), and OpenPI-C
(https://github.com/shirley-wu/openpi-c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from attrs import frozen

from kgscripts.corpora.json_records import encodable, json_object, string, strings
from kgscripts.corpora.source import numbered_lines
from kgscripts.reproductions.openpi.change_template import is_no_change, parse_change, split_sentences, write_change
from schemas.changes import Change
from schemas.errors import InputError

_PROMPT = re.compile(r"\s*Now, what happens\?\s*$")
_PUNCTUATION = re.compile(r"[.,;\s]+")


@frozen
class GoldAnswer:
    """A state change that annotators wrote, as a sentence."""

    sentence: str
    change: Change | None
    """The change that the sentence expresses; None if it is not a sentence of the template."""
    modality: str
    """Whether the annotators saw a picture: "with_image" or "without_image"; "" if unknown."""


@frozen(kw_only=True)
class RawStep:
    """A step as its own record gives it, without the other records of its procedure.

    `question` is the text of all steps up to this one; `text` and `context` are None where only that is given.
    """

    procedure: str
    number: int
    question: str = ""
    text: str | None = None
    context: tuple[str, ...] | None = None
    topic: str = ""
    answers: tuple[GoldAnswer, ...] = ()


def raw_step(record: Mapping[str, Any]) -> RawStep:
    """The step of a record in any layout. Raises InputError for a record that is malformed."""
    procedure, number = step_key(record)
    if isinstance(record["id"], list):
        changes = _tuples(record)
        return RawStep(
            procedure=procedure,
            number=number,
            text=string(record, "query").strip(),
            answers=tuple(GoldAnswer(write_change(change), change, "") for change in changes),
        )
    if "answer" in record:
        answers = _answers(split_sentences(string(record, "answer")), {})
        return RawStep(procedure=procedure, number=number, question=_question(record), answers=answers)
    answers = _answers(strings(record, "answers") if "answers" in record else [], _modalities(record))
    if "step" in record:
        text, context = string(record, "step").strip(), tuple(strings(record, "context"))
        return RawStep(procedure=procedure, number=number, text=text, context=context, answers=answers)
    facts = _object(record, "question_metadata")
    if "query" not in facts:  # so in the train split, for how-tos whose topic is unknown
        return RawStep(procedure=procedure, number=number, question=_question(record), answers=answers)
    context = tuple(filter(None, [string(facts, "context").strip()]))
    topic = string(facts, "topic") if facts.get("topic") != "unknown" else ""
    text = string(facts, "query").strip()
    return RawStep(procedure=procedure, number=number, text=text, context=context, topic=topic, answers=answers)


def step_key(record: Mapping[str, Any]) -> tuple[str, int]:
    """The URL and the number in a record's id. Raises InputError for an id that is missing or of another form."""
    match record.get("id"):
        case str(id) if re.fullmatch(r".+\|\|[0-9]{1,9}", id):
            procedure, _, number = id.rpartition("||")
        case [str(procedure), int(number)] if procedure and number > 0 and not isinstance(number, bool):
            pass
        case _:
            raise InputError('needs an "id" such as "www.wikihow.com/Make-Tea||1" or ["www.wikihow.com/Make-Tea", 1]')
    return encodable("id", procedure), int(number)


def title_of(url: str) -> str:
    """The title in a wikiHow URL: "Make a Pie" for ``www.wikihow.com/Make-a-Pie``."""
    return " ".join(unquote(url.rstrip("/").rpartition("/")[2]).replace("-", " ").split())


def plain(sentence: str) -> str:
    """A sentence without case and punctuation, by which the files of a split are compared."""
    return _PUNCTUATION.sub(" ", sentence.lower()).strip()


def _question(record: Mapping[str, Any]) -> str:
    """The steps up to this one as one text; unlike the metadata, it is escaped for HTML."""
    if "question" not in record:
        raise InputError(
            "has no text of a step", remedy="pass the folder with the four files of a split, or `question`"
        )
    return unescape(_PROMPT.sub("", string(record, "question"))).strip()


def _answers(sentences: list[str], modalities: Mapping[str, str]) -> tuple[GoldAnswer, ...]:
    answers = []
    for sentence in sentences:
        if not is_no_change(sentence):
            try:
                change = parse_change(sentence)
            except InputError:
                change = None
            answers.append(GoldAnswer(sentence, change, modalities.get(plain(sentence), "")))
    return tuple(answers)


def _modalities(record: Mapping[str, Any]) -> dict[str, str]:
    """The modality of each answer; answers and their metadata differ in punctuation."""
    facts = record.get("answers_metadata") or []  # an empty object where the how-to has no metadata
    if not isinstance(facts, list) or not all(isinstance(item, dict) for item in facts):
        raise InputError('"answers_metadata" is not a list of objects')
    return {plain(string(item, "answer")): string(item, "modality") for item in facts}


def _object(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f'"{key}" is not an object')
    return value


def _tuples(record: Mapping[str, Any]) -> list[Change]:
    answers = record.get("answers", [])
    if not isinstance(answers, list):
        raise InputError('"answers" is not a list')
    changes = []
    for number, answer in enumerate(answers, 1):
        if not (isinstance(answer, list) and len(answer) == 4 and all(isinstance(part, str) for part in answer)):
            raise InputError(f"answer {number} is not a list of entity, attribute, before, after")
        entity, attribute, before, after = (" ".join(encodable("answers", part).split()) for part in answer)
        if not entity:
            raise InputError(f"answer {number} names no entity")
        changes.append(Change(entity=entity, attribute=attribute, before=before, after=after))
    return changes


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
    records: _Records = {}
    for where, line in numbered_lines(path):
        try:
            record = json_object(line)
            key = step_key(record)
        except InputError as error:
            raise _at(where, error) from error
        if key in records:
            detail = f"id {_id(key)!r} is already at {records[key][0]}"
            raise InputError(detail, where=where, remedy="remove one of them")
        records[key] = where, record
    return records


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
    earlier: dict[_Key, list[str]] = {}
    procedure, question, texts = "", "", list[str]()
    for key, step in sorted(steps.items()):
        if step.procedure != procedure:
            procedure, question, texts = step.procedure, "", []
        text = step.question.removeprefix(question).strip() if step.text is None else step.text
        question = step.question or f"{question} {text}".strip()
        texts = [*texts, text]
        earlier[key] = texts
    return earlier


def _id(key: _Key) -> str:
    return f"{key[0]}||{key[1]}"


def _at(where: str, error: InputError) -> InputError:
    return InputError(error.message, where=where, remedy=error.remedy or "correct the record or get the file again")
