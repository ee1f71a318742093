"""Which extractors there are, and what each of them has read."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import asdict, frozen

from kgscripts.records.database import Database
from schemas.errors import RecordError
from schemas.provenance import BenchmarkScore, Model


@frozen
class ExtractorEntry:
    """An extractor that the store knows; `role` is ``source``, ``extractor`` or ``enricher``."""

    digest: str
    name: str
    role: str
    models: tuple[Model, ...]


class CompletionIndex(Database):
    """The part of the index about extractors and completions: a completion says that a subject was read."""

    def add_extractor(self, digest: str, name: str, role: str, models: Sequence[Model]) -> None:
        """Make an extractor known, as the current one of its name, with the scores of its models as they are now."""
        known = self.extractors()
        entries = known | {digest: ExtractorEntry(digest, name, role, tuple(models))}
        now = {(model.name, model.digest): model for model in models}
        with self.transaction():
            current = self._one(
                "SELECT digest FROM extractor WHERE name = ? AND role = ? ORDER BY version DESC", name, role
            )
            if current != digest:
                self._execute(
                    "INSERT INTO extractor (digest, name, role, models, version)"
                    " SELECT ?, ?, ?, '[]', 1 + max(version) FROM extractor WHERE true"
                    " ON CONFLICT (digest) DO UPDATE SET"
                    " version = excluded.version, name = excluded.name, role = excluded.role",
                    digest,
                    name,
                    role,
                )
            for entry in entries.values():
                updated = tuple(now.get((model.name, model.digest), model) for model in entry.models)
                if entry.digest not in known or updated != known[entry.digest].models:
                    self._execute("UPDATE extractor SET models = ? WHERE digest = ?", _to_json(updated), entry.digest)

    def extractors(self) -> dict[str, ExtractorEntry]:
        """The known extractors by their digests, the last added last; among them `SOURCE`."""
        rows = self._rows("SELECT digest, name, role, models FROM extractor ORDER BY version")
        return {digest: ExtractorEntry(digest, name, role, self._models(text)) for digest, name, role, text in rows}

    def _models(self, text: str) -> tuple[Model, ...]:
        try:
            return models_of(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, RecordError) as error:
            raise self._damaged(str(error)) from error

    def _extractor_ids(self, digests: Iterable[str]) -> dict[str, int | None]:
        return {digest: self._one("SELECT id FROM extractor WHERE digest = ?", digest) for digest in digests}

    def has(self, subject: str, extractor: str) -> bool:
        """Whether this extractor has read this subject, whether or not it found anything."""
        return bool(
            self._one(
                "SELECT EXISTS (SELECT * FROM completion WHERE subject = (SELECT id FROM subject WHERE digest = ?)"
                " AND extractor = (SELECT id FROM extractor WHERE digest = ?))",
                subject,
                extractor,
            )
        )

    def subjects(self, extractor: str) -> list[str]:
        """What this extractor has read, ascending."""
        rows = self._rows(
            "SELECT subject.digest FROM completion JOIN subject ON subject.id = completion.subject"
            " WHERE extractor = (SELECT id FROM extractor WHERE digest = ?) ORDER BY subject.digest",
            extractor,
        )
        return [digest for (digest,) in rows]

    def lacking(self, extractors: Sequence[str], rows: int = 256) -> Iterator[list[tuple[str, tuple[str, ...]]]]:
        """The documents that some of `extractors` have not read, each with these, at most `rows` at a time.

        They come in the order of the shards that hold their texts. What is committed meanwhile does not come again.
        """
        ids = self._extractor_ids(extractors)
        marks = ",".join("?" * len(ids))
        subjects = array(
            "q",
            (
                subject
                for (subject,) in self._rows(
                    "SELECT text.subject FROM completion AS text JOIN subject ON subject.id = text.subject"
                    " WHERE text.extractor = 0 AND EXISTS (SELECT * FROM source WHERE source.subject = text.subject)"
                    f" AND (SELECT count(*) FROM completion AS done WHERE done.subject = text.subject"
                    f" AND done.extractor IN ({marks})) < ? ORDER BY text.shard, subject.digest",
                    *ids.values(),
                    len(ids),
                )
            ),
        )
        for start in range(0, len(subjects), rows):
            block = []
            for digest, read in self._rows(
                "SELECT digest, (SELECT json_group_array(extractor) FROM completion WHERE subject = subject.id)"
                " FROM json_each(?) AS wanted JOIN subject ON subject.id = wanted.value ORDER BY wanted.key",
                json.dumps(subjects[start : start + rows].tolist()),
            ):
                done = set(json.loads(read))
                if missing := tuple(extractor for extractor, number in ids.items() if number not in done):
                    block.append((digest, missing))
            if block:
                yield block


def models_of(rows: Iterable[dict[str, Any]]) -> tuple[Model, ...]:
    """The models that `attrs.asdict` made `rows` of."""
    return tuple(Model(**row | {"scores": BenchmarkScore.from_rows(row["scores"])}) for row in rows)


def _to_json(models: Iterable[Model]) -> str:
    return json.dumps([asdict(model) for model in models], sort_keys=True)
