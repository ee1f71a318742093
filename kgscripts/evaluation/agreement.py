"""What two extractors agree on: of what either has read in the texts that both have read, the share that both have."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import define, field

from kgscripts.assembly.again import versions_of
from kgscripts.assembly.engine import Engine, Rule
from kgscripts.assembly.step import AssemblyPlan, Step, made_by
from kgscripts.assembly.tables import changes, corrections, records, titles
from kgscripts.assembly.tables.agreement import LABEL, changes_of, tools_of
from kgscripts.evaluation.result import Evaluation, Example, Figure, System, counts, shares
from kgscripts.records.corrections import read_corrections
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from schemas.records import EventMention, Need, Record, Segment, StateChange
from schemas.script_graph import StoredGraph

MENTIONS = "mentions"
SCENARIOS = "scenarios"
OVERLAPPING = "mentions, if spans overlap"
_KINDS: tuple[type[Record], ...] = (EventMention, StateChange, Segment, Need)
_EXAMPLES = 100
"""The most mentions of a pair that are given as examples of what one of them has read alone."""

_ITEMS: Mapping[str, str] = {
    MENTIONS: 'SELECT document, reader, row(start, "end", action) AS item FROM event_mention_as_read '
    "WHERE in_partition(document)",
    "tools": f'SELECT document, reader, row(start, "end", action, lemma) AS item '
    f"FROM ({tools_of('event_mention_as_read')})",
    "state changes": 'SELECT document, reader, row(start, "end", action, entity, attribute, before, after) AS item '
    f"FROM ({changes_of('state_change_as_read')})",
    SCENARIOS: "SELECT document, reader, row(scenario_key(scenario)) AS item FROM segment_as_read "
    "WHERE in_partition(document)",
    "needs": "SELECT document, reader, row(thing(lemma), role IS NULL) AS item FROM need_as_read "
    "WHERE in_partition(document)",
}
"""SQL: rows with equal items are the same to assembly. Scenarios and needs are those of a text, wherever they stand."""

_PAIRS = """
    SELECT o.document, o.reader AS one, t.reader AS other
    FROM (FROM completed WHERE in_partition(document)) o
         JOIN completed t ON t.document = o.document AND t.reader > o.reader
"""
_READ = """
    SELECT p.one, p.other, list_contains(i.readers, p.one) AS by_one, list_contains(i.readers, p.other) AS by_other,
           i.document, i.item
    FROM pair_of_readers p
         JOIN (SELECT document, item, list(DISTINCT reader) AS readers FROM ({items}) GROUP BY document, item) i
         ON i.document = p.document
"""
# Who detects scenarios leaves out texts that a label names one of: this is no disagreement.
_ONLY_IF_BOTH = """
    QUALIFY bool_or(by_one) OVER (PARTITION BY p.one, p.other, i.document)
            AND bool_or(by_other) OVER (PARTITION BY p.one, p.other, i.document)
"""
_LOOSELY = """
    SELECT o.reader AS one, t.reader AS other,
           least(count(DISTINCT row(o.document, o.start, o."end", o.action)),
                 count(DISTINCT row(t.document, t.start, t."end", t.action))) AS both
    FROM (FROM event_mention_as_read WHERE in_partition(document)) o
         JOIN (FROM event_mention_as_read WHERE in_partition(document)) t
         ON t.document = o.document AND t.action = o.action AND t.reader > o.reader
            AND o.start < t."end" AND t.start < o."end"
    GROUP BY o.reader, t.reader
"""
_ORDER = 'document, start, "end", label'
_ALONE = f"""
    SELECT m.*, d.name, substr(t.text, m.start + 1, m."end" - m.start) AS words
    FROM (SELECT one, other, by_one, document, start, "end", {LABEL} AS label
          FROM (SELECT one, other, by_one, document, item[1] AS start, item[2] AS "end", item[3] AS action
                FROM ({_READ.format(items=_ITEMS[MENTIONS])}) WHERE by_one <> by_other)
          QUALIFY row_number() OVER (PARTITION BY one, other ORDER BY {_ORDER}) <= {_EXAMPLES}) m
         JOIN document d USING (document) JOIN (FROM text WHERE in_partition(document)) t USING (document)
"""
_FIRST = f"""
    FROM read_alone QUALIFY row_number() OVER (PARTITION BY one, other ORDER BY {_ORDER}) <= {_EXAMPLES}
    ORDER BY one, other, {_ORDER}
