"""Killed at any moment, a store holds all that was committed, and goes on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kgscripts.records.shards import READING
from kgscripts.records.store import RecordStore
from schemas.records import Document, EventMention
from tests.records.samples import EVENTS, PHRASES, documents, found, keys_of, record_files
from tests.records.victim import DOCUMENTS_A_COMMIT

_ROOT = Path(__file__).parents[2]


def _killed_after(seconds: float, folder: Path, what: str) -> int:
    """How many commits a process is known to have made that was killed so long after its first sign of life."""
    command = [sys.executable, "-m", "tests.records.victim", str(folder), what]
    with subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if what == "write":
            while not record_files(folder):
                time.sleep(0.01)
        else:
            process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
    assert process.returncode == -signal.SIGKILL
    return int(rest[-1]) + 1 if rest else 0


@pytest.mark.parametrize("what", ["commit", "compact"])
def test_a_kill_loses_nothing_that_was_committed(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    chance = random.Random(what)
    for _ in range(3):
        commits = _killed_after(chance.uniform(0, 0.5), folder, what)
        with RecordStore(folder) as records:
            count = records.inputs.documents().num_rows
            assert count >= commits * DOCUMENTS_A_COMMIT
            items = documents(count)
            digests = [item.digest for item in items]
            assert records.read(Document, digests) == {item.digest: [item] for item in items}
            events = {item.digest: found(item)[::2] for item in items if found(item)}
            assert records.read(EventMention, digests) == events
            assert [key for key in keys_of(records) if not records.inputs.is_current(key, "fingerprint")] == []
            records.readings.check([EVENTS, PHRASES])
            assert {item.failure.subject: item.failure.detail for item in records.failures.all([PHRASES])} == {
                item.digest: item.name for item in items
            }
            assert list(records.validate()) == []
    with RecordStore(folder) as records:
        records.compact()
        assert record_files(folder) == sorted(
            path
            for kind in ("document", "event_mention", "aligned_phrase", READING)
            for path in records.shards.files(kind)
        )
        assert records.read(Document, digests) == {item.digest: [item] for item in items}


def test_what_was_written_and_not_committed_does_not_count(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    _killed_after(0.2, folder, "write")
    assert record_files(folder) != []
    with RecordStore(folder) as records:
        assert records.inputs.documents().num_rows == 0
        assert records.shards.files(Document) == []
        records.compact()
    assert record_files(folder) == []
    assert list(folder.glob("*/*")) == []
