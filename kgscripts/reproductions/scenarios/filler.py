"""Passages of stories that are about no scenario; merged documents have them between their segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from kgscripts.corpora.files import find_files
from kgscripts.corpora.inscript import GoldStory, GoldWord, gold_stories
from kgscripts.corpora.sniffing import sniff
from kgscripts.corpora.source import DamagedSourceError, Source, open_source
from kgscripts.reproductions.scenarios.documents import read_scenario_documents
from kgscripts.text.passages import sentence_spans
from schemas.errors import InputError

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
    found: list[tuple[str, ...]] = []
    for file in find_files([path]):
        with open_source(file) as source:
            try:
                is_inscript = sniff(source.sample(), source.name) == "inscript"
                found += _of_inscript(source) if is_inscript else ()
            except DamagedSourceError as error:
                raise InputError(error.detail, where=f"{file.name}:{error.line}", remedy="get it again") from error
        if is_inscript:
            continue
        for document in read_scenario_documents(file.path):
            found += _runs(document.sentences, [not labels for labels in document.labels()])
    if not found:
        remedy = "give InScript files, or documents of which some sentences are in no segment"
        raise InputError("no sentence without a scenario", where=str(path), remedy=remedy)
    return found


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
