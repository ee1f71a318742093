"""Readings: which extractor has read which subject (a document, or the input of an enricher), and in which shard.

Failures: the documents that an extractor could not read, with the reason.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from kgscripts.records.database import SOURCE, Database
from kgscripts.records.extractors import ExtractorIndex
from schemas.errors import GraphDirectoryError, RecordError
from schemas.records import DiscardReason


@frozen
class Failure:
    """A document (`subject`) that an extractor could not read, both by their digests; `detail` is the error."""

    subject: str
    extractor: str
    reason: DiscardReason
    detail: str


@frozen
class FailedDocument:
    """A failure with the name of the document (the smallest, if it has several) and of the extractor."""

    document: str
    name: str
    failure: Failure


@frozen
class FailureCount:
    """The number of live documents that an extractor (its name) could not read for one reason, and the first
    `detail`."""

    name: str
    reason: DiscardReason
    documents: int
    detail: str


class FailureIndex:
    """The failures of extractors. A failure ends when the same version has read the document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, failures: Iterable[Failure]) -> None:
        """Add failures of known extractors, instead of earlier ones; documents that were read meanwhile are left out.

        The file stays as it is if all of them are known.
        """
        self._database.execute_many(
            "INSERT INTO failure SELECT subject.id, extractor.id, ?, ? FROM subject, extractor"
            " WHERE subject.digest = ? AND extractor.digest = ? AND NOT EXISTS (SELECT * FROM completion"
            " WHERE completion.subject = subject.id AND completion.extractor = extractor.id)"
            " ON CONFLICT (subject, extractor) DO UPDATE SET reason = excluded.reason, detail = excluded.detail"
            " WHERE reason != excluded.reason OR detail != excluded.detail",
            ((item.reason.value, item.detail, item.subject, item.extractor) for item in failures),
        )

    def drop(self, readings: Iterable[tuple[str, str]]) -> None:
        """Forget the failures of what has been read, as (subject, extractor)."""
        if self._database.one("SELECT EXISTS (SELECT * FROM failure)"):
            self._database.execute_many(
                "DELETE FROM failure WHERE subject = (SELECT id FROM subject WHERE digest = ?)"
                " AND extractor = (SELECT id FROM extractor WHERE digest = ?)",
                readings,
            )

    def all(self, extractors: Collection[str]) -> Iterator[FailedDocument]:
        """The failures of these extractors on live documents, by the names of document and extractor."""
        for document, name, subject, extractor, reason, detail in self._database.rows(
            "SELECT min(source.name) AS document, extractor.name, subject.digest, extractor.digest, reason, detail"
            " FROM failure JOIN source USING (subject) JOIN subject ON subject.id = failure.subject"
            " JOIN extractor ON extractor.id = failure.extractor"
            " WHERE extractor.digest IN (SELECT value FROM json_each(?))"
            " GROUP BY failure.subject, failure.extractor ORDER BY document, extractor.name, subject.digest",
            json.dumps(list(extractors)),
        ):
            with self._database.decoding():
                yield FailedDocument(document, name, Failure(subject, extractor, DiscardReason(reason), detail))

    def counts(self, extractors: Collection[str]) -> list[FailureCount]:
        """The failures of these extractors on live documents, counted."""
        failures = sorted(self.all(extractors), key=lambda item: (item.name, item.failure.reason))
        counts = []
        for (name, reason), group in groupby(failures, key=lambda item: (item.name, item.failure.reason)):
            first, *others = group
            counts.append(FailureCount(name, reason, 1 + len(others), first.failure.detail))
        return counts


_READINGS = """
    (SELECT subject.digest AS subject, extractor.digest AS extractor, shard.name AS shard FROM completion
     JOIN subject ON subject.id = completion.subject JOIN extractor ON extractor.id = completion.extractor
     JOIN shard ON shard.id = completion.shard)
"""
"""The readings by the digests and names that the numbers of the index stand for."""


