"""What was left out: one line each in ``discarded.jsonl``, counted by reason."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable

from kgscripts.assembly.store import RecordStore
from schemas.records import Discard, DiscardReason


class DiscardLog:
    """Writes each discard as a line of JSON and counts it."""

    def __init__(self, write_line: Callable[[str], None]) -> None:
        self._write_line = write_line
        self.counts: Counter[str] = Counter()

    def add(self, discard: Discard) -> None:
        """Write and count one."""
        reason = discard.reason.value
        self.counts[reason] += 1
        content: dict[str, str | int] = {"reason": reason, "where": discard.where}
        if discard.start is not None and discard.end is not None:
            content |= {"start": discard.start, "end": discard.end}
        if discard.detail:
            content["detail"] = discard.detail
        self._write_line(json.dumps(content, ensure_ascii=False))


def log_inputs(store: RecordStore, log: DiscardLog) -> dict[str, str]:
    """Log what the inputs themselves left out, and texts that came more than once; the name of each source.

    A source that came under several names has the smallest.
    """
    found = [discard for item in store.inputs.values() for discard in item.discards]
    names: dict[str, list[str]] = defaultdict(list)
    for item in store.inputs.values():
        for digest, name in item.sources:
            names[digest].append(name)
    for given in names.values():
        given.sort()
        found += [
            Discard(reason=DiscardReason.DUPLICATE_SOURCE, where=other, detail=f"the same text as {given[0]}")
            for other in given[1:]
        ]
    for discard in sorted(found, key=lambda item: (item.where, item.reason, item.start or 0, item.detail)):
        log.add(discard)
    return {digest: given[0] for digest, given in names.items()}
