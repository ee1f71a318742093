"""InScript (Modi et al., LREC 2016): stories whose words carry participant and event labels.

One piece of a word a line, ``▁`` at the beginning of each word, with six columns: piece, participant, its head mark,
event, its head mark, coreference chain. ``X`` fills the columns of the pieces that continue a word, and ``none``
means no label; ``<end_of_story>`` ends a story. Labels end in the scenario: ``#ScrEv_enter_bathroom_bath``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, field, frozen

from kgscripts.corpora.detokenizing import detokenize
from kgscripts.corpora.plain_text import paragraph_spans
from kgscripts.corpora.scenarios.labels import resolve
from kgscripts.corpora.source import MAX_RECORD_BYTES, Source, source_of, text_lines, too_long
from kgscripts.text.lexicon import word_list
from schemas.errors import InputError
from schemas.input_files import open_input
from schemas.records import Discard, DiscardReason, Document, Passage, PassageKind

_END = "<end_of_story>"
_WORD = "▁"
_COLUMNS = 6
_NO_LABEL = ("none", "X")
_HEAD_MARKS = ("single", "yes")
_ARTICLES = ("a", "an", "the")
PRONOUNS = word_list("pronouns")
"""Words that name participants and are no nouns."""
_CHAIN = re.compile(r"[0-9]{1,9}")


@frozen
class GoldWord:
    """A word of a story, its span in the document's text, and its labels; "" where there is none.

    Labels are without sign and scenario: ``ScrPart_bather``, ``ScrEv_enter_bathroom``, ``Evoking``, ``UnrelEv``.
    """

    start: int
    end: int
    participant: str
    is_participant_head: bool
    event: str
    is_event_head: bool
    chain: int | None


@frozen
class GoldStory:
    """A story as a document, and its labelled words in text order."""

    document: Document
    words: tuple[GoldWord, ...]


@define
class _Word:
    """A word of the file: its joined pieces, and the columns of the first one."""

    text: str
    columns: list[str]

    def label(self, column: int) -> str:
        """The label without sign and scenario."""
        label = self.columns[column]
        return "" if label in _NO_LABEL else label[1:].rpartition("_")[0]


@define
class _Story:
    """The part of a story that has been read."""

    number: int = 1
    line: int = 0
    size: int = 0
    words: list[_Word] = field(factory=list)
    fault: Discard | None = None


def read_inscript(source: Source) -> Iterator[Document | Discard]:
    """Yield one document per story, detokenized."""
    for story in gold_stories(source):
        yield story.document if isinstance(story, GoldStory) else story


def gold_stories(source: Source) -> Iterator[GoldStory | Discard]:
    """Yield each story with its labels; a story with a malformed line, or without an end, is a discard.

    The head marks, as the corpus uses them: ``single`` is the annotated word of a mention; ``yes`` and ``no`` are the
    head and the other annotated words of a mention of several ("took", "off"); ``none`` are its unmarked words ("a"
    in "take a bath"). A mention is a run of words with one label, ignoring punctuation; adjacent words with ``single``
    or ``yes`` are separate heads ("started sweating"). Where a run has neither mark, the head of an event is
    its first word with ``none`` ("turn" before "off" ``no``) that is no article, and that of a participant its last.
    """
    story = _Story()
    number = 0
    for number, line in text_lines(source):
        story.line = story.line or number
        story.size += len(line) if isinstance(line, str) else 0
        if isinstance(line, Discard):
            story.fault = story.fault or line
        elif line.strip() == _END:
            yield story.fault or _gold_story(source, story)
            story = _Story(story.number + 1)
        elif line.strip():
            columns = line.rstrip(" ").split(" ")
            if story.fault:
                continue
            if story.size > MAX_RECORD_BYTES:
                story.fault = source.discard(DiscardReason.TOO_LONG, story.line, too_long("a story"))
                story.words.clear()
            elif len(columns) != _COLUMNS or not (columns[5] in _NO_LABEL or _CHAIN.fullmatch(columns[5])):
                detail = "needs 6 columns, the last of them a number, none or X"
                story.fault = story.fault or source.discard(DiscardReason.MALFORMED, number, detail)
            elif columns[0].startswith(_WORD) or not story.words:
                story.words.append(_Word(columns[0].removeprefix(_WORD), columns))
            else:
                story.words[-1].text += columns[0]
    if story.words or story.fault:
        detail = f"cut off: no {_END} for the story that begins on line {story.line}"
        yield story.fault or source.discard(DiscardReason.MALFORMED, number, detail)


def read_stories(directory: Path) -> list[GoldStory]:
    """Read the labelled stories of a folder with one file per scenario.

    Raises
    ------
    InputError
        if it contains no story.
    """
    stories: list[GoldStory] = []
    for path in sorted(path for path in directory.glob("*") if path.is_file()):
        with open_input(path) as file:
            stories += [story for story in gold_stories(source_of(path.name, file)) if isinstance(story, GoldStory)]
    if not stories:
        raise InputError(
            "no InScript story in it", where=str(directory), remedy="pass the folder with one token file per scenario"
        )
    return stories


def _gold_story(source: Source, story: _Story) -> GoldStory | Discard:
    words = story.words
    text, spans = detokenize([word.text for word in words])
    if not text.strip():
        return source.discard(DiscardReason.EMPTY, story.line, "a story without words")
    labels = [word.columns[column] for word in words for column in (1, 3)]
    scenario = next((label.rpartition("_")[2] for label in labels if label not in _NO_LABEL), "")
    try:
        label = resolve(scenario) if scenario else ""
    except InputError as error:
        return source.discard(DiscardReason.MALFORMED, story.line, error.message)
    document = Document(
        name=source.label(story.number),
        format="inscript",
        text=text,
        scenario=label,
        passages=[Passage(kind=PassageKind.PARAGRAPH, start=start, end=end) for start, end in paragraph_spans(text)],
    )
    participant_heads = _heads(words, 1)
    event_heads = _heads(words, 3)
    gold = [
        GoldWord(
            start=start,
            end=end,
            participant=word.label(1),
            is_participant_head=index in participant_heads,
            event=word.label(3),
            is_event_head=index in event_heads,
            chain=None if word.columns[5] in _NO_LABEL else int(word.columns[5]),
        )
        for index, (word, (start, end)) in enumerate(zip(words, spans, strict=True))
        if start < end
    ]
    return GoldStory(document, tuple(gold))


def _heads(words: Sequence[_Word], column: int) -> set[int]:
    """Indices of the head words of all mentions, with labels in `column` and marks in the next column."""
    heads: set[int] = set()
    for run in _runs(words, column):
        marked = [index for index in run if words[index].columns[column + 1] in _HEAD_MARKS]
        if marked:
            heads.update(marked)
        elif column == 1:
            heads.add(run[-1])
        else:
            unmarked = [index for index in run if words[index].columns[column + 1] == "none"]
            heads.add(next((index for index in unmarked if words[index].text.lower() not in _ARTICLES), run[-1]))
    return heads


def _runs(words: Sequence[_Word], column: int) -> Iterator[list[int]]:
    """Indices of the words of each mention."""
    run: list[int] = []
    for index, word in enumerate(words):
        label = word.label(column)
        if run and label != words[run[-1]].label(column) and any(map(str.isalnum, word.text)):
            yield run
            run = []
        if label:
            if run and label != words[run[-1]].label(column):
                yield run
                run = []
            run.append(index)
    if run:
        yield run
