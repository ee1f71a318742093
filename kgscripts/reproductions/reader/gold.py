"""What the reader learns from, in one form: texts whose words and pairs of words have labels.

Each set keeps its own labels: the passages of ``data`` are labelled as a graph wants it, the others are annotations of
research. What a set does not annotate has no layer, and so no loss.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from io import TextIOWrapper
from itertools import accumulate
from pathlib import Path
from string import digits
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from kgscripts.corpora.inscript import PRONOUNS, GoldStory, read_stories
from kgscripts.corpora.json_records import json_object
from kgscripts.models.reader.labels import (
    CONDITION,
    CONDITIONAL,
    FLAGS,
    GRAPH,
    NEEDED,
    PAIRS,
    PLACE_BEFORE,
    REFERENT,
    WORDS,
    EventRole,
    Reality,
)
from kgscripts.models.reader.windows import ReaderText
from kgscripts.reproductions.corpora.recipe_flow import TaggedRecipe, read_recipes
from kgscripts.reproductions.reader.passages import Filler, LabelledChange, LabelledPassage, Word, read_passages
from kgscripts.text.passages import sentence_spans
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.records import Passage, PassageKind

if TYPE_CHECKING:
    from spacy.language import Language


@frozen
class LabelledText:
    """A text of a set; labels by the numbers of its words.

    `words` are the labels of words that have one, `pairs` the labels of the things of each predicate whose things are
    known, `flags` the words for which one of `FLAGS` holds, `changes` what predicates change, where it is labelled.
    """

    set: str
    id: str
    text: ReaderText
    words: Mapping[int, str]
    pairs: Mapping[int, Mapping[int, str]]
    flags: Mapping[str, frozenset[int]] = field(factory=dict)
    changes: Mapping[int, Sequence[LabelledChange]] = field(factory=dict)


@cache
def _language() -> Language:
    import spacy

    return spacy.blank("en")


@frozen
class Words:
    """The words of sentences, by characters of the whole text."""

    sentences: Sequence[Sequence[str]]
    starts: Sequence[int]

    @classmethod
    def of(cls, sentences: Iterable[tuple[str, int]]) -> Words:
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
    return [
        _of_passage(passage, f"{path.stem} {number}")
        for path in paths
        for number, passage in enumerate(read_passages(path), start=1)
    ]


def _renumbered(text: LabelledText, number: Mapping[int, int], read: ReaderText) -> LabelledText:
    """The labels for another form of the text, whose words have these numbers; words without one are left out."""
    return LabelledText(
        text.set,
        text.id,
        read,
        {number[word]: label for word, label in text.words.items() if word in number},
        {
            number[word]: {number[thing]: label for thing, label in things.items() if thing in number}
            for word, things in text.pairs.items()
            if word in number
        },
        {flag: frozenset(number[word] for word in words if word in number) for flag, words in text.flags.items()},
    )


def joined(first: LabelledText, second: LabelledText) -> LabelledText:
    """Two texts as one that is longer and has no title."""
    text = ReaderText("", [*first.text.sentences, *second.text.sentences])
    behind = _renumbered(second, {word: first.text.words + word for word in range(second.text.words)}, text)
    return LabelledText(
        first.set,
        f"{first.id}, {second.id}",
        text,
        {**first.words, **behind.words},
        {**first.pairs, **behind.pairs},
        {flag: first.flags.get(flag, frozenset()) | behind.flags.get(flag, frozenset()) for flag in FLAGS},
    )


def varied(passages: Sequence[LabelledText]) -> list[LabelledText]:
    """Passages as users' texts vary: half of them are joined in pairs without titles; of the others, a third is given
    without punctuation too, and half in single sentences, under the same ids."""
    alone, others = passages[::2], passages[1::2]
    pairs = [joined(*pair) for pair in zip(others[::2], others[1::2], strict=False)]
    rest = others[-1:] if len(others) % 2 else []
    short = [sentence for passage in alone[1::2] for sentence in single_sentences(passage)]
    return [*alone, *pairs, *rest, *(unpunctuated(passage) for passage in alone[::3]), *short]


_PLAIN = frozenset({Reality.INSTRUCTED, Reality.TOLD, Reality.NEGATED, Reality.PLANNED, Reality.HYPOTHETICAL})
"""The realities that a sentence tells without its context."""


def single_sentences(text: LabelledText) -> Iterator[LabelledText]:
    """Each sentence as a text of its own, without those whose events need the context to be understood."""
    first = 0
    for sentence in text.text.sentences:
        number = {first + place: place for place in range(len(sentence))}
        first += len(sentence)
        labelled = _renumbered(text, number, ReaderText("", [sentence]))
        if labelled.words and _PLAIN.issuperset(labelled.words.values()):
            yield labelled


def unpunctuated(text: LabelledText) -> LabelledText:
    """The text as people write who leave out capitals and punctuation."""
    kept = [number for number, word in enumerate(text.text.all_words) if any(map(str.isalnum, word))]
    sentences = [[word.lower() for word in sentence if any(map(str.isalnum, word))] for sentence in text.text.sentences]
    read = ReaderText(text.text.title.lower(), [sentence for sentence in sentences if sentence])
    return _renumbered(text, {old: new for new, old in enumerate(kept)}, read)


def shipped_passages() -> list[Path]:
    """The files that ship."""
    folder = Path(str(resources.files("kgscripts.reproductions.reader") / "data"))
    return sorted(folder.glob("*.txt"))


def _of_passage(passage: LabelledPassage, id: str) -> LabelledText:
    offsets = list(accumulate((len(sentence.text) + 1 for sentence in passage.sentences), initial=0))
    words = Words.of((sentence.text, offset) for sentence, offset in zip(passage.sentences, offsets, strict=False))

    def number(word: Word) -> int:
        return words.at(offsets[word.sentence] + word.start)

    labels: dict[int, str] = {}
    pairs: dict[int, dict[int, str]] = {}
    flags: dict[str, set[int]] = {name: set() for name in FLAGS}
    changes: dict[int, Sequence[LabelledChange]] = {}
    for sentence in passage.sentences:
        flags[NEEDED].update(map(number, sentence.needs))
        if (span := sentence.condition) is not None:
            last = words.last(offsets[span.sentence] + span.end)
            flags[CONDITION].update(range(number(span), last + 1))
        for event in sentence.events:
            predicate = number(event.word)
            labels[predicate] = event.reality
            if event.changes is not None:
                changes[predicate] = event.changes
            things = pairs.setdefault(predicate, {})
            if event.conditional:
                flags[CONDITIONAL].add(predicate)
            has_object = any(filler.role is EventRole.OBJECT for filler in event.fillers)
            for filler in event.fillers:
                if filler.word is not None:
                    things[number(filler.word)] = filler.role
                if (before := _before(filler, has_object)) is not None:
                    for antecedent in filler.antecedents:
                        things.setdefault(number(antecedent), before)
    text = ReaderText(passage.title, words.sentences)
    flagged = {name: frozenset(numbers) for name, numbers in flags.items()}
    return LabelledText(GRAPH, id, text, labels, pairs, flagged, changes)


_HANDLED = frozenset({EventRole.INSTRUMENT, EventRole.CONTAINER, EventRole.APPLIANCE, EventRole.SUPPORT})


def _before(filler: Filler, has_object: bool) -> str | None:
    """What the antecedents of a pronoun, or of nothing, are to the event: a tool that is all that is acted on stands
    where an object does ("take the jar and shake it")."""
    if filler.role is EventRole.OBJECT or (filler.word is not None and filler.role in _HANDLED and not has_object):
        return REFERENT
    return PLACE_BEFORE if filler.word is None else None


def read_set(path: Path) -> list[LabelledText]:
    """The texts of a file of annotated procedures: ``wikihow-fg.jsonl``, ``easdrl.jsonl`` or ``wet-lab.jsonl``.

    Raises InputError with the line for what is none of these, and for a file that cannot be read.
    """
    texts = []
    with TextIOWrapper(open_input(path), encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                texts.append(_of_spans(json_object(line)))
            except (InputError, KeyError, ValueError, TypeError, IndexError) as error:
                remedy = "name wikihow-fg.jsonl, easdrl.jsonl or wet-lab.jsonl"
                raise InputError(f"no annotated procedure: {error}", where=f"{path}:{number}", remedy=remedy) from error
    return texts


PROCEDURES = ("wikihow-fg", "easdrl", "wet-lab")


@frozen
class Parts:
    """What is trained on, and what is only for scores."""

    train: Sequence[LabelledText]
    test: Sequence[LabelledText]


def read_sets(folder: Path) -> Parts:
    """The annotated procedures of a folder; the last fifth of each file's texts is for scores.

    Raises InputError as `read_set`.
    """
    train: list[LabelledText] = []
    test: list[LabelledText] = []
    for name in PROCEDURES:
        texts = read_set(folder / f"{name}.jsonl")
        most = len(texts) - len(texts) // 5
        train += texts[:most]
        test += texts[most:]
    return Parts(train, test)


def words_of_lines(text: str) -> Words:
    """The words of a text each line of which is a sentence for the reader."""
    return Words.of((match[0], match.start()) for match in re.finditer(r"[^\n]+", text))


_EASDRL = frozenset({"essential", "optional", "exclusive"})


def _of_spans(record: Mapping[str, Any]) -> LabelledText:
    name: str = record["set"]
    links, spans = PAIRS[name], record["spans"]
    words = words_of_lines(record["text"])
    mapped = [("action" if label in _EASDRL else label, start, end) for label, start, end in spans]
    labels, pairs = _labels(name, mapped, words)
    for label, one, other in _with_tools_used(record["links"], record["text"], spans):
        thing, action = spans[one], spans[other]
        named = label if label in links else f"{thing[0]} {label.rstrip(digits)}"  # "Acts-on2" of a second thing
        if named in links and words.at(action[1]) in pairs:
            pairs[words.at(action[1])][words.last(thing[2])] = named
    return LabelledText(name, record["id"], ReaderText(record.get("title") or "", words.sentences), labels, pairs)


def _labels(
    set: str, spans: Iterable[tuple[str, int, int]], words: Words
) -> tuple[dict[int, str], dict[int, dict[int, str]]]:
    """The labels of words by spans (an action's first word, a thing's last), and the actions, without things so far."""
    labels: dict[int, str] = {}
    pairs: dict[int, dict[int, str]] = {}
    for label, start, end in spans:
        place = words.at(start) if _is_action(label) else words.last(end)
        if label in WORDS[set] and labels.setdefault(place, label) == label and _is_action(label):
            pairs[place] = {}
    return labels, pairs


def _with_tools_used(
    links: Sequence[tuple[str, int, int]], text: str, spans: Sequence[tuple[str, int, int]]
) -> Iterator[tuple[str, int, int]]:
    """The links, and the tools of actions that another one says: the broom of "use a broom to spread it" spreads."""
    yield from links
    used = [(thing, verb) for label, thing, verb in links if label == "Targ" and _USE.match(text, spans[verb][1])]
    for label, use, verb in links:
        if label == "T-comp":
            yield from ((label, thing, verb) for thing, action in used if action == use)


_USE = re.compile(r"us(e|es|ed|ing)\b", re.IGNORECASE)


def _is_action(label: str) -> bool:
    return label[0] == "A" or label == "action"


def _sentences(texts: Sequence[tuple[str, Sequence[Passage]]]) -> Iterator[Words]:
    """The words of texts, in sentences as a build cuts them."""
    for (text, _), spans in zip(texts, sentence_spans(texts), strict=True):
        yield Words.of((text[start:end], start) for start, end in spans)


def recipes(path: Path) -> list[LabelledText]:
    """The recipes of a file of the Recipe Flow Graph corpus."""
    read = read_recipes(path)
    whole = (Passage(kind=PassageKind.PARAGRAPH, start=0, end=len(recipe.text)) for recipe in read)
    texts = [(recipe.text, [passage]) for recipe, passage in zip(read, whole, strict=True)]
    return [_of_recipe(recipe, words) for recipe, words in zip(read, _sentences(texts), strict=True)]


def _of_recipe(recipe: TaggedRecipe, words: Words) -> LabelledText:
    name = "recipe-flow"
    labels, pairs = _labels(name, ((phrase.tag, phrase.start, phrase.end) for phrase in recipe.phrases), words)
    for phrase in recipe.phrases:
        label = f"{phrase.tag} {phrase.edge}"
        if phrase.to is not None and label in PAIRS[name]:
            action = words.at(recipe.phrases[phrase.to].start)
            if action in pairs:
                pairs[action][words.last(phrase.end)] = label
    return LabelledText(name, recipe.name, ReaderText("", words.sentences), labels, pairs)


def stories(folder: Path) -> list[LabelledText]:
    """The stories of a split of InScript."""
    read = read_stories(folder)
    texts = [(story.document.text, story.document.passages) for story in read]
    return [_of_story(story, words) for story, words in zip(read, _sentences(texts), strict=True)]


_OTHER_EVENTS = frozenset({"UnrelEv", "Unclear", "Evoking"})
_OBJECT_PRONOUNS = frozenset({"it", "them", "him", "her"})
_MOST_BETWEEN = 2
"""Words between a verb and its object that is a pronoun: "turned it", "put on them"."""


def _of_story(story: GoldStory, words: Words) -> LabelledText:
    labels = {
        words.at(word.start): "other event" if word.event in _OTHER_EVENTS else "event"
        for word in story.words
        if word.event and word.is_event_head
    }
    text = ReaderText("", words.sentences)
    return LabelledText("inscript", story.document.name, text, labels, _referents(story, words, text, labels))


def _referents(
    story: GoldStory, words: Words, text: ReaderText, events: Mapping[int, str]
) -> dict[int, dict[int, str]]:
    """The pronouns behind verbs, the last noun before each in its chain of coreference, and the nouns before that."""
    pairs: dict[int, dict[int, str]] = {}
    nouns: dict[int, list[int]] = {}
    for word in story.words:
        place = words.at(word.start)
        written = text.all_words[place].lower()
        if written in _OBJECT_PRONOUNS:
            verb = next((at for at in range(place - 1, max(-1, place - 2 - _MOST_BETWEEN), -1) if at in events), None)
            if verb is not None and word.chain is not None and not word.event:
                before = nouns.get(word.chain, [])
                pairs[verb] = {
                    place: "object",
                    **dict.fromkeys(before[:-1], "same"),
                    **dict.fromkeys(before[-1:], REFERENT),
                }
        elif word.chain is not None and word.is_participant_head and written not in PRONOUNS:
            nouns.setdefault(word.chain, []).append(place)
    return pairs
