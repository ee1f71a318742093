"""The report of a build and its graph."""

from __future__ import annotations

import json
import platform
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from attrs import asdict, define, field, fields, frozen

from kgscripts.records.failures import FailureCount
from schemas.graph_directory import replace, writing
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.provenance import BenchmarkScore, Exposure, Unit
from schemas.script_graph import ScriptGraph

_TOP_SCENARIOS = 5
MANY = 100
"""If an extractor fails on more sources than this and reads none, the fault is in the extractor."""

_OVERALL = re.compile(r"F1|LAS|accuracy")


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
    failed_throughout: dict[str, int] = field(factory=dict)
    """The extractors that read none of more than `MANY` sources that they were given, with the number of these."""
    reading_seconds: float = 0.0
    seconds: float = 0.0
    started: str = field(factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    _start: float = field(factory=time.perf_counter, init=False)

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
        part = path.with_suffix(".part")
        with writing(part):
            part.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
            replace(part, path)


@frozen
class ScenarioSummary:
    """A scenario with the numbers of its sources, its steps and its usual steps."""

    label: str
    sources: int
    steps: int
    usual_steps: int


@frozen
class ModelSummary:
    """A model; `scores` by dataset and split, each "metric value unit", overall metrics first."""

    name: str
    version: str
    scores: dict[str, tuple[str, ...]]


@frozen(repr=False)
class BuildReport:
    """The report. Counts are of the whole graph; `run` describes this build. As text it is what the command prints."""

    directory: Path
    build_id: str
    sources: int
    sources_without_scenario: int
    nodes: dict[str, int]
    relations: dict[str, int]
    scenarios: tuple[ScenarioSummary, ...]
    discards: dict[str, int]
    models: tuple[ModelSummary, ...]
    failures: tuple[FailureCount, ...]
    run: Run

    def __repr__(self) -> str:
        names = {"Source": "sources", "Scenario": "scenarios", "SubEvent": "steps", "Tool": "tools"}
        made = ", ".join(f"{noun} {self.nodes.get(name, 0):,}" for name, noun in names.items())
        return f"BuildReport({str(self.directory)!r}: {made})"

    def __str__(self) -> str:
        # Importing rich takes a tenth of a second.
        from kgscripts.building.report_text import report_text

        return report_text(self)

    def _repr_html_(self) -> str:
        from kgscripts.building.report_text import report_html

        return report_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        content = asdict(self, filter=lambda attribute, _: attribute.name != "run")
        return content | {"directory": str(self.directory), "run": self.run.to_dict()}


def report(graph: ScriptGraph, run: Run, failures: Sequence[FailureCount]) -> BuildReport:
    """Describe `graph` as `run` left it, with the `failures` of its extractors."""
    rows = graph.manifest.rows
    return BuildReport(
        directory=graph.directory,
        build_id=graph.build_id,
        sources=graph.manifest.sources,
        sources_without_scenario=graph.manifest.sources - _sources_with_scenario(graph),
        nodes={name: rows(name) for name in NODE_TYPES if rows(name)},
        relations={name: rows(name) for name in RELATION_TYPES if rows(name)},
        scenarios=_scenarios(graph),
        discards=dict(sorted(graph.manifest.discards.items(), key=lambda item: -item[1])),
        models=_models(graph),
        failures=tuple(failures),
        run=run,
    )


def _scenarios(graph: ScriptGraph) -> tuple[ScenarioSummary, ...]:
    steps: Counter[str] = Counter()
    usual: Counter[str] = Counter()
    for batch in graph.batches("HAS_SUB_EVENT"):
        for counts, scenarios in ((steps, batch["from_id"]), (usual, batch["from_id"].filter(batch["usual"]))):
            for counted in scenarios.value_counts().to_pylist():
                counts[counted["values"]] += counted["counts"]
    rows = graph.select("Scenario", ["id", "label", "support"]).to_pylist()
    rows = sorted(rows, key=lambda row: (-row["support"], row["label"]))[:_TOP_SCENARIOS]
    return tuple(ScenarioSummary(row["label"], row["support"], steps[row["id"]], usual[row["id"]]) for row in rows)


def _sources_with_scenario(graph: ScriptGraph) -> int:
    """The number of sources with an ABOUT relation; the relations of one source are consecutive."""
    found, last = 0, None
    for batch in graph.batches("ABOUT"):
        ids = batch["from_id"].filter(pc.starts_with(batch["from_id"], "source/")).unique().to_pylist()
        found += len(ids) - (ids[:1] == [last])
        last = ids[-1] if ids else last
    return found


def _models(graph: ScriptGraph) -> tuple[ModelSummary, ...]:
    names = [attribute.name for attribute in fields(BenchmarkScore)]
    # A graph of an older version may have scores in percent.
    scores = {
        row["id"]: BenchmarkScore.from_rows([{name: row[name] for name in names}])
        for row in graph.rows("BenchmarkScore")
    }
    owned: dict[str, list[BenchmarkScore]] = {}
    for row in graph.rows("SCORED"):
        owned.setdefault(row["from_id"], []).extend(scores[row["to_id"]])
    return tuple(
        ModelSummary(row["name"], row["version"], by_dataset(owned.get(row["id"], []))) for row in graph.rows("Model")
    )


def by_dataset(scores: Iterable[BenchmarkScore]) -> dict[str, tuple[str, ...]]:
    """The scores of each dataset and split as "metric value unit", overall ones first; development data is marked."""
    found: dict[str, list[str]] = {}
    for score in sorted(
        scores, key=lambda item: (item.dataset, item.split, not _OVERALL.search(item.metric), item.metric)
    ):
        value = f"{100 * score.value:.1f} %" if score.unit is Unit.SHARE else f"{score.value:g} {score.unit}"
        text = f"{score.metric} {value}"
        is_development = score.exposure == Exposure.DEVELOPMENT
        name = f"{score.dataset}, {score.split}" + (" (development)" if is_development else "")
        found.setdefault(name, []).append(text)
    return {name: tuple(texts) for name, texts in found.items()}
