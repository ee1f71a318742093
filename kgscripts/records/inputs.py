"""The inputs of a store (files and texts), with their documents and discards.

A file of them (`inputs.parquet`) is kept beside the index: shards do not hold them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import Factory, asdict, define

from kgscripts.records.database import INPUTS, Database
from kgscripts.records.extractors import ExtractorEntry, models_of
from schemas.graph_directory import durable, replace
from schemas.records import Discard, DiscardReason

_DUPLICATES = (
    "SELECT DISTINCT digest, kept, name FROM"
    " (SELECT subject, min(name) AS kept FROM source GROUP BY subject HAVING count(DISTINCT name) > 1)"
    " JOIN source USING (subject) JOIN subject ON subject.id = subject WHERE name > kept"
)
_DOCUMENTS = pa.schema([pa.field("digest", pa.string(), nullable=False), pa.field("name", pa.string(), nullable=False)])
_ROWS_A_BATCH = 65536
_SOURCES_A_PART = 100_000
MOST_DISCARDS = 1_000
"""At most this number of discards of an input are kept, and the first of each reason; the others are counted."""


@define
class Input:
    """The documents and discards of one file or text.

    `key` identifies the input (the resolved path of a file), `fingerprint` its contents and how they were parsed.
    `complete` is false if a limit ended the reading. `sources` are the digest and name of each document. `unlisted`
    counts, by reason, the discards that are not in `discards`. An input that `continues` is added to its earlier parts.
    """

    key: str
    fingerprint: str
    complete: bool = False
    sources: list[tuple[str, str]] = Factory(list)
    discards: list[Discard] = Factory(list)
    unlisted: dict[DiscardReason, int] = Factory(dict)
    continues: bool = False

    def add_discard(self, discard: Discard) -> None:
        """List a discard, or only count it if many are listed."""
        reason = discard.reason
        if len(self.discards) < MOST_DISCARDS:
            self.discards.append(discard)
        elif reason in self.unlisted or any(listed.reason is reason for listed in self.discards):
            self.unlisted[reason] = self.unlisted.get(reason, 0) + 1
        else:
            self.discards.append(discard)


class InputIndex:
    """The known inputs. A document is live if some input gives it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str) -> Input | None:
        """An input with its sources, ascending, and its discards; None if it is not known."""
        return next(self._found("WHERE key = ?", key), None)

    def all(self) -> Iterator[Input]:
        """All inputs by ascending key. An input with many sources is divided into parts; later parts continue the
        first."""
        return self._found("ORDER BY key", part=_SOURCES_A_PART)

    def _found(self, clause: str, *values: str, part: int | None = None) -> Iterator[Input]:
        for number, key, fingerprint, complete in self._database.rows(
            f"SELECT id, key, fingerprint, complete FROM input {clause}", *values
        ):
            sources = self._database.rows(
                "SELECT digest, name FROM source JOIN subject ON subject.id = source.subject WHERE input = ?"
                " ORDER BY digest, name",
                number,
            )
            unlisted = self._database.rows("SELECT reason, count FROM unlisted_discard WHERE input = ?", number)
            with self._database.decoding():
                counts = {DiscardReason(reason): count for reason, count in unlisted}
            first = list(islice(sources, part))
            yield Input(key, fingerprint, bool(complete), first, self._discards(number), counts)
            while part and (more := list(islice(sources, part))):
                yield Input(key, fingerprint, bool(complete), more, continues=True)

    def _discards(self, number: int, limit: int = -1) -> list[Discard]:
        rows = self._database.rows(
            'SELECT reason, place, "start", "end", detail FROM input_discard WHERE input = ? ORDER BY id LIMIT ?',
            number,
            limit,
        )
        with self._database.decoding():
            return [
                Discard(reason=DiscardReason(reason), where=place, start=start, end=end, detail=detail)
                for reason, place, start, end, detail in rows
            ]

    def discards(self) -> Iterator[Discard]:
        """The discards of all inputs, and the further names of each document, by place, reason, start and detail."""
        for reason, place, start, end, detail in self._database.rows(
            'SELECT * FROM (SELECT reason, place, "start", "end", detail FROM input_discard UNION ALL'
            f" SELECT '{DiscardReason.DUPLICATE_SOURCE}', name, NULL, NULL, 'the same text as ' || kept"
            f' FROM ({_DUPLICATES})) ORDER BY place, reason, coalesce("start", 0), detail'
        ):
            with self._database.decoding():
                yield Discard(reason=DiscardReason(reason), where=place, start=start, end=end, detail=detail)

    def unlisted_discards(self) -> Iterator[tuple[str, DiscardReason, int]]:
        """The discards that are counted but not listed: the place of the last listed one, reason and number."""
        for place, reason, count in self._database.rows(
            "SELECT (SELECT place FROM input_discard d WHERE d.input = u.input AND d.reason = u.reason"
            " ORDER BY id DESC LIMIT 1) AS last, reason, count FROM unlisted_discard u ORDER BY last, reason, count"
        ):
            with self._database.decoding():
                yield place, DiscardReason(reason), count

    def source_count(self, key: str) -> int:
        """How many sources an input gave."""
        count: int = self._database.one(
            "SELECT count(*) FROM source WHERE input = (SELECT id FROM input WHERE key = ?)", key
        )
        return count

    def first_discard(self, key: str) -> Discard | None:
        """The first discard of an input, if it has any."""
        number = self._database.one("SELECT id FROM input WHERE key = ?", key)
        return next(iter(self._discards(number, 1)), None)

    def is_current(self, key: str, fingerprint: str) -> bool:
        """Whether an input with these contents was read whole, and the texts of all its documents are here.

        One that was set aside since a package was missing is not: the package may be installed now.
        """
        return bool(
            self._database.one(
                "SELECT EXISTS (SELECT * FROM input WHERE key = ? AND fingerprint = ? AND complete"
                " AND NOT EXISTS (SELECT * FROM input_discard d WHERE d.input = input.id AND d.reason = ?)"
                " AND NOT EXISTS (SELECT * FROM source WHERE source.input = input.id AND NOT EXISTS"
                " (SELECT * FROM completion WHERE completion.subject = source.subject AND completion.extractor = 0)))",
                key,
                fingerprint,
                DiscardReason.NOT_INSTALLED,
            )
        )

    def sources(self) -> Iterator[tuple[str, str]]:
        """Digest and name of every live document, once for each of its names."""
        return self._database.rows(
            "SELECT DISTINCT digest, name FROM source JOIN subject ON subject.id = source.subject"
        )

    def documents(self) -> pa.Table:
        """The live documents: `digest`, ascending, each once, and `name`, the smallest of its names."""
        rows = self._database.rows(
            "SELECT digest, min(name) FROM source JOIN subject ON subject.id = source.subject"
            " GROUP BY source.subject ORDER BY digest"
        )
        batches = []
        while block := list(islice(rows, _ROWS_A_BATCH)):
            columns = zip(*block, strict=True)
            with self._database.decoding():
                arrays = [pa.array(column, pa.string()) for column in columns]
            batches.append(pa.record_batch(arrays, schema=_DOCUMENTS))
        return pa.Table.from_batches(batches, _DOCUMENTS)

    def put(self, item: Input) -> None:
        """Replace an input. If `item` is incomplete and its contents have not changed, documents that an earlier
        reading found behind the limit are kept. An input that continues is added to its earlier parts.
        """
        with self._database.transaction():
            self._put(item)

    def _put(self, item: Input) -> None:
        known = next(self._database.rows("SELECT id, fingerprint, complete FROM input WHERE key = ?", item.key), None)
        # The same content, read further: it is added to what is there. Anything else replaces it.
        complements = known is not None and known[1] == item.fingerprint and (item.continues or not item.complete)
        if known is not None and not complements:
            self._delete_input(known[0])
        if complements and known is not None:
            number = known[0]
            self._database.execute("UPDATE input SET complete = max(complete, ?) WHERE id = ?", item.complete, number)
        else:
            number = self._database.execute(
                "INSERT INTO input (key, fingerprint, complete) VALUES (?, ?, ?)",
                item.key,
                item.fingerprint,
                item.complete,
            ).lastrowid
        digests = sorted({digest for digest, _ in item.sources})
        self._database.execute_many(
            "INSERT OR IGNORE INTO subject (digest) VALUES (?)", ((digest,) for digest in digests)
        )
        self._database.execute_many(
            "INSERT OR IGNORE INTO source SELECT id, ?, ? FROM subject WHERE digest = ?",
            ((number, name, digest) for digest, name in item.sources),
        )
        # What was read before an interruption may come again.
        present = set(self._discards(number))
        self._database.execute_many(
            'INSERT INTO input_discard (input, reason, place, "start", "end", detail) VALUES (?, ?, ?, ?, ?, ?)',
            (
                (number, discard.reason.value, discard.where, discard.start, discard.end, discard.detail)
                for discard in item.discards
                if discard not in present
            ),
        )
        self._database.execute_many(
            "INSERT INTO unlisted_discard VALUES (?, ?, ?)"
            " ON CONFLICT (input, reason) DO UPDATE SET count = max(count, excluded.count)",
            ((number, reason.value, count) for reason, count in item.unlisted.items()),
        )

    def _delete_input(self, number: int) -> None:
        for table in ("source", "input_discard", "unlisted_discard"):
            self._database.execute(f"DELETE FROM {table} WHERE input = ?", number)
        self._database.execute("DELETE FROM input WHERE id = ?", number)

    def remove(self, key: str) -> None:
        """Remove an input with all its documents and discards."""
        with self._database.transaction():
            self._delete_input(self._database.one("SELECT id FROM input WHERE key = ?", key))

    def remove_source(self, digest: str) -> None:
        """Remove a document from every input.

        The inputs then count as incomplete, so that the document comes back when they are read again. An input without
        any other document is removed.
        """
        with self._database.transaction():
            subject = self._database.one("SELECT id FROM subject WHERE digest = ?", digest)
            inputs = [
                number
                for (number,) in self._database.rows("SELECT DISTINCT input FROM source WHERE subject = ?", subject)
            ]
            self._database.execute("DELETE FROM source WHERE subject = ?", subject)
            for number in inputs:
                if self._database.one("SELECT EXISTS (SELECT * FROM source WHERE input = ?)", number):
                    self._database.execute("UPDATE input SET complete = 0 WHERE id = ?", number)
                else:
                    self._delete_input(number)


