"""The records of OpenPI's layouts, each as a `RawStep`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any
from urllib.parse import unquote

from attrs import frozen

from kgscripts.corpora.json_records import encodable, string, strings
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
    found = []
    for sentence in sentences:
        if not is_no_change(sentence):
            try:
                change = parse_change(sentence)
            except InputError:
                change = None
            found.append(GoldAnswer(sentence, change, modalities.get(plain(sentence), "")))
    return tuple(found)


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
