"""One run of a build: what it read, and how long it took."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from attrs import asdict, define, field

from schemas.graph_directory import write_durably


@define
class Run:
    """One build: what it read, and its time in seconds. The graph does not depend on it."""

    jobs: int
    inputs_read: int = 0
    inputs_known: int = 0
    inputs_unreadable: int = 0
    inputs_partly_read: int = 0
    sources_read: int = 0
    words_read: int = 0
    encodings: dict[str, int] = field(factory=dict)
    """The numbers of sources that were not UTF-8, by the encoding that they were read in."""
    failed_throughout: dict[str, int] = field(factory=dict)
    """The extractors that failed on texts and have read none of the graph, with the number of these texts."""
    spent: dict[str, dict[str, float]] = field(factory=dict)
    """What extractors have spent (`Extractor.spent`), by their names."""
    reading_seconds: float = 0.0
    seconds: float = 0.0
    started: str = field(factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    _start: float = field(factory=time.perf_counter, init=False)

    def add_spent(self, spent: Mapping[str, Mapping[str, float]]) -> None:
        """Add what extractors have spent."""
        for name, numbers in spent.items():
            self.spent[name] = added(self.spent.get(name, {}), numbers)

    def reading_ended(self) -> None:
        """Set the time of reading to the time until now."""
        self.reading_seconds = round(time.perf_counter() - self._start, 3)

    def ended(self) -> None:
        """Set the total time to the time until now."""
        self.seconds = round(time.perf_counter() - self._start, 3)

    @property
    def words_per_second(self) -> float:
        """Throughput of the whole build; 0 if nothing was read."""
        return round(self.words_read / self.seconds, 1) if self.seconds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The content of ``run.json`` without versions."""
        content = asdict(self, filter=lambda attribute, _: not attribute.name.startswith("_"))
        return content | {"words_per_second": self.words_per_second}

    def write(self, path: Path) -> None:
        """Write ``run.json``."""
        versions = {name: metadata.version(name) for name in ("kgscripts", "spacy", "pyarrow", "numpy")}
        content = self.to_dict() | {"versions": versions | {"python": platform.python_version()}}
        write_durably(path, f"{json.dumps(content, indent=1)}\n".encode())


def added(numbers: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Numbers by name, added up."""
    return {name: round(numbers.get(name, 0) + more.get(name, 0), 6) for name in {**numbers, **more}}