"""


def _counted(part: str, items: str) -> str:
    read = _READ.format(items=items) + (_ONLY_IF_BOTH if part == SCENARIOS else "")
    return f"""
        SELECT one, other, count(*) FILTER (WHERE by_one AND by_other) AS both,
               count(*) FILTER (WHERE by_one) AS by_one, count(*) FILTER (WHERE by_other) AS by_other
        FROM ({read}) GROUP BY one, other
    """


_READERS = " UNION ".join(
    f"SELECT reader FROM {table}_as_read" for table in ("event_mention", "state_change", "segment", "need")
)
_TABLES = {part: f"read_{number}" for number, part in enumerate([*_ITEMS, OVERLAPPING])}
_RULES = (
    Rule("pair_of_readers", "document", _PAIRS, temporary=True),
    *(Rule(_TABLES[part], "document", _counted(part, items)) for part, items in _ITEMS.items()),
    Rule(_TABLES[OVERLAPPING], "document", _LOOSELY),
    Rule("pair_of_text", "document", "SELECT one, other, count(*) AS texts FROM pair_of_readers GROUP BY one, other"),
    Rule("read_alone", "document", _ALONE),
)


@define
class _Found:
    """What is counted, by part and pair of readers, and examples of mentions that one of a pair has read alone."""

    counts: dict[str, dict[tuple[int, int], Counter[str]]] = field(factory=dict)
    texts: Counter[tuple[int, int]] = field(factory=Counter)
    alone: list[dict[str, Any]] = field(factory=list)

    def take(self, tables: Engine) -> None:
        """Take the results of all partitions."""
        for part, table in _TABLES.items():
            rows = tables.table(f"FROM {table}").to_pylist()
            own = self.counts.setdefault(part, defaultdict(Counter))
            for row in rows:
                own[row.pop("one"), row.pop("other")].update(row)
        for row in tables.table("FROM pair_of_text").to_pylist():
            self.texts[row["one"], row["other"]] += row["texts"]
        self.alone = tables.table(_FIRST).to_pylist()


def evaluate_agreement(directory: Path) -> Evaluation:
    """Compare every two extractors of a graph that have read the same kind of things in the same texts.

    A system of the result is a pair. Its parts are mentions, tools, state changes, scenarios and needs, each with the
    share *agreement* and the numbers of what both, either, the first and the second of them have read; *texts* is the
    number of texts that both have read. Names of things are those after corrections.

    Raises
    ------
    GraphDirectoryError
        If it is no graph directory, in use or damaged.
    """
    found = _Found()
    with open_records(directory, create=False) as store, tempfile.TemporaryDirectory() as folder:
        graph = StoredGraph.open(directory)
        versions = sorted(versions_of(store, graph.manifest))
        known = store.extractors.all()
        names = [known[version].name for version in versions]
        size = sum(path.stat().st_size for path in store.folder.glob("*/*.parquet"))
        with Engine(Path(folder, "next", "scratch"), memory=None, partitions=1, min_support=1, records=size) as engine:
            records.load_records(engine, store, versions, _KINDS)
            engine.add("completed_subject", _completed(store, versions))
            titles.add_functions(engine)
            corrections.add_functions(engine, [item for item in read_corrections(store) if not item.withdrawn])
            AssemblyPlan(_steps(found), given=[*records.given(_KINDS), "completed_subject"]).run(engine)
    systems = [
        System(name=f"{names[one]}, {names[other]}", figures=figures)
        for one, other in combinations(sorted(range(len(names)), key=names.__getitem__), 2)
        if (figures := _figures(found, one, other))
    ]
    compared = {system.name for system in systems if MENTIONS in system.parts}
    name = graph.directory.name or "graph"
    return Evaluation(
        task="agreement",
        dataset=name,
        split=f"build {graph.build_id[:12]}",
        items={"texts": graph.manifest.sources},
        systems=systems,
        notes=[_EXPLAINED if systems else _NOTHING],
        examples=[example for row in found.alone if (example := _example(row, names)).system in compared],
    )


_EXPLAINED = (
    "agreement: what both have read, of what either has read, in texts that both have read. first, second: what "
    "each of them has read."
)
_NOTHING = "No two extractors have read the same kind of things: build with another one, such as --also llm."


def _completed(store: RecordStore, versions: list[str]) -> pa.Table:
    """Which reader has read which document, also without finding anything."""
    subjects = [store.readings.subjects(version) for version in versions]
    readers = [number for number, own in enumerate(subjects) for _ in own]
    return pa.table(
        {
            "subject": pa.array([subject for own in subjects for subject in own], pa.string()),
            "reader": pa.array(readers, pa.int16()),
        }
    )


def _steps(found: _Found) -> list[Step]:
    completed = f"""
        SELECT d.document, c.reader FROM completed_subject c JOIN document d ON d.digest = c.subject
        WHERE c.reader IN ({_READERS})
    """
    results = [rule.table for rule in _RULES if not rule.temporary]
    return [
        *records.steps(_KINDS),
        changes.ALIASES,
        made_by(Rule("completed", "", completed)),
        made_by(*_RULES, name="compare"),
        Step("count", (), results, found.take),
    ]


def _figures(found: _Found, one: int, other: int) -> list[Figure]:
    """The figures of two readers; none if no kind of things was read by both."""
    pair = (min(one, other), max(one, other))
    figures: list[Figure] = []
    for part in (MENTIONS, OVERLAPPING, *list(_ITEMS)[1:]):
        whole = found.counts[MENTIONS if part == OVERLAPPING else part].get(pair, Counter())
        if not (whole["by_one"] and whole["by_other"]):
            continue
        both = found.counts[part].get(pair, Counter())["both"]
        either = whole["by_one"] + whole["by_other"] - both
        first, second = (whole["by_one"], whole["by_other"])[:: 1 if pair == (one, other) else -1]
        numbers = {"both": both, "either": either, "first": first, "second": second}
        figures += [*shares({"agreement": both / either}, part), *counts(numbers, part)]
    return [*counts({"texts": found.texts[pair]}), *figures] if figures else []


def _example(row: Mapping[str, Any], names: list[str]) -> Example:
    one, other = names[row["one"]], names[row["other"]]
    reader = one if row["by_one"] else other
    pair = ", ".join(sorted((one, other)))
    where = f"{row['label']}, only by {reader}, in {row['name']}"
    return Example(system=pair, where=where, text=row["words"], gold=(), found=())
