"""What was given to the store: inputs (files and texts), the documents that each of them gave, and their discards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import pyarrow as pa
from attrs import Factory, define

from kgscripts.records.index import CompletionIndex
from schemas.errors import GraphDirectoryError, RecordError
from schemas.records import Discard, DiscardReason

_DUPLICATES = (
    "SELECT DISTINCT digest, kept, name FROM"
    " (SELECT subject, min(name) AS kept FROM source GROUP BY subject HAVING count(DISTINCT name) > 1)"
    " JOIN source USING (subject) JOIN subject ON subject.id = subject WHERE name > kept"
)
_DOCUMENTS = pa.schema([pa.field("digest", pa.string(), nullable=False), pa.field("name", pa.string(), nullable=False)])
_NO_TEXT = (
    "NOT EXISTS (SELECT * FROM completion WHERE completion.subject = source.subject AND completion.extractor = 0)"
)
_ROWS_A_BATCH = 65536
_SOURCES_A_PART = 100_000
MOST_DISCARDS = 1_000
"""So many discards of an input are kept, and the first for each reason; the others are counted."""


@define
class Input:
    """What one file or text gave.

    `key` identifies the input (the resolved path of a file), `fingerprint` its contents and how they were parsed.
    `complete` is false where a limit ended the reading. `sources` are the digest and name of each document. `unlisted`
    counts the discards, by reason, that are not among `discards`. One that `continues` adds to what is known.
    """

    key: str
    fingerprint: str
    complete: bool = False
    sources: list[tuple[str, str]] = Factory(list)
    discards: list[Discard] = Factory(list)
    unlisted: dict[DiscardReason, int] = Factory(dict)
    continues: bool = False

    def add_discard(self, discard: Discard) -> None:
        """List a discard, or count it where many are listed."""
        reason = discard.reason
        if len(self.discards) < MOST_DISCARDS:
            self.discards.append(discard)
        elif reason in self.unlisted or any(listed.reason is reason for listed in self.discards):
            self.unlisted[reason] = self.unlisted.get(reason, 0) + 1
        else:
            self.discards.append(discard)


class InputIndex(CompletionIndex):
    """The part of the index about inputs. A document is live if some input gives it."""

    def input(self, key: str) -> Input | None:
        """An input with its sources, ascending, and its discards; None if it is not known."""
        return next(self._inputs("WHERE key = ?", key), None)

    def inputs(self) -> Iterator[Input]:
        """All inputs by their keys, ascending. One with many sources comes in parts, of which later ones continue."""
        return self._inputs("ORDER BY key", part=_SOURCES_A_PART)

    def _inputs(self, clause: str, *values: str, part: int | None = None) -> Iterator[Input]:
        for number, key, fingerprint, complete in self._rows(
            f"SELECT id, key, fingerprint, complete FROM input {clause}", *values
        ):
            sources = self._rows(
                "SELECT digest, name FROM source JOIN subject ON subject.id = source.subject WHERE input = ?"
                " ORDER BY digest, name",
                number,
            )
            unlisted = self._rows("SELECT reason, count FROM unlisted_discard WHERE input = ?", number)
            with self._valid():
                counts = {DiscardReason(reason): count for reason, count in unlisted}
            first = list(islice(sources, part))
            yield Input(key, fingerprint, bool(complete), first, self._discards(number), counts)
            while part and (more := list(islice(sources, part))):
                yield Input(key, fingerprint, bool(complete), more, continues=True)

    def _discards(self, number: int, limit: int = -1) -> list[Discard]:
        rows = self._rows(
            'SELECT reason, place, "start", "end", detail FROM input_discard WHERE input = ? ORDER BY id LIMIT ?',
            number,
            limit,
        )
        with self._valid():
            return [
                Discard(reason=DiscardReason(reason), where=place, start=start, end=end, detail=detail)
                for reason, place, start, end, detail in rows
            ]

    def all_discards(self) -> Iterator[Discard]:
        """The discards of all inputs, and the further names of each document, by place, reason, start and detail."""
        for reason, place, start, end, detail in self._rows(
            'SELECT * FROM (SELECT reason, place, "start", "end", detail FROM input_discard UNION ALL'
            f" SELECT '{DiscardReason.DUPLICATE_SOURCE}', name, NULL, NULL, 'the same text as ' || kept"
            f' FROM ({_DUPLICATES})) ORDER BY place, reason, coalesce("start", 0), detail'
        ):
            with self._valid():
                yield Discard(reason=DiscardReason(reason), where=place, start=start, end=end, detail=detail)

    def unlisted_discards(self) -> Iterator[tuple[str, DiscardReason, int]]:
        """Place of the last that is listed, reason and number of the discards that inputs count and do not list."""
        for place, reason, count in self._rows(
            "SELECT (SELECT place FROM input_discard d WHERE d.input = u.input AND d.reason = u.reason"
            " ORDER BY id DESC LIMIT 1) AS last, reason, count FROM unlisted_discard u ORDER BY last, reason, count"
        ):
            with self._valid():
                yield place, DiscardReason(reason), count

    @contextmanager
    def _valid(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, RecordError) as error:
            raise self._damaged(str(error)) from error

    def source_count(self, key: str) -> int:
        """How many sources an input gave."""
        count: int = self._one("SELECT count(*) FROM source WHERE input = (SELECT id FROM input WHERE key = ?)", key)
        return count

    def first_discard(self, key: str) -> Discard | None:
        """The first discard of an input, if it has any."""
        number = self._one("SELECT id FROM input WHERE key = ?", key)
        return next(iter(self._discards(number, 1)), None)

    def is_current(self, key: str, fingerprint: str) -> bool:
        """Whether an input with these contents was read whole, and the texts of all its documents are here."""
        return bool(
            self._one(
                "SELECT EXISTS (SELECT * FROM input WHERE key = ? AND fingerprint = ? AND complete"
                f" AND NOT EXISTS (SELECT * FROM source WHERE source.input = input.id AND {_NO_TEXT}))",
                key,
                fingerprint,
            )
        )

    def sources(self) -> Iterator[tuple[str, str]]:
        """Digest and name of every live document; one with several names comes several times."""
        return self._rows("SELECT DISTINCT digest, name FROM source JOIN subject ON subject.id = source.subject")

    def documents(self) -> pa.Table:
        """The live documents: `digest`, ascending, each once, and `name`, the smallest of its names."""
        rows = self._rows(
            "SELECT digest, min(name) FROM source JOIN subject ON subject.id = source.subject"
            " GROUP BY source.subject ORDER BY digest"
        )
        batches = []
        while block := list(islice(rows, _ROWS_A_BATCH)):
            columns = zip(*block, strict=True)
            try:
                batches.append(
                    pa.record_batch([pa.array(column, pa.string()) for column in columns], schema=_DOCUMENTS)
                )
            except (pa.ArrowException, TypeError, ValueError) as error:
                raise self._damaged(str(error)) from error
        return pa.Table.from_batches(batches, _DOCUMENTS)

    def _put_input(self, item: Input) -> None:
        """Put an input into the place of what it gave before.

        If `item` is incomplete and the contents are the same, what an earlier reading found behind its limit stays.
        One that continues is added to what is there.
        """
        known = next(self._rows("SELECT id, fingerprint, complete FROM input WHERE key = ?", item.key), None)
        complements = known is not None and known[1] == item.fingerprint and (item.continues or not item.complete)
        if known is not None and not complements:
            self._delete_input(known[0])
        if complements and known is not None:
            number = known[0]
            self._execute("UPDATE input SET complete = max(complete, ?) WHERE id = ?", item.complete, number)
        else:
            number = self._execute(
                "INSERT INTO input (key, fingerprint, complete) VALUES (?, ?, ?)",
                item.key,
                item.fingerprint,
                item.complete,
            ).lastrowid
        digests = sorted({digest for digest, _ in item.sources})
        self._executemany("INSERT OR IGNORE INTO subject (digest) VALUES (?)", ((digest,) for digest in digests))
        self._executemany(
            "INSERT OR IGNORE INTO source SELECT id, ?, ? FROM subject WHERE digest = ?",
            ((number, name, digest) for digest, name in item.sources),
        )
        present = set(self._discards(number))
        self._executemany(
            'INSERT INTO input_discard (input, reason, place, "start", "end", detail) VALUES (?, ?, ?, ?, ?, ?)',
            (
                (number, found.reason.value, found.where, found.start, found.end, found.detail)
                for found in item.discards
                if found not in present
            ),
        )
        self._executemany(
            "INSERT INTO unlisted_discard VALUES (?, ?, ?)"
            " ON CONFLICT (input, reason) DO UPDATE SET count = max(count, excluded.count)",
            ((number, reason.value, count) for reason, count in item.unlisted.items()),
        )

    def _delete_input(self, number: int) -> None:
        for table in ("source", "input_discard", "unlisted_discard"):
            self._execute(f"DELETE FROM {table} WHERE input = ?", number)
        self._execute("DELETE FROM input WHERE id = ?", number)

    def remove_input(self, key: str) -> None:
        """Remove an input with all that it gave."""
        with self.transaction():
            self._delete_input(self._one("SELECT id FROM input WHERE key = ?", key))

    def remove_source(self, digest: str) -> None:
        """Remove a document from every input.

        What is left of them counts as incomplete, so that the document comes back when they are read again; an input
        that is left with no document is removed.
        """
        with self.transaction():
            subject = self._one("SELECT id FROM subject WHERE digest = ?", digest)
            inputs = [
                number for (number,) in self._rows("SELECT DISTINCT input FROM source WHERE subject = ?", subject)
            ]
            self._execute("DELETE FROM source WHERE subject = ?", subject)
            for number in inputs:
                if self._one("SELECT EXISTS (SELECT * FROM source WHERE input = ?)", number):
                    self._execute("UPDATE input SET complete = 0 WHERE id = ?", number)
                else:
                    self._delete_input(number)

    def check(self, extractors: Sequence[str]) -> None:
        """Check that the texts of all live documents and their readings by `extractors` are here.

        Raises
        ------
        GraphDirectoryError
            If some were lost with a damaged file.
        """
        ids = self._extractor_ids(extractors)
        marks = ",".join("?" * len(ids))
        lost = [
            key
            for (key,) in self._rows(
                "SELECT key FROM input WHERE EXISTS (SELECT * FROM source WHERE source.input = input.id AND"
                f" ({_NO_TEXT} OR (SELECT count(*) FROM completion WHERE completion.subject = source.subject"
                f" AND completion.extractor IN ({marks})) < ?)) ORDER BY key",
                *ids.values(),
                len(ids),
            )
        ]
        if lost:
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            raise GraphDirectoryError(
                "a file of records was damaged or lost",
                where=str(self.folder),
                remedy=f"build again from {', '.join(lost[:3])}{more}, or take it out with `kgscripts remove`",
            )
