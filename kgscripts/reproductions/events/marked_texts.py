"""Events of stories written for this project: whether they are found, with the right object, and only if they happened.

``data/objects.SPLIT.txt`` marks verbs with their objects, ``data/reality.SPLIT.txt`` with whether the event happened in
the story: ``I [filled|kettle] and [put|kettle] it on the stove``, ``I never [rode|no] it``.

``data/pronoun_objects.SPLIT.txt`` marks verbs whose object is a pronoun with the noun that it stands for, or with "-"
if a reader cannot tell it. Pronouns are also looked up in the coreference chains of InScript (Modi et al., LREC 2016).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources

from attrs import frozen
from spacy.tokens import Doc

from kgscripts.corpora.inscript import GoldStory
from kgscripts.evaluation.counting import Matches, example, named, of_extractor
from kgscripts.evaluation.result import Evaluation
from kgscripts.extractors.events.frames import Frame
from kgscripts.extractors.events.nouns import THIRD_PERSON, is_noun, noun_lemma
from kgscripts.reproductions.events.list_readers import ListReader, head
from schemas.provenance import Exposure

OBJECTS = "kgscripts objects"
REALITY = {name: f"kgscripts {name}" for name in ("reality", "habits", "memories", "asides")}
SPLIT = "unseen"
"""Of the lists."""
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


def object_scores(reader: ListReader, items: Sequence[MarkedText]) -> Evaluation:
    """Recall of the marked events, and `object_right`: the share of those found that have the marked objects.

    Objects are compared by their heads ("pan" for "cake pan"), all objects of an event at once. A pronoun that is not
    resolved names nothing.
    """
    recalled = right = marked = 0
    examples = []
    for item, objects in zip(items, reader.objects([item.text for item in items]), strict=True):
        marked += len(item.labels)
        for start, label in item.labels.items():
            named = named_heads(label)
            if start in objects:
                recalled += 1
                right += objects[start] == named
            answer = objects.get(start, {"(no event)"})
            examples.append(
                example(item.text, sorted(named), sorted(answer), where=f"objects of {_word(item, start)!r}")
            )
    values = {"event recall": recalled / max(1, marked), "object_right": right / max(1, recalled)}
    size = {"texts": len(items), "events": marked}
    return of_extractor(OBJECTS, SPLIT, values, exposure=Exposure.UNSEEN, items=size, examples=examples)


def _word(item: MarkedText, start: int) -> str:
    return item.text[start:].split(maxsplit=1)[0]


def named_heads(label: str) -> set[str]:
    """The heads of the objects that a mark names."""
    return {head(name) for name in label.split(";") if name != _NONE}


def reality_scores(reader: ListReader, name: str, items: Sequence[MarkedText]) -> Evaluation:
    """Precision and recall of the marked events that happened: an event counts as one unless it is discarded."""
    counts = Matches()
    examples = []
    for item, objects in zip(items, reader.objects([item.text for item in items]), strict=True):
        happened = {start for start, label in item.labels.items() if label == "yes"}
        reported = objects.keys() & item.labels.keys()
        counts.add(reported, happened)
        words = [[_word(item, start) for start in sorted(starts)] for starts in (happened, reported)]
        examples.append(example(item.text, *words, where="events that happened"))
    values = named("event happened", counts.scores("precision", "recall"))
    size = {"texts": len(items), "events that happened": counts.gold}
    return of_extractor(name, SPLIT, values, exposure=Exposure.UNSEEN, items=size, examples=examples)


DATASET = "kgscripts pronoun objects"


def chained_pronouns(story: GoldStory, doc: Doc) -> Iterator[tuple[int, set[str]]]:
    """The pronouns of the third person that the parse has as the object of a verb, with a noun before in their chain:
    the character of each, and the heads of the nouns up to there.

    Where a chain has nouns behind the pronoun only, the pronoun is left out.
    """
    nouns: dict[int, set[str]] = {}
    tokens = {token.idx: token for token in doc}
    for word in story.words:
        token = tokens.get(word.start)
        if token is None or word.chain is None:
            continue
        if is_noun(token):
            nouns.setdefault(word.chain, set()).add(head(noun_lemma(token)))
        elif token.lower_ in THIRD_PERSON and token.dep_ in {"obj", "dobj"} and word.chain in nouns:
            yield word.start, nouns[word.chain]


def count_pronouns(counts: Matches, story: GoldStory, doc: Doc, frames: Iterable[Frame]) -> None:
    """Add the `chained_pronouns` of a story, those that are resolved, and those resolved to a noun of their chain.

    `frames` are those of `doc`.
    """
    nouns_of = {
        frame.mention.idx: {head(noun_lemma(noun)) for noun in frame.stands_for} for frame in frames if frame.stands_for
    }
    for start, nouns in chained_pronouns(story, doc):
        answer = nouns_of.get(start, set())
        counts.gold += 1
        counts.found += bool(answer)
        counts.right += bool(answer) and answer <= nouns


def pronoun_object_scores(reader: ListReader, items: Sequence[MarkedText]) -> Evaluation:
    """The shares of the pronouns whose noun can be told that are resolved to it, and to another noun; and the share of
    the others that are resolved at all.

    Nouns are compared by their heads. An event that is not found has no noun; whether it happened does not matter. The
    rule that a pronoun stands for one noun was made after a first score of the reader on the list ``unseen``, which is
    development data since.
    """
    told = right = wrong = untold = invented = 0
    examples = []
    for item, answers in zip(items, reader.resolved([item.text for item in items]), strict=True):
        for start, label in item.labels.items():
            named, answer = named_heads(label), answers.get(start, set())
            told += bool(named)
            untold += not named
            right += bool(named) and answer == named
            wrong += bool(named and answer) and answer != named
            invented += bool(answer) and not named
            where = f"pronoun at character {start}"
            examples.append(example(item.text, sorted(named), sorted(answer), where=where))
    values = {
        "object_right": right / max(1, told),
        "object_wrong": wrong / max(1, told),
        "noun where none can be told": invented / max(1, untold),
    }
    size = {"pronouns with a noun": told, "pronouns without": untold}
    return of_extractor(DATASET, SPLIT, values, exposure=Exposure.DEVELOPMENT, items=size, examples=examples)
