"""Makes the report of a build from its graph."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
from attrs import fields

from kgscripts.building.report import MOST_NAMED, BuildReport, GuessedScenario, ModelSummary, ScenarioSummary
from kgscripts.building.run import Run
from kgscripts.records.readings import FailureCount
from schemas.graph_types import NODE_TYPES, RELATION_TYPES
from schemas.provenance import BenchmarkScore, Exposure, Unit
from schemas.records import Discard, PassageKind
from schemas.script_graph import StoredGraph

_TOP_SCENARIOS = 5
_OVERALL = re.compile(r"F1|LAS|accuracy")


def report(
    graph: StoredGraph, run: Run, failures: Sequence[FailureCount], discards: Iterable[Discard] = ()
) -> BuildReport:
    """Describe `graph` as `run` left it, with the `failures` of its extractors and the `discards` of its inputs."""
    rows = graph.manifest.rows
    mentions, unread = _mentions(graph)
    guessed = _unsure(graph)
    return BuildReport(
        directory=graph.directory,
        build_id=graph.build_id,
        sources=graph.manifest.sources,
        sources_without_scenario=graph.manifest.sources - _sources_with_scenario(graph),
        sources_guessed=len(guessed),
        guessed=_guessed(graph, guessed),
        nodes={name: rows(name) for name in NODE_TYPES if rows(name)},
        relations={name: rows(name) for name in RELATION_TYPES if rows(name)},
        scenarios=_scenarios(graph),
        discards=dict(sorted(graph.manifest.discards.items(), key=lambda item: -item[1])),
        mentions=mentions,
        sources_without_event=unread,
        input_discards=tuple(
            f"{item.where}: {item.reason}{f', {item.detail}' if item.detail else ''}"
            for item in islice(discards, MOST_NAMED)
        ),
        models=_models(graph),
        failures=tuple(failures),
        run=run,
    )


def _scenarios(graph: StoredGraph) -> tuple[ScenarioSummary, ...]:
    steps: Counter[str] = Counter()
    usual: Counter[str] = Counter()
    for batch in graph.batches("HAS_SUB_EVENT"):
        for counts, scenarios in ((steps, batch["from_id"]), (usual, batch["from_id"].filter(batch["usual"]))):
            for counted in scenarios.value_counts().to_pylist():
                counts[counted["values"]] += counted["counts"]
    rows = graph.select("Scenario", ["id", "label", "support"]).to_pylist()
    rows = sorted(rows, key=lambda row: (-row["support"], row["label"]))[:_TOP_SCENARIOS]
    return tuple(ScenarioSummary(row["label"], row["support"], steps[row["id"]], usual[row["id"]]) for row in rows)


def _mentions(graph: StoredGraph) -> tuple[int, tuple[str, ...]]:
    """The number of events that were read, and the names of the sources without any, at most `MOST_NAMED`."""
    count, with_mentions = 0, set()
    for batch in graph.batches("Passage"):
        sources = batch["source"].filter(pc.equal(batch["kind"], PassageKind.MENTION))
        count += len(sources)
        with_mentions.update(sources.unique().to_pylist())
    if len(with_mentions) == graph.manifest.sources:
        return count, ()
    unread = sorted(row["name"] for row in graph.rows("Source", ("id", "name")) if row["id"] not in with_mentions)
    return count, tuple(unread[:MOST_NAMED])


def _sources_with_scenario(graph: StoredGraph) -> int:
    """The number of sources with an ABOUT relation; the relations of one source are consecutive."""
    total, last = 0, None
    for batch in graph.batches("ABOUT"):
        ids = batch["from_id"].filter(pc.starts_with(batch["from_id"], "source/")).unique().to_pylist()
        total += len(ids) - (ids[:1] == [last])
        last = ids[-1] if ids else last
    return total


def _unsure(graph: StoredGraph) -> dict[str, float]:
    """The confidence of the surest scenario of each source that no label and no title gives one, by its id."""
    surest: dict[str, float] = {}
    for batch in graph.batches("ABOUT"):
        own = batch.filter(pc.starts_with(batch["from_id"], "source/"))
        for source, sure in zip(own["from_id"].to_pylist(), own["confidence"].to_pylist(), strict=True):
            surest[source] = max(surest.get(source, 0.0), sure)
    return {source: sure for source, sure in surest.items() if sure < 1}


def _guessed(graph: StoredGraph, unsure: Mapping[str, float]) -> tuple[GuessedScenario, ...]:
    """The least sure of these sources, each with the scenario of most of its text."""
    chosen = set(sorted(unsure, key=lambda source: (unsure[source], source))[:MOST_NAMED])
    if not chosen:
        return ()
    lengths: dict[str, tuple[str, int]] = {}
    for batch in graph.batches("Passage"):
        # A segment that has the span of a paragraph is that paragraph.
        is_other = pc.not_equal(batch["kind"], PassageKind.MENTION)
        own = batch.filter(pc.and_(is_other, pc.is_in(batch["source"], pa.array(sorted(chosen)))))
        for row in own.select(["id", "source", "start", "end"]).to_pylist():
            lengths[row["id"]] = row["source"], row["end"] - row["start"]
    characters: Counter[tuple[str, str]] = Counter()
    for batch in graph.batches("ABOUT"):
        own = batch.filter(pc.is_in(batch["from_id"], pa.array([*lengths, *chosen], pa.string())))
        for about, scenario in zip(own["from_id"].to_pylist(), own["to_id"].to_pylist(), strict=True):
            source, length = lengths.get(about, (about, 0))
            characters[source, scenario] += length
    most: dict[str, str] = {}
    for (source, scenario), _ in sorted(characters.items(), key=lambda item: (-item[1], item[0])):
        most.setdefault(source, scenario)
    labels = {row["id"]: row["label"] for row in graph.rows("Scenario", ("id", "label"))}
    sources = {row["id"]: row for row in graph.rows("Source", ("id", "name", "characters")) if row["id"] in most}
    return tuple(
        # A segment over the whole text has no passage.
        GuessedScenario(
            row["name"], labels[most[source]], round((characters[source, most[source]] / row["characters"]) or 1, 2)
        )
        for source, row in sorted(sources.items(), key=lambda item: (unsure[item[0]], item[1]["name"]))
    )


def _models(graph: StoredGraph) -> tuple[ModelSummary, ...]:
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
    by_name: dict[str, list[str]] = {}
    for score in sorted(
        scores, key=lambda item: (item.dataset, item.split, not _OVERALL.search(item.metric), item.metric)
    ):
        value = f"{100 * score.value:.1f} %" if score.unit is Unit.SHARE else f"{score.value:g} {score.unit}"
        text = f"{score.metric} {value}"
        is_development = score.exposure == Exposure.DEVELOPMENT
        name = f"{score.dataset}, {score.split}" + (" (development)" if is_development else "")
        by_name.setdefault(name, []).append(text)
    return {name: tuple(texts) for name, texts in by_name.items()}
