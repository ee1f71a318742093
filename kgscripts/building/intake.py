"""The first part of a build: inputs -> documents in the record store, each with its input."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from attrs import define, evolve, field

from kgscripts.building.inputs import BuildInput
from kgscripts.building.jobs import CHARACTERS_A_SHARD
from kgscripts.building.run import Run
from kgscripts.records.database import SOURCE
from kgscripts.records.inputs import Input
from kgscripts.records.shards import Reading, write_shard
from kgscripts.records.store import RecordStore
from schemas.errors import InputError
from schemas.records import Discard, DiscardReason, Document

_LOG = logging.getLogger(__name__)

_BAD_RECORDS = frozenset(
    {
        DiscardReason.MALFORMED,
        DiscardReason.UNREADABLE,
        DiscardReason.NOT_INSTALLED,
        DiscardReason.UNDECODABLE,
        DiscardReason.DUPLICATE_ID,
        DiscardReason.EMPTY,
        DiscardReason.TOO_LONG,
        DiscardReason.MARKUP,
        DiscardReason.CODE,
        DiscardReason.LOG,
        DiscardReason.TABLE,
        DiscardReason.OTHER_LANGUAGE,
    }
)
"""The discards that are errors with `strict`: those that are faults of the input."""

_INPUTS_A_COMMIT = 1_000
_SOURCES_A_COMMIT = 100_000
_FAULTS_NAMED = 3


@define
class Intake:
    """Adds inputs to a record store."""

    store: RecordStore
    run: Run
    _documents: list[Document] = field(factory=list, init=False)
    """Documents that are not in the store yet."""
    _waiting: set[str] = field(factory=set, init=False)
    _characters: int = field(default=0, init=False)
    _inputs: list[Input] = field(factory=list, init=False)

    def take_in(self, inputs: Iterable[BuildInput], *, strict: bool, limit: int | None) -> None:
        """Store the documents of every input that is new or has changed, each with its input.

        Raises
        ------
        InputError
            If no input could be read, or with `strict` at the first bad record; what came before is kept.
        """
        self.run.inputs_read = self.run.inputs_known = self.run.inputs_unreadable = self.run.inputs_partly_read = 0
        self.run.encodings = {}
        faults: list[Discard] = []
        try:
            self._take_in(inputs, strict, limit, faults)
        finally:
            self._flush()
        if faults and self.run.inputs_unreadable == self.run.inputs_read + self.run.inputs_known:
            raise _nothing_read(faults, self.run.inputs_unreadable)

    def _take_in(self, inputs: Iterable[BuildInput], strict: bool, limit: int | None, faults: list[Discard]) -> None:
        count = 0
        for given in inputs:
            if limit is not None and count >= limit:
                return
            fingerprint = given.fingerprint()
            if self.store.inputs.is_current(given.key, fingerprint):
                first = self.store.inputs.first_discard(given.key)
                sources = self.store.inputs.source_count(given.key)
                count += sources
                self.run.inputs_known += 1
                self._note(sources, first, faults)
                known = self.store.inputs.get(given.key) if strict else None
                for discard in known.discards if known else ():
                    _refuse_bad(discard)
                continue
            before = count
            taken = Input(given.key, fingerprint, complete=True)
            for item in given.items():
                if isinstance(item, Discard):
                    taken.add_discard(item)
                    if strict:
                        _refuse_bad(item)
                elif count == limit:
                    taken.complete = False
                    break
                else:
                    count += 1
                    if item.encoding:
                        self.run.encodings[item.encoding] = self.run.encodings.get(item.encoding, 0) + 1
                    taken.sources.append((item.digest, item.name))
                    self._add(item)
                    # A large input is committed in parts, so that memory holds one of them; only the last can complete
                    # it.
                    if len(taken.sources) >= _SOURCES_A_COMMIT:
                        self._inputs.append(evolve(taken, complete=False, discards=[], unlisted={}))
                        self._flush()
                        taken.sources.clear()
                        taken.continues = True
            self.run.inputs_read += 1
            _log_discards(taken)
            if taken.complete or count > before:
                self._note(count - before, next(iter(taken.discards), None), faults)
            self._inputs.append(taken)
            if len(self._inputs) >= _INPUTS_A_COMMIT:
                self._flush()

    def _note(self, sources: int, fault: Discard | None, faults: list[Discard]) -> None:
        """Count an input that could not be read, or only in part."""
        if fault is None:
            return
        if sources:
            self.run.inputs_partly_read += 1
        else:
            self.run.inputs_unreadable += 1
            if len(faults) < _FAULTS_NAMED:
                faults.append(fault)

    def _add(self, document: Document) -> None:
        if document.digest in self._waiting or self.store.readings.has(document.digest, SOURCE):
            return
        self._documents.append(document)
        self._waiting.add(document.digest)
        self._characters += len(document.text)
        if self._characters >= CHARACTERS_A_SHARD:
            self._flush()

    def _flush(self) -> None:
        """Commit the documents and the inputs that are complete."""
        shards = []
        if self._documents:
            readings = [Reading(document.digest, SOURCE, [document]) for document in self._documents]
            shards.append(write_shard(self.store.folder, readings))
        if shards or self._inputs:
            self.store.commit(shards, self._inputs)
        self._documents, self._inputs, self._waiting, self._characters = [], [], set(), 0


def _log_discards(taken: Input) -> None:
    for item in taken.discards:
        _LOG.info("set aside: %s: %s (%s)", item.where, item.reason.value, item.detail)
    for reason, number in taken.unlisted.items():
        _LOG.info("set aside: %s: %d more: %s", taken.key, number, reason.value)


def _nothing_read(faults: Sequence[Discard], inputs: int) -> InputError:
    named = "\n  ".join(f"{fault.where[-200:]}: {fault.reason.value} ({fault.detail})" for fault in faults)
    more = f"\n  and {inputs - len(faults):,} more" if inputs > len(faults) else ""
    return InputError(
        f"nothing could be read\n  {named}{more}",
        remedy="name files of text, Markdown, JSON lines or another format of `kgscripts build-graph --help`",
    )


def _refuse_bad(discard: Discard) -> None:
    if discard.reason in _BAD_RECORDS:
        raise InputError(
            f"{discard.reason.value}: {discard.detail}" if discard.detail else discard.reason.value,
            where=discard.where,
            remedy="mend it, or leave --strict away to set it aside",
        )
