"""Artificial documents for scenario detection, merged from parts of labelled stories.

Wanzare, Roth and Pinkal (2019), section 5.1, merge segments of MCScript stories to tune their segmentation. Here the
documents also have sentences without a scenario, from stories of the same kind, and segments with two scenarios.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.corpora.files import find_files
from kgscripts.corpora.inscript import GoldStory, GoldWord, gold_stories
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.source import DamagedSourceError, Source, open_source
from kgscripts.reproductions.scenarios.documents import LabelledStory, read_scenario_documents
from kgscripts.text.passages import sentence_spans
from schemas.errors import ConfigurationError, InputError
from schemas.scenario_documents import LabelledSegment, ScenarioDocument


@frozen(kw_only=True)
class StoryParts:
    """Stories for two sets of merged documents that share no story, and no scenario of their fillers."""

    train: tuple[LabelledStory, ...] = field(converter=tuple[LabelledStory, ...])
    held_out: tuple[LabelledStory, ...] = field(converter=tuple[LabelledStory, ...])
    train_filler: tuple[tuple[str, ...], ...] = field(converter=tuple[tuple[str, ...], ...])
    held_out_filler: tuple[tuple[str, ...], ...] = field(converter=tuple[tuple[str, ...], ...])

    def part(self, name: str) -> tuple[tuple[LabelledStory, ...], tuple[tuple[str, ...], ...]]:
        """The stories and the filler of a part: ``train``, ``held-out`` or ``all``."""
        parts = {"train": (self.train, self.train_filler), "held-out": (self.held_out, self.held_out_filler)}
        return parts.get(name, (self.train + self.held_out, self.train_filler + self.held_out_filler))


def story_parts(
    stories: Iterable[LabelledStory],
    *,
    seed: int,
    held_out: float = 0.4,
    withheld: float = 0.15,
    filler: Sequence[Sequence[str]] = (),
    linked: Mapping[str, Collection[str]] | None = None,
) -> StoryParts:
    """Split labelled stories into those for training and those held out, with filler for both.

    `withheld` is the share of scenarios that are taken from the label set: their stories are filler, half of the
    scenarios for training and half held out. They are chosen among the scenarios that have no `linked` scenario (such
    as a broader one) among the others, so that filler is about no label. Half of the texts of `filler` goes to either
    part. Of each other scenario, the share `held_out`
    of its stories is held out, and at least one is kept for training.

    Raises
    ------
    ConfigurationError
        For shares out of range, and for more withheld scenarios than have no linked ones.
    """
    if not (0 <= held_out < 1 and 0 <= withheld < 1):
        raise ConfigurationError(f"shares of {held_out} and {withheld}", remedy="they are at least 0 and less than 1")
    choice = random.Random(seed)
    by_scenario: dict[str, list[LabelledStory]] = defaultdict(list)
    for story in stories:
        if story.scenario:
            by_scenario[story.scenario].append(story)
    free = [
        scenario for scenario in sorted(by_scenario) if not set((linked or {}).get(scenario, ())) & set(by_scenario)
    ]
    count = round(withheld * len(by_scenario))
    if count > len(free):
        remedy = f"withhold at most {len(free) / max(1, len(by_scenario)):.2f}"
        raise ConfigurationError(f"{count} scenarios to withhold, and {len(free)} without linked ones", remedy=remedy)
    taken = choice.sample(free, count)
    texts = [tuple(text) for text in filler]
    choice.shuffle(texts)
    fillers = [
        [*(story.sentences for name in taken[half::2] for story in by_scenario[name]), *texts[half::2]]
        for half in (0, 1)
    ]
    train: list[LabelledStory] = []
    held: list[LabelledStory] = []
    owed = 0.0
    for scenario in sorted(by_scenario.keys() - set(taken)):
        group = list(by_scenario[scenario])
        choice.shuffle(group)
        # Over all scenarios the share is right, although most have few stories.
        owed += held_out * len(group)
        number = min(len(group) - 1, int(owed))
        owed -= number
        held += group[:number]
        train += group[number:]
    return StoryParts(train=train, held_out=held, train_filler=fillers[0], held_out_filler=fillers[1])


_OF_SCRIPTS = ("ScrEv", "Evoking")
_PRONOUNS = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "you", "your", "it", "its"})


def read_filler(path: str | Path) -> list[tuple[str, ...]]:
    """Read the runs of consecutive sentences without a scenario from a file or folder.

    They are the sentences outside of all segments of documents with scenarios, and the sentences of InScript stories
    without a script event, an evoking expression and a participant of the script other than a pronoun.

    Raises
    ------
    InputError
        For a file that cannot be read, and where there is no such sentence.
    """
    runs: list[tuple[str, ...]] = []
    for file in find_files([path]):
        with open_source(file) as source:
            try:
                is_inscript = sniff(source.sample(), source.name) == "inscript"
                runs += _of_inscript(source) if is_inscript else ()
            except DamagedSourceError as error:
                raise InputError(error.detail, where=f"{file.name}:{error.line}", remedy="get it again") from error
        if is_inscript:
            continue
        for document in read_scenario_documents(file.path):
            runs += _runs(document.sentences, [not labels for labels in document.labels()])
    if not runs:
        remedy = "give InScript files, or documents of which some sentences are in no segment"
        raise InputError("no sentence without a scenario", where=str(path), remedy=remedy)
    return runs


def _of_inscript(source: Source) -> Iterator[tuple[str, ...]]:
    stories = [story for story in gold_stories(source) if isinstance(story, GoldStory)]
    texts = [(story.document.text, story.document.passages) for story in stories]
    for story, spans in zip(stories, sentence_spans(texts), strict=True):
        text = story.document.text
        free = [
            not any(_is_of_script(word, text) for word in story.words if start <= word.start < end)
            for start, end in spans
        ]
        yield from _runs([text[start:end] for start, end in spans], free)


def _is_of_script(word: GoldWord, text: str) -> bool:
    is_participant = word.participant.startswith("ScrPart")
    return word.event.startswith(_OF_SCRIPTS) or (
        is_participant and text[word.start : word.end].lower() not in _PRONOUNS
    )


def _runs(sentences: Sequence[str], free: Sequence[bool]) -> Iterator[tuple[str, ...]]:
    """The runs of consecutive sentences that are free."""
    for is_free, run in groupby(zip(free, sentences, strict=True), key=lambda pair: pair[0]):
        if is_free:
            yield tuple(sentence for _, sentence in run)


_SHORTEST, _LONGEST = 3, 12
_TURN = 3
"""The most consecutive sentences of one of two interleaved stories."""


def merge_documents(
    stories: Sequence[LabelledStory],
    *,
    seed: int,
    documents: int,
    segments: tuple[int, int] = (2, 4),
    sentences: tuple[int, int] = (_SHORTEST, _LONGEST),
    none_share: float = 0.25,
    two_labels: float = 0.15,
    filler: Sequence[Sequence[str]] = (),
    broader: Mapping[str, Sequence[str]] | None = None,
) -> list[ScenarioDocument]:
    """Merge contiguous parts of stories into documents; the same arguments give the same documents.

    Parameters
    ----------
    stories
        Those with a scenario are used, each about equally often. No scenario occurs twice in a document.
    seed, documents
        The seed of all choices, and the number of documents.
    segments
        The fewest and the most segments of a document.
    sentences
        The fewest and the most sentences of a segment; a shorter story is taken as a whole.
    none_share
        The share of all sentences that have no scenario.
    two_labels
        The share of segments with two labels: half of them, if possible, with a broader scenario besides the story's,
        the others from two stories whose sentences alternate in runs of one to three.
    filler
        Texts in sentences about no scenario, of which contiguous parts are used. Half of the parts come from texts
        that are shorter than a segment, if there are any.
    broader
        The broader scenarios of a scenario.

    Raises
    ------
    ConfigurationError
        For shares and sizes out of range, for fewer scenarios than a document needs, and for a share of None without
        filler.
    """
    _check(segments, sentences, none_share, two_labels, documents)
    scenarios = {story.scenario for story in stories if story.scenario}
    needed = segments[1] * (2 if two_labels else 1)
    if len(scenarios) < needed:
        remedy = "give more stories, or ask for fewer segments"
        raise ConfigurationError(
            f"stories of {len(scenarios)} scenarios, where a document needs {needed}", remedy=remedy
        )
    texts = [text for text in filler if text]
    if none_share and not texts:
        remedy = "withhold scenarios, give a file with filler, or set the share of None to 0"
        raise ConfigurationError("no sentences without a scenario", remedy=remedy)
    merging = _Merging(
        choice=random.Random(seed),
        stories=[story for story in stories if story.scenario and story.sentences],
        filler=texts,
        segments=segments,
        sentences=sentences,
        none_share=none_share,
        two_labels=two_labels,
        broader=broader or {},
    )
    return list(merging.documents(documents))


def _check(
    segments: tuple[int, int], sentences: tuple[int, int], none_share: float, two_labels: float, documents: int
) -> None:
    for what, (low, high) in (("segments", segments), ("sentences", sentences)):
        if not 1 <= low <= high:
            raise ConfigurationError(
                f"{low} to {high} {what}", remedy="the smaller number comes first, and is at least 1"
            )
    if not 0 <= none_share < 1:
        raise ConfigurationError(f"a share of None of {none_share}", remedy="it is at least 0 and less than 1")
    if not 0 <= two_labels <= 1:
        raise ConfigurationError(f"a share of two labels of {two_labels}", remedy="it is between 0 and 1")
    if documents < 1:
        raise ConfigurationError(f"{documents} documents", remedy="ask for at least 1")


@frozen(kw_only=True)
class _Part:
    """Consecutive sentences of a document and their scenarios; () for None."""

    sentences: Sequence[str]
    scenarios: tuple[str, ...] = ()


class _Deck:
    """Stories in a shuffled order, all of which are drawn before any is drawn again."""

    def __init__(self, choice: random.Random, stories: Sequence[LabelledStory]) -> None:
        self._choice = choice
        self._stories = stories
        self._left: list[LabelledStory] = []

    def has(self, fits: Callable[[LabelledStory], bool]) -> bool:
        return any(map(fits, self._stories))

    def draw(self, fits: Callable[[LabelledStory], bool]) -> LabelledStory:
        """The next story that fits; there is one."""
        if not any(map(fits, self._left)):
            fresh = list(self._stories)
            self._choice.shuffle(fresh)
            self._left += fresh
        return self._left.pop(next(at for at, story in enumerate(self._left) if fits(story)))


@define(kw_only=True, slots=False)
class _Merging:
    """The arguments of `merge_documents`, and where its choices stand."""

    choice: random.Random
    stories: Sequence[LabelledStory]
    filler: Sequence[Sequence[str]]
    segments: tuple[int, int]
    sentences: tuple[int, int]
    none_share: float
    two_labels: float
    broader: Mapping[str, Sequence[str]]
    _owed: float = field(default=0.0, init=False)
    """Sentences without a scenario that are still to come, so that their share is right over all documents."""

    def __attrs_post_init__(self) -> None:
        self._deck = _Deck(self.choice, self.stories)
        self._below = _Deck(self.choice, [story for story in self.stories if self.broader.get(story.scenario)])
        short = [text for text in self.filler if len(text) < self.sentences[0]]
        long = [text for text in self.filler if len(text) >= self.sentences[0]]
        self._fillers = [self._shuffled_for_ever(texts) for texts in (short, long) if texts]

    def documents(self, count: int) -> Iterator[ScenarioDocument]:
        sizes = [self.choice.randint(*self.segments) for _ in range(count)]
        whole = sum(sizes)
        with_two = set(self.choice.sample(range(whole), round(self.two_labels * whole)))
        first = 0
        for number, size in enumerate(sizes, 1):
            yield self._document(f"merged-{number}", [segment in with_two for segment in range(first, first + size)])
            first += size

    def _document(self, identifier: str, with_two: Sequence[bool]) -> ScenarioDocument:
        used: set[str] = set()
        parts = [self._of_two(used) if two else self._of_one(used) for two in with_two]
        labelled = sum(len(part.sentences) for part in parts)
        self._owed += labelled * self.none_share / (1 - self.none_share)
        while self._owed >= self.sentences[0]:
            part = self._part(next(self.choice.choice(self._fillers)), most=int(self._owed))
            self._owed -= len(part)
            parts.insert(self.choice.randint(0, len(parts)), _Part(sentences=part))
        segments, start = [], 0
        for piece in parts:
            end = start + len(piece.sentences)
            if piece.scenarios:
                segments.append(LabelledSegment(start=start, end=end, scenarios=piece.scenarios))
            start = end
        sentences = [sentence for piece in parts for sentence in piece.sentences]
        return ScenarioDocument(id=identifier, sentences=sentences, segments=segments)

    def _of_one(self, used: set[str]) -> _Part:
        """A part of a story whose scenario is not used in the document yet."""
        story = self._deck.draw(lambda story: story.scenario not in used)
        used.add(story.scenario)
        return _Part(sentences=self._part(story.sentences), scenarios=(story.scenario,))

    def _of_two(self, used: set[str]) -> _Part:
        """A part of a story with a broader scenario too, or of two stories; no scenario is used in the document yet."""
        if self.choice.random() < 0.5 and self._below.has(lambda story: bool(self._above(story, used))):
            story = self._below.draw(lambda story: bool(self._above(story, used)))
            broader = self.choice.choice(self._above(story, used))
            used |= {story.scenario, broader}
            return _Part(sentences=self._part(story.sentences), scenarios=(broader, story.scenario))
        first, second = self._of_one(used), self._of_one(used)
        # Half of each, so that the length of a segment does not give away its number of labels.
        halves = (self._part(part.sentences, max(1, self.sentences[1] // 2)) for part in (first, second))
        return _Part(sentences=list(self._interleaved(*halves)), scenarios=first.scenarios + second.scenarios)

    def _above(self, story: LabelledStory, used: set[str]) -> list[str]:
        """The broader scenarios of a story that, as the story's own, are not used yet."""
        if story.scenario in used:
            return []
        return [scenario for scenario in self.broader.get(story.scenario, ()) if scenario not in used]

    def _part(self, sentences: Sequence[str], most: int | None = None) -> Sequence[str]:
        """Consecutive sentences, at a random place and of a random number in the range."""
        longest = min(self.sentences[1], len(sentences), most or len(sentences))
        length = self.choice.randint(min(self.sentences[0], longest), longest)
        start = self.choice.randint(0, len(sentences) - length)
        return sentences[start : start + length]

    def _interleaved(self, first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
        waiting = [list(first), list(second)]
        while all(waiting):
            count = self.choice.randint(1, _TURN)
            yield from waiting[0][:count]
            del waiting[0][:count]
            waiting.reverse()
        yield from waiting[0] or waiting[1]

    def _shuffled_for_ever(self, texts: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
        order = list(texts)
        while order:
            self.choice.shuffle(order)
            yield from order
