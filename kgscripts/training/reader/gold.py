"""What the reader learns from, in one form: texts whose words and pairs of words have labels.

Each set keeps its own labels. `ours` are the passages of ``data``, labelled as a graph wants it; the others are
annotations of research: what they do not annotate has no layer, and so no loss.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from kgscripts.corpora.inscript import GoldStory, read_stories
from kgscripts.corpora.recipe_flow import TaggedRecipe, read_recipes
from kgscripts.models.reader.network import GRAPH
from kgscripts.models.reader.windows import ReaderText
from kgscripts.training.reader.passages import EventRole, LabelledPassage, Reality, Word, read_passages
from schemas.errors import InputError

if TYPE_CHECKING:
    from spacy.language import Language

NONE = ""
REFERENT, PLACE_BEFORE = "referent", "place before"
"""Labels of a thing that a pronoun or nothing stands for: as the object, and as where the work goes on."""

NEEDED, CONDITION, CONDITIONAL = "needed", "in a condition", "conditional"
FLAGS = (NEEDED, CONDITION, CONDITIONAL)

WORDS: Mapping[str, Sequence[str]] = {
    GRAPH: [NONE, *Reality],
    "wikihow-fg": [NONE, "Ae", "Ae2", "Ai", "T", "I"],
    "easdrl": [NONE, "action", "object"],
    "wet-lab": [NONE, "Action", "Device", "Location", "Reagent"],
    "recipe-flow": [NONE, "Ac", "Ac2", "Af", "At", "T", "F"],
    "inscript": [NONE, "event", "other event"],
}
PAIRS: Mapping[str, Sequence[str]] = {
    GRAPH: [NONE, *EventRole, REFERENT, PLACE_BEFORE],
    "wikihow-fg": [NONE, "Targ", "Dest", "T-comp", "Agent"],
    "easdrl": [NONE, "object"],
    "wet-lab": [NONE, "Acts-on", "Using", "Site", "Creates"],
    "recipe-flow": [NONE, "t", "d"],
}


@frozen
class LabelledText:
    """A text of a set; labels by the numbers of its words.

    `words` are the labels of words that have one, `flags` words with what is asked beside, `pairs` the labels of pairs
    of a predicate and a thing, `predicates` those whose pairs are known.
    """

    set: str
    id: str
    text: ReaderText
    words: Mapping[int, str]
    pairs: Mapping[tuple[int, int], str]
    predicates: Sequence[int]
    flags: Mapping[str, frozenset[int]] = field(factory=dict)


@cache
def _language() -> Language:
    import spacy

    return spacy.blank("en")


@frozen
class _Words:
    """The words of sentences, by characters of the whole text."""

    sentences: Sequence[Sequence[str]]
    starts: Sequence[int]

    @classmethod
    def of(cls, sentences: Iterable[tuple[str, int]]) -> _Words:
        """The words of texts, each with the place of its first character."""
        words, starts = [], []
        for text, start in sentences:
            tokens = [token for token in _language().make_doc(text) if not token.is_space]
            words.append([token.text for token in tokens])
            starts += [start + token.idx for token in tokens]
        return cls([sentence for sentence in words if sentence], starts)

    def at(self, character: int) -> int:
        """The number of the word with a character."""
        return max(0, bisect_right(self.starts, character) - 1)

    def last(self, end: int) -> int:
        """The number of the last word that begins before a character."""
        return self.at(end - 1)


def labelled_passages(paths: Iterable[Path]) -> list[LabelledText]:
    """The passages of files, as a graph wants them."""
    found = []
    for path in paths:
        for number, passage in enumerate(read_passages(path), start=1):
            found.append(_of_passage(passage, f"{path.stem} {number}"))
    return found


def shipped_passages() -> list[Path]:
    """The files that ship."""
    folder = Path(str(resources.files("kgscripts.training.reader") / "data"))
    return sorted(folder.glob("*.txt"))


def _of_passage(passage: LabelledPassage, id: str) -> LabelledText:
    offsets, at = [], 0
    for sentence in passage.sentences:
        offsets.append(at)
        at += len(sentence.text) + 1
    words = _Words.of((sentence.text, offset) for sentence, offset in zip(passage.sentences, offsets, strict=True))

    def number(word: Word) -> int:
        return words.at(offsets[word.sentence] + word.start)

    labels: dict[int, str] = {}
    pairs: dict[tuple[int, int], str] = {}
    flags: dict[str, set[int]] = {name: set() for name in FLAGS}
    for sentence in passage.sentences:
        flags[NEEDED].update(map(number, sentence.needs))
        if (span := sentence.condition) is not None:
            last = words.last(offsets[span.sentence] + span.end)
            flags[CONDITION].update(range(number(span), last + 1))
        for event in sentence.events:
            predicate = number(event.word)
            labels[predicate] = event.reality
            if event.conditional:
                flags[CONDITIONAL].add(predicate)
            for filler in event.fillers:
                if filler.word is not None:
                    pairs[predicate, number(filler.word)] = filler.role
                if filler.role is EventRole.OBJECT or filler.word is None:
                    before = REFERENT if filler.role is EventRole.OBJECT else PLACE_BEFORE
                    for antecedent in filler.antecedents:
                        pairs.setdefault((predicate, number(antecedent)), before)
    text = ReaderText(passage.title, words.sentences)
    return LabelledText(
        GRAPH, id, text, labels, pairs, sorted(labels), {name: frozenset(found) for name, found in flags.items()}
    )


def read_set(path: Path) -> list[LabelledText]:
    """The texts of a file of annotated procedures: ``wikihow-fg.jsonl``, ``easdrl.jsonl`` or ``wet-lab.jsonl``."""
    found = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["set"] not in WORDS:
                raise InputError(
                    f"the set {record['set']} is not known", where=str(path), remedy="name a file of spans"
                )
            found.append(_of_spans(record))
    return found


_EASDRL = frozenset({"essential", "optional", "exclusive"})


def _of_spans(record: Mapping[str, Any]) -> LabelledText:
    name: str = record["set"]
    text: str = record["text"]
    words = _Words.of(_lines(text))
    known, links = set(WORDS[name]), set(PAIRS[name])
    labels: dict[int, str] = {}
    spans = record["spans"]
    for label, start, end in spans:
        own = "action" if label in _EASDRL else label
        if own not in known:
            continue
        is_action = own[0] == "A" or own == "action"
        labels.setdefault(words.at(start) if is_action else words.last(end), own)
    pairs: dict[tuple[int, int], str] = {}
    for label, one, other in record["links"]:
        if label not in links:
            continue
        thing, action = spans[one], spans[other]
        pairs[words.at(action[1]), words.last(thing[2])] = label
    predicates = sorted(place for place, label in labels.items() if label[0] == "A" or label == "action")
    pairs = {pair: label for pair, label in pairs.items() if pair[0] in set(predicates)}
    title = record.get("title") or ""
    return LabelledText(name, record["id"], ReaderText(title, words.sentences), labels, pairs, predicates)


def _lines(text: str) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r"[^\n]+", text):
        yield match[0], match.start()


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    """Lines, cut behind final punctuation."""
    for line, start in _lines(text):
        for match in re.finditer(r"\S.*?(?:[.!?]+[\"'”’)]*(?=\s)|$)", line):
            yield match[0], start + match.start()


def recipes(path: Path) -> list[LabelledText]:
    """The recipes of a file of the Recipe Flow Graph corpus."""
    return [_of_recipe(recipe) for recipe in read_recipes(path)]


def _of_recipe(recipe: TaggedRecipe) -> LabelledText:
    name = "recipe-flow"
    words = _Words.of(_sentences(recipe.text))
    known = set(WORDS[name])
    labels: dict[int, str] = {}
    pairs: dict[tuple[int, int], str] = {}
    for phrase in recipe.phrases:
        is_action = phrase.tag[0] == "A"
        place = words.at(phrase.start) if is_action else words.last(phrase.end)
        if phrase.tag in known:
            labels.setdefault(place, phrase.tag)
        if phrase.to is not None and phrase.edge in PAIRS[name] and not is_action:
            action = recipe.phrases[phrase.to]
            if action.tag in ("Ac", "Ac2", "Af"):
                pairs[words.at(action.start), place] = phrase.edge
    predicates = sorted(place for place, label in labels.items() if label[0] == "A")
    pairs = {pair: label for pair, label in pairs.items() if pair[0] in set(predicates)}
    return LabelledText(name, recipe.name, ReaderText("", words.sentences), labels, pairs, predicates)


def stories(folder: Path) -> list[LabelledText]:
    """The stories of a split of InScript."""
    return [_of_story(story) for story in read_stories(folder)]


_OTHER_EVENTS = frozenset({"UnrelEv", "Unclear", "Evoking"})


def _of_story(story: GoldStory) -> LabelledText:
    words = _Words.of(_sentences(story.document.text))
    labels = {}
    for word in story.words:
        if word.event and word.is_event_head:
            labels[words.at(word.start)] = "other event" if word.event in _OTHER_EVENTS else "event"
    return LabelledText("inscript", story.document.name, ReaderText("", words.sentences), labels, {}, ())
