"""The index of words of a graph: full text in SQLite, which also keeps what is found."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from importlib import resources
from pathlib import Path

from kgscripts.search.entries import Entry, Kind
from schemas.errors import StoreError

FORMAT = "2"
"""The version of the index."""

_NAMES, _CONTEXT = 4.0, 1.0
"""The weights of words of names and of words of the context, for BM25."""
_WORDS = 64
"""The most words of a question that are compared; the rest is ignored."""
_WORD = re.compile(r"[^\W_]+")


def write_words(path: Path, entries: Iterable[Entry], passages: Iterable[tuple[str, Sequence[str]]] = ()) -> None:
    """Write the index of entries, numbered from 1 in their order, and of passages, each with the ids of entries that it
    is about."""
    numbers: dict[str, int] = {}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute(
            "CREATE TABLE entry (number INTEGER PRIMARY KEY, kind TEXT, id TEXT, label TEXT, scenario TEXT, "
            "support INTEGER)"
        )
        connection.execute(
            # Without content: the texts themselves are in the graph.
            "CREATE VIRTUAL TABLE words USING fts5(names, context, content='', tokenize='porter unicode61')"
        )
        connection.execute("CREATE VIRTUAL TABLE passages USING fts5(text, content='', tokenize='porter unicode61')")
        connection.execute(
            "CREATE TABLE told (passage INTEGER, number INTEGER, PRIMARY KEY (passage, number)) WITHOUT ROWID"
        )
        for number, entry in enumerate(entries, start=1):
            numbers[entry.id] = number
            connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)",
                (number, entry.kind.value, entry.id, entry.label, entry.scenario, entry.support),
            )
            connection.execute(
                "INSERT INTO words (rowid, names, context) VALUES (?, ?, ?)",
                (number, "\n".join(entry.names), "\n".join(entry.context)),
            )
        for passage, (text, told) in enumerate(passages, start=1):
            connection.execute("INSERT INTO passages (rowid, text) VALUES (?, ?)", (passage, text))
            known = {numbers[node] for node in told if node in numbers}
            connection.executemany("INSERT INTO told VALUES (?, ?)", ((passage, number) for number in known))
        # A command of FTS5, which makes one segment of all.
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        connection.execute("INSERT INTO passages (passages) VALUES ('optimize')")


class Words:
    """An open index."""

    def __init__(self, path: Path) -> None:
        # A store is never changed, so it is read without locks, which a read-only disk would refuse.
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)

    def close(self) -> None:
        """Close it."""
        self._connection.close()

    def exact(self, question: str, kind: Kind, most: int) -> list[int]:
        """The numbers of the entries of a kind that have all words of a question in their names and context, by BM25;
        and, if the names and contexts of this kind lack one of the words, of those that passages with all of them are
        about, which comparing meanings would not find."""
        wanted = content_words(question)
        numbers = self._named(_match(wanted, " AND "), kind, most)
        if not all(self._named(_match([word], ""), kind, 1) for word in wanted[:_WORDS]):
            numbers += self._told(wanted, kind, most)
        return list(dict.fromkeys(numbers))[:most]

    def more(self, question: str, kind: Kind, most: int) -> list[int]:
        """The numbers of the entries of a kind that passages with all words of a question are about, and then of those
        that have one of them in their names or context."""
        wanted = content_words(question)
        return [*self._told(wanted, kind, most), *self._named(_match(wanted, " OR "), kind, most)]

    def _told(self, wanted: Sequence[str], kind: Kind, most: int) -> list[int]:
        """Those of most passages first."""
        rows = self._connection.execute(
            "SELECT number FROM (SELECT rowid, rank FROM passages WHERE passages MATCH ?) AS found "
            "JOIN told ON passage = found.rowid JOIN entry USING (number) WHERE kind = ? "
            "GROUP BY number ORDER BY count(*) DESC, min(rank), number LIMIT ?",
            (_match(wanted, " AND "), kind.value, most),
        )
        return [number for (number,) in rows]

    def _named(self, match: str, kind: Kind, most: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT words.rowid FROM words JOIN entry ON number = words.rowid WHERE words MATCH ? AND kind = ? "
            f"ORDER BY bm25(words, {_NAMES}, {_CONTEXT}), words.rowid LIMIT ?",
            (match, kind.value, most),
        )
        return [number for (number,) in rows]

    def rows(self, numbers: Sequence[int]) -> dict[int, tuple[Kind, str, str, str, int]]:
        """Kind, id, label, scenario and support of entries."""
        marks = ", ".join("?" * len(numbers))
        rows = self._connection.execute(
            f"SELECT number, kind, id, label, scenario, support FROM entry WHERE number IN ({marks})", tuple(numbers)
        )
        return {number: (Kind(kind), *rest) for number, kind, *rest in rows}


@contextmanager
def opened_words(path: Path) -> Iterator[Words]:
    """The index at a path; raises StoreError if it cannot be read."""
    try:
        with closing(Words(path)) as words:
            yield words
    except sqlite3.Error as error:
        raise StoreError(f"the index of words cannot be read ({error})", where=str(path)) from error


def _match(words: Sequence[str], between: str) -> str:
    # An empty query is an error of FTS5; an empty phrase matches nothing.
    return between.join(f'"{word}"' for word in words[:_WORDS]) or '""'


def content_words(question: str) -> list[str]:
    """The words of a question without function words, in lower case; all of them if there are no others."""
    words = list(dict.fromkeys(word.casefold() for word in _WORD.findall(question)))
    return [word for word in words if word not in _function_words()] or words


@cache
def _function_words() -> frozenset[str]:
    text = (resources.files("kgscripts.search") / "data" / "function_words.txt").read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
