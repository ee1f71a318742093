"""Events of stories written for this project: whether they are found, with the right object, and only if they happened.

``data/objects.SPLIT.txt`` marks verbs with their objects, ``data/reality.SPLIT.txt`` with whether the event happened in
the story: ``I [filled|kettle] and [put|kettle] it on the stove``, ``I never [rode|no] it``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources

from attrs import frozen

from kgscripts.evaluation.counting import Matches, example, of_extractor
from kgscripts.evaluation.events.list_readers import ListReader, head
from kgscripts.evaluation.result import Evaluation
from schemas.provenance import Exposure

OBJECTS = "kgscripts objects"
REALITY = {name: f"kgscripts {name}" for name in ("reality", "habits", "memories", "asides")}
SPLITS = {"development": Exposure.DEVELOPMENT, "unseen": Exposure.UNSEEN}
_MARK = re.compile(r"\[([^\]|\n]+)\|([^\]|\n]+)\]")
_NONE = "-"


@frozen
class MarkedText:
    """A text without its marks, and the label of each marked verb by the character where it begins."""

    text: str
    labels: dict[int, str]


def marked_texts(name: str, package: str = "kgscripts.evaluation") -> list[MarkedText]:
    """The texts of a file in the folder ``data`` of a package, one a line; lines that begin with ``#`` are titles."""
    content = (resources.files(package) / "data" / name).read_text(encoding="utf-8")
    return [unmarked(line) for line in content.splitlines() if line.strip() and not line.startswith("#")]


def unmarked(text: str) -> MarkedText:
    """Take the marks out of a text."""
    parts: list[str] = []
    labels: dict[int, str] = {}
    end = length = 0
    for mark in _MARK.finditer(text):
        parts += (text[end : mark.start()], mark[1])
        length += mark.start() - end
        labels[length] = mark[2]
        length += len(mark[1])
        end = mark.end()
    return MarkedText("".join([*parts, text[end:]]), labels)


def object_scores(reader: ListReader, texts: dict[str, list[MarkedText]]) -> Iterator[Evaluation]:
    """Recall of the marked events, and `object_right`: the share of those found that have the marked objects.

    Objects are compared by their heads ("pan" for "cake pan"), all objects of an event at once. A pronoun that is not
    resolved names nothing.
    """
    for split, items in texts.items():
        found = right = marked = 0
        examples = []
        for item, objects in zip(items, reader.objects([item.text for item in items]), strict=True):
            marked += len(item.labels)
            for start, label in item.labels.items():
                named = named_heads(label)
                if start in objects:
                    found += 1
                    right += objects[start] == named
                answer = objects.get(start, {"(no event)"})
                examples.append(
                    example(item.text, sorted(named), sorted(answer), where=f"objects of {_word(item, start)!r}")
                )
        values = {"event recall": found / max(1, marked), "object_right": right / max(1, found)}
        size = {"texts": len(items), "events": marked}
        yield of_extractor(OBJECTS, split, values, exposure=SPLITS[split], items=size, examples=examples)


def _word(item: MarkedText, start: int) -> str:
    return item.text[start:].split(maxsplit=1)[0]


def named_heads(label: str) -> set[str]:
    """The heads of the objects that a mark names."""
    return {head(name) for name in label.split(";") if name != _NONE}


def reality_scores(reader: ListReader, name: str, texts: dict[str, list[MarkedText]]) -> Iterator[Evaluation]:
    """Precision and recall of the marked events that happened: an event counts as one unless it is discarded."""
    for split, items in texts.items():
        counts = Matches()
        examples = []
        for item, objects in zip(items, reader.objects([item.text for item in items]), strict=True):
            happened = {start for start, label in item.labels.items() if label == "yes"}
            found = objects.keys() & item.labels.keys()
            counts.add(set(found), set(happened))
            words = [[_word(item, start) for start in sorted(starts)] for starts in (happened, found)]
            examples.append(example(item.text, *words, where="events that happened"))
        values = {"event happened precision": counts.precision, "event happened recall": counts.recall}
        size = {"texts": len(items), "events that happened": counts.gold}
        yield of_extractor(name, split, values, exposure=SPLITS[split], items=size, examples=examples)
