"""Corrections that wait to be applied: people collect them, and one assembly applies all.

They are lines of a file in the graph directory, which has the form of a file of corrections. It is replaced as a whole,
under a lock, so that people who correct at the same time lose nothing. What is applied leaves the file afterwards: it
is applied again after an interruption, which changes nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attrs import frozen
from filelock import FileLock

from kgscripts.building.correction_file import correction_of, read_correction_file
from kgscripts.editing.correcting import Corrected, correct_graph
from kgscripts.editing.correction_words import GraphWords
from schemas.corrections import Correction
from schemas.errors import InputError
from schemas.graph_directory import PENDING
from schemas.output_files import write_lines
from schemas.script_graph import StoredGraph

MOST = 10_000
"""The most corrections that wait."""
Item = dict[str, Any]
"""A correction as plain values: its ``id``, its ``label`` in words, and the ``correction`` as a line of a file."""


@frozen
class PendingCorrections:
    """The corrections of a graph directory that are not applied yet."""

    directory: Path

    def waiting(self) -> list[Item]:
        """All of them, the first one first."""
        return [_item(_pending_id(each), each) for each in self._read()]

    def applied(self, graph: StoredGraph) -> list[Item]:
        """Those that are part of `graph`, the latest first."""
        rows = graph.rows("Correction", ("id", "content"))
        pairs = [(row["id"], Correction.from_json(row["content"])) for row in rows]
        return [_item(key, each) for key, each in sorted(pairs, key=lambda pair: pair[1].age, reverse=True)]

    def in_words(self, graph: StoredGraph, record: dict[str, Any]) -> Correction:
        """The correction that the fields of a line of a file mean in `graph`; without a time it is made now.

        Raises
        ------
        KGScriptsError
            If it is no correction, or its words are not in the graph or could mean several steps.
        """
        given = correction_of({"time": datetime.now(UTC).isoformat(), **record})
        known = [Correction.from_json(row["content"]) for row in graph.rows("Correction", ("content",))]
        return GraphWords(graph, [*known, *self._read()]).of_correction(given)

    def add(self, correction: Correction) -> Item:
        """Let a correction wait. Raises InputError if too many do."""

        def added(pending: list[Correction]) -> list[Correction]:
            if len(pending) >= MOST:
                raise InputError(f"{MOST:,} corrections wait already", remedy="apply them first")
            return pending if correction in pending else [*pending, correction]

        self._change(added)
        return _item(_pending_id(correction), correction)

    def remove(self, identifier: str) -> bool:
        """Take one back by its id; return whether it waited."""
        removed = False

        def without(pending: list[Correction]) -> list[Correction]:
            nonlocal removed
            left = [each for each in pending if _pending_id(each) != identifier]
            removed = len(left) < len(pending)
            return left

        self._change(without)
        return removed

    def apply(self) -> Corrected:
        """Apply all that wait now; those that come meanwhile wait on. Raises what `correct_graph` raises."""
        pending = self._read()
        if not pending:
            return Corrected((), ())
        done = correct_graph(self.directory, pending)
        self._change(lambda waiting: [each for each in waiting if each not in pending])
        return done

    def _read(self) -> list[Correction]:
        path = self.directory / PENDING
        return read_correction_file(path) if path.exists() else []

    def _change(self, change: Callable[[list[Correction]], Sequence[Correction]]) -> None:
        with self._lock():
            before = self._read()
            after = change(before)
            if list(after) != before:
                write_lines(self.directory / PENDING, (each.to_json() for each in after))

    def _lock(self) -> AbstractContextManager[object]:
        lock: AbstractContextManager[object] = FileLock(self.directory / f".{PENDING}.lock")
        return lock


def _pending_id(correction: Correction) -> str:
    return hashlib.sha256(correction.to_json().encode()).hexdigest()[:32]


def _item(identifier: str, correction: Correction) -> Item:
    return {"id": identifier, "label": correction.label, "correction": correction.to_dict()}