class ReadingIndex:
    """The readings (subject, extractor) in use. Each is in one shard, also a reading without any record."""

    def __init__(self, database: Database, extractors: ExtractorIndex) -> None:
        self._database = database
        self._extractors = extractors

    def has(self, subject: str, extractor: str) -> bool:
        """Whether this extractor has read this subject, whether or not it found anything."""
        query = f"SELECT EXISTS (SELECT * FROM {_READINGS} WHERE subject = ? AND extractor = ?)"
        return bool(self._database.one(query, subject, extractor))

    def subjects(self, extractor: str) -> list[str]:
        """The subjects that this extractor has read, ascending."""
        query = f"SELECT subject FROM {_READINGS} WHERE extractor = ? ORDER BY subject"
        return [subject for (subject,) in self._database.rows(query, extractor)]

    def of_subject(self, subject: str) -> Iterator[tuple[str, str]]:
        """Each extractor that has read this subject, as (shard, extractor)."""
        return self._database.rows(f"SELECT shard, extractor FROM {_READINGS} WHERE subject = ?", subject)

    def of_shard(self, shard: str) -> list[tuple[str, str]]:
        """The readings (subject, extractor) of a shard that are in use."""
        return list(self._database.rows(f"SELECT subject, extractor FROM {_READINGS} WHERE shard = ?", shard))

    def put(self, shard: str, readings: Sequence[tuple[str, str]]) -> None:
        """Add readings of a known shard; readings that are also in another shard are taken from this one.

        Raises
        ------
        RecordError
            If a reading is by an extractor that is not known.
        """
        numbers = self._extractors.numbers({extractor for _, extractor in readings})
        if unknown := sorted(digest for digest, number in numbers.items() if number is None):
            raise RecordError(
                f"a reading is by the extractor {unknown[0]}, which the store does not know",
                remedy="add the extractor to the store first",
            )
        self._database.execute_many(
            "INSERT OR IGNORE INTO subject (digest) VALUES (?)", ((subject,) for subject, _ in readings)
        )
        in_shard = self._database.one("SELECT id FROM shard WHERE name = ?", shard)
        self._database.execute_many(
            "INSERT INTO completion SELECT id, ?, ? FROM subject WHERE digest = ?"
            " ON CONFLICT (subject, extractor) DO UPDATE SET shard = excluded.shard",
            ((numbers[extractor], in_shard, subject) for subject, extractor in readings),
        )

    def drop(self, shard: str) -> None:
        """Forget the readings of a shard."""
        self._database.execute("DELETE FROM completion WHERE shard = (SELECT id FROM shard WHERE name = ?)", shard)

    def withdraw(self, readings: Iterable[tuple[str, str]]) -> None:
        """Forget readings (subject, extractor)."""
        self._database.execute_many(
            "DELETE FROM completion WHERE subject = (SELECT id FROM subject WHERE digest = ?)"
            " AND extractor = (SELECT id FROM extractor WHERE digest = ?)",
            readings,
        )

    def lacking(self, extractors: Sequence[str], rows: int = 256) -> Iterator[list[tuple[str, tuple[str, ...]]]]:
        """The documents that some of `extractors` have not read, each with these extractors, at most `rows` at a time.
        They are ordered by the shards that hold their texts. Documents that are committed meanwhile do not come again.
        """
        numbers = self._extractors.numbers(extractors)
        marks = ",".join("?" * len(numbers))
        subjects = array(
            "q",
            (
                subject
                for (subject,) in self._database.rows(
                    "SELECT text.subject FROM completion AS text JOIN subject ON subject.id = text.subject"
                    " WHERE text.extractor = 0 AND EXISTS (SELECT * FROM source WHERE source.subject = text.subject)"
                    f" AND (SELECT count(*) FROM completion AS done WHERE done.subject = text.subject"
                    f" AND done.extractor IN ({marks})) < ? ORDER BY text.shard, subject.digest",
                    *numbers.values(),
                    len(numbers),
                )
            ),
        )
        for start in range(0, len(subjects), rows):
            block = []
            for digest, read in self._database.rows(
                "SELECT digest, (SELECT json_group_array(extractor) FROM completion WHERE subject = subject.id)"
                " FROM json_each(?) AS wanted JOIN subject ON subject.id = wanted.value ORDER BY wanted.key",
                json.dumps(subjects[start : start + rows].tolist()),
            ):
                done = set(json.loads(read))
                if missing := tuple(extractor for extractor, number in numbers.items() if number not in done):
                    block.append((digest, missing))
            if block:
                yield block

    def check(self, extractors: Sequence[str]) -> None:
        """Check that the texts of all live documents are here, and that each of `extractors` has read them or failed.

        Raises
        ------
        GraphDirectoryError
            If some were lost with a damaged file.
        """
        numbers = self._extractors.numbers({SOURCE, *extractors})
        marks = ",".join("?" * len(numbers))
        lost = [
            key
            for (key,) in self._database.rows(
                "SELECT key FROM input WHERE EXISTS (SELECT * FROM source WHERE source.input = input.id AND"
                " (SELECT count(*) FROM (SELECT extractor FROM completion WHERE completion.subject = source.subject"
                " UNION SELECT extractor FROM failure WHERE failure.subject = source.subject)"
                f" WHERE extractor IN ({marks})) < ?) ORDER BY key",
                *numbers.values(),
                len(numbers),
            )
        ]
        if lost:
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            raise GraphDirectoryError(
                "a file of records was damaged or lost",
                where=str(self._database.folder),
                remedy=f"build again from {', '.join(lost[:3])}{more}, or take it out with `kgscripts remove`",
            )
