"""The text around passages, from the documents in the records of a graph directory.

A passage whose text is not found where it should be has no context.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from attrs import frozen

from kgscripts.records.shards import rows_without_index
from schemas.records import Document
from schemas.script_graph import StoredGraph

MOST_CHARACTERS = 300
"""The most characters before a passage, and after it."""

Place: TypeAlias = tuple[str, int, str]
"""A passage: the name of its source, its first character there, and its text."""

_SENTENCE_BEGINS = re.compile(r"""(?<=[.!?…])["'”’)\]]*\s+|(?<=[。！？])|\n+""")
_SENTENCE_ENDS = re.compile(r"""[.!?…]["'”’)\]]*(?=\s)|[。！？]|(?=\n)""")
_SPACES = re.compile(r"\s+")


@frozen
class Context:
    """The text before and after a passage. With the passage between them they are one piece of the document."""

    before: str
    after: str


def context_of(text: str, start: int, end: int) -> Context:
    """The text around `text[start:end]`: on each side as many whole sentences or lines as `MOST_CHARACTERS` hold.

    Of a longer sentence there are as many whole words, and of a longer word as many characters.
    """
    return Context(text[_beginning(text, start) : start], text[end : _end(text, end)])


def _beginning(text: str, start: int) -> int:
    """Where the text before a passage begins."""
    least = max(0, start - MOST_CHARACTERS)
    # What separates the first sentence or word from the one before it may lie outside the limit.
    scanned = max(0, least - MOST_CHARACTERS)
    document = [0] if least == 0 else []
    sentences = [match.end() for match in _SENTENCE_BEGINS.finditer(text, scanned, start) if match.end() >= least]
    words = [match.end() for match in _SPACES.finditer(text, scanned, start) if match.end() >= least]
    for place in (*document, *sentences, *words, least):
        if rest := text[place:start].strip():
            return text.index(rest, place)
    return start


def _end(text: str, end: int) -> int:
    """Where the text after a passage ends."""
    most = min(len(text), end + MOST_CHARACTERS)
    document = [most] if most == len(text) else []
    # The character behind the limit shows whether the last sentence and the last word are whole.
    sentences = [match.end() for match in _SENTENCE_ENDS.finditer(text, end, most + 1) if match.end() <= most]
    words = [match.start() for match in _SPACES.finditer(text, end, most + 1)]
    for place in (*document, *reversed(sentences), *reversed(words), most):
        if text[end:place].strip():
            return end + len(text[end:place].rstrip())
    return end


def read_contexts(graph: StoredGraph, passages: Iterable[Place]) -> dict[Place, Context]:
    """The contexts of those passages whose documents are in the records. All files of documents are read once.

    If several sources have the name, and the passage at the place, with different text around it, there is none.
    """
    of_source: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for name, start, text in passages:
        of_source[name].add((start, text))
    wanted: dict[str, set[tuple[int, str]]] = {}
    names: dict[str, str] = {}
    for row in graph.rows("Source", ("name", "digest"), {"name": of_source.keys()}):
        names[row["digest"]] = row["name"]
        wanted[row["digest"]] = of_source[row["name"]]
    contexts: dict[Place, set[Context]] = defaultdict(set)
    for row in rows_without_index(graph.directory / "records", Document, wanted.keys(), ("subject", "text")):
        digest, document = row["subject"], row["text"]
        for start, text in wanted[digest]:
            end = start + len(text)
            if document[start:end] == text:
                contexts[names[digest], start, text].add(context_of(document, start, end))
    return {place: each.pop() for place, each in contexts.items() if len(each) == 1}
