"""The text around passages, from the documents in the records of a graph directory.

A passage whose text is not found where it should be has no context.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from attrs import frozen

from kgscripts.records.shards import rows_without_index
from schemas.errors import UnknownNameError
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
    sentences = [found.end() for found in _SENTENCE_BEGINS.finditer(text, scanned, start) if found.end() >= least]
    words = [found.end() for found in _SPACES.finditer(text, scanned, start) if found.end() >= least]
    for place in (*document, *sentences, *words, least):
        if rest := text[place:start].strip():
            return text.index(rest, place)
    return start


def _end(text: str, end: int) -> int:
    """Where the text after a passage ends."""
    most = min(len(text), end + MOST_CHARACTERS)
    document = [most] if most == len(text) else []
    # The character behind the limit shows whether the last sentence and the last word are whole.
    sentences = [found.end() for found in _SENTENCE_ENDS.finditer(text, end, most + 1) if found.end() <= most]
    words = [found.start() for found in _SPACES.finditer(text, end, most + 1)]
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
    found: dict[Place, set[Context]] = defaultdict(set)
    for digest, start, text, context in _contexts(graph.directory, wanted):
        found[names[digest], start, text].add(context)
    return {place: each.pop() for place, each in found.items() if len(each) == 1}


def passage(graph: StoredGraph, iri: str) -> dict[str, Any]:
    """A passage in its text, as plain values: ``iri``, ``source`` and ``title`` (the names of its source), ``start``
    and ``end`` (its span there, in code points), ``before``, ``text`` and ``after``.

    The text around it is "" if the records do not have it.

    Raises
    ------
    UnknownNameError
        If the graph has no passage with this IRI.
    """
    base = graph.manifest.base_iri
    row = next(graph.rows("Passage", where={"id": iri.removeprefix(base)}), None) if iri.startswith(base) else None
    if row is None:
        raise UnknownNameError(
            f"there is no passage with the IRI {iri!r}",
            where=str(graph.directory),
            remedy="give the IRI of a node of the type Passage",
        )
    columns = ("id", "name", "title", "digest")
    source = next(graph.rows("Source", columns, {"id": row["source"]}))
    wanted = {source["digest"]: {(row["start"], row["text"])}}
    around = next((context for *_, context in _contexts(graph.directory, wanted)), Context("", ""))
    return {
        "iri": graph.iri(row["id"]),
        "source": source["name"],
        "title": source["title"] or "",
        "start": row["start"],
        "end": row["end"],
        "before": around.before,
        "text": row["text"],
        "after": around.after,
    }


def _contexts(
    directory: Path, wanted: Mapping[str, Collection[tuple[int, str]]]
) -> Iterator[tuple[str, int, str, Context]]:
    """The document, start, text and context of each passage that is found; documents are named by their digests."""
    for row in rows_without_index(directory / "records", Document, wanted.keys(), ("subject", "text")):
        digest, document = row["subject"], row["text"]
        for start, text in wanted[digest]:
            end = start + len(text)
            if document[start:end] == text:
                yield digest, start, text, context_of(document, start, end)
