"""Failures: the documents that an extractor could not read, with the reason."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

from attrs import frozen

from kgscripts.records.database import Database
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
        found = sorted(self.all(extractors), key=lambda item: (item.name, item.failure.reason))
        counts = []
        for (name, reason), group in groupby(found, key=lambda item: (item.name, item.failure.reason)):
            first, *others = group
            counts.append(FailureCount(name, reason, 1 + len(others), first.failure.detail))
        return counts
