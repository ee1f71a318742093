"""Which extractors a record store knows, and the scores of their models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from attrs import asdict, frozen

from kgscripts.records.database import Database
from schemas.provenance import BenchmarkScore, Model


@frozen
class ExtractorEntry:
    """An extractor that the store knows; `role` is ``source``, ``extractor`` or ``enricher``."""

    digest: str
    name: str
    role: str
    models: tuple[Model, ...]


class ExtractorIndex:
    """The known extractors. Of several with one name and role the last added is current."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, digest: str, name: str, role: str, models: Sequence[Model]) -> None:
        """Add an extractor as the current one of its name, with the present scores of its models."""
        known = self.all()
        entries = known | {digest: ExtractorEntry(digest, name, role, tuple(models))}
        now = {(model.name, model.digest): model for model in models}
        with self._database.transaction():
            current = self._database.one(
                "SELECT digest FROM extractor WHERE name = ? AND role = ? ORDER BY version DESC", name, role
            )
            if current != digest:
                self._database.execute(
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
                    written = json.dumps([asdict(model) for model in updated], sort_keys=True)
                    self._database.execute("UPDATE extractor SET models = ? WHERE digest = ?", written, entry.digest)

    def all(self) -> dict[str, ExtractorEntry]:
        """The known extractors by their digests, the last added last; among them `SOURCE`."""
        rows = self._database.rows("SELECT digest, name, role, models FROM extractor ORDER BY version")
        with self._database.decoding():
            return {
                digest: ExtractorEntry(digest, name, role, _from_json(models)) for digest, name, role, models in rows
            }

    def numbers(self, digests: Iterable[str]) -> dict[str, int | None]:
        """The number of each extractor in the tables of the index; None for one that is not known."""
        return {digest: self._database.one("SELECT id FROM extractor WHERE digest = ?", digest) for digest in digests}


def models_of(rows: Iterable[dict[str, Any]]) -> tuple[Model, ...]:
    """The models that `attrs.asdict` made `rows` of."""
    return tuple(Model(**row | {"scores": BenchmarkScore.from_rows(row["scores"])}) for row in rows)


@lru_cache(maxsize=64)
def _from_json(models: str) -> tuple[Model, ...]:
    """The models of an extractor, which are asked for many times in a build."""
    return models_of(json.loads(models))