_TEXT = pa.string()
_SCHEMA = pa.schema(
    {
        "key": _TEXT,
        "fingerprint": _TEXT,
        "complete": pa.bool_(),
        "continues": pa.bool_(),
        "sources": pa.list_(pa.struct({"digest": _TEXT, "name": _TEXT})),
        "discards": pa.list_(
            pa.struct({"reason": _TEXT, "where": _TEXT, "start": pa.int64(), "end": pa.int64(), "detail": _TEXT})
        ),
        "unlisted": pa.list_(pa.struct({"reason": _TEXT, "count": pa.int64()})),
    }
)
_EXTRACTORS = b"kgscripts.extractors"
"""The metadata that holds digest, name, role and models of each extractor as JSON, the last added last."""
_SOURCES_A_GROUP = 100_000


def write_inputs(folder: Path, extractors: Iterable[ExtractorEntry], inputs: Iterable[Input]) -> None:
    """Write the extractors, the last added last, and the inputs of a store into its `folder`.

    Raises
    ------
    GraphDirectoryError
        If the file cannot be written.
    """
    path = folder / INPUTS
    part = path.with_suffix(".part")
    entries = [asdict(entry) for entry in extractors]
    schema = _SCHEMA.with_metadata({_EXTRACTORS: json.dumps(entries, sort_keys=True)})
    with durable(part), pq.ParquetWriter(part, schema, compression="zstd", write_page_checksum=True) as file:
        for rows in _groups(inputs):
            file.write_table(pa.Table.from_pylist(rows, schema))
    replace(part, path)


def read_inputs(folder: Path) -> Iterator[ExtractorEntry | Input]:
    """The extractors, the last added last, and then the inputs of the file in `folder`.

    A file that is missing or damaged raises one of `shards.DAMAGED_FILE`, perhaps in the middle.
    """
    with pq.ParquetFile(folder / INPUTS, page_checksum_verification=True) as file:
        for entry in json.loads(file.schema_arrow.metadata[_EXTRACTORS]):
            yield ExtractorEntry(entry["digest"], entry["name"], entry["role"], models_of(entry["models"]))
        for group in range(file.num_row_groups):
            yield from map(_input, file.read_row_group(group).to_pylist())


def _groups(inputs: Iterable[Input]) -> Iterator[list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    sources = 0
    for item in inputs:
        rows.append(
            asdict(item, recurse=False)
            | {
                "sources": [{"digest": digest, "name": name} for digest, name in item.sources],
                "discards": [asdict(discard) for discard in item.discards],
                "unlisted": [{"reason": reason, "count": count} for reason, count in item.unlisted.items()],
            }
        )
        sources += len(item.sources) + 1
        if sources >= _SOURCES_A_GROUP:
            yield rows
            rows, sources = [], 0
    if rows:
        yield rows


def _input(row: dict[str, Any]) -> Input:
    sources = [(source["digest"], source["name"]) for source in row["sources"]]
    discards = [Discard(**discard | {"reason": DiscardReason(discard["reason"])}) for discard in row["discards"]]
    unlisted = {DiscardReason(item["reason"]): item["count"] for item in row["unlisted"]}
    return Input(**row | {"sources": sources, "discards": discards, "unlisted": unlisted})
