"""Decompositions, and tools by alignment, in the graph against the plain count of `decomposition_oracle`."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscripts.extractors.protocol import Extractor, ParsedDocument
from kgscripts.pipeline import build_graph
from kgscripts.records.opening import open_records
from schemas.records import (
    Action,
    ConcreteStep,
    Decomposition,
    Document,
    EventMention,
    Record,
    Segment,
    Tool,
    ToolRole,
)
from tests.assembly import oracle
from tests.assembly.built import Rows, graph_rows, labels
from tests.assembly.decomposition_oracle import Expected, Links, Place, decomposes_into, read_links, uses
from tests.assembly.oracle import ByExtractor, Step
from tests.assembly.test_counts import steps_of
from tests.assembly.tiny_reader import MANY_DOCUMENTS, OtherTinyExtractor, TinySegmenter, tiny

Plan = Sequence[tuple[int, Sequence[tuple[int, float, Sequence[Tool]]]]]
"""Abstract events by number, each with its steps: their number, log probability and tools."""


@frozen
class PlannedDecomposer(Extractor):
    """Decomposes the events of each text by a plan. Numbers go round; the one after the last is of no event."""

    name = "planned"
    rules = "1"
    task = "decomposition"
    requires = (EventMention,)
    gives = (Decomposition,)

    plan: Plan

    def read(self, documents: Sequence[ParsedDocument]) -> list[Sequence[Record]]:
        return [self._decompose(item.records_of(EventMention)) for item in documents]

    def _decompose(self, events: Sequence[EventMention]) -> list[Record]:
        if not events:
            return []
        # Extractors of events come in any order.
        events = sorted(events, key=lambda event: (event.start, event.action.key))
        events.append(evolve(events[-1], action=Action(predicate="vanish")))
        records: list[Record] = []
        for number, parts in self.plan:
            whole = events[number % len(events)]
            steps = [
                ConcreteStep(action=part.action, start=part.start, end=part.end, log_probability=odds, tools=tools)
                for number, odds, tools in parts
                for part in [events[number % len(events)]]
            ]
            records.append(Decomposition(action=whole.action, start=whole.start, end=whole.end, steps=steps))
        return records


@frozen
class OtherPlannedDecomposer(PlannedDecomposer):
    """A second one."""

    name = "other-planned"


_TOOLS = [Tool(lemma=lemma, role=role, start=0, end=1) for lemma in ("pot", "ladle") for role in sorted(ToolRole)]
_STEPS = st.tuples(
    st.integers(0, 7), st.sampled_from([0.0, -0.25, -2.0]), st.lists(st.sampled_from(_TOOLS), max_size=2)
)
_PLANS = st.lists(st.tuples(st.integers(0, 7), st.lists(_STEPS, min_size=1, max_size=4)), min_size=1, max_size=8)


@settings(max_examples=3)
@given(documents=MANY_DOCUMENTS, plans=st.tuples(_PLANS, _PLANS))
def test_every_decomposition_is_what_the_plain_count_says(documents: list[Document], plans: tuple[Plan, Plan]) -> None:
    extractors: list[Extractor] = [
        *tiny(),
        TinySegmenter(),
        OtherTinyExtractor(),
        PlannedDecomposer(plans[0]),
        OtherPlannedDecomposer(plans[1]),
    ]
    with tempfile.TemporaryDirectory() as folder:
        report = build_graph(output=folder, texts=documents, extractors=extractors)
        rows = graph_rows(Path(folder))
    links = check(rows, oracle.read_records(documents, extractors))
    assert report.discards.get("refers to no event", 0) == links.missing


def test_decompositions_of_real_pairs_are_what_the_plain_count_says(tmp_path: Path) -> None:
    pairs = Path("kgscripts/examples/texts/pairs.tsv")
    links = _check_pairs(pairs.read_text(encoding="utf-8").splitlines(), tmp_path, scenario=None)
    assert len(links.links) > 60


def test_decompositions_of_a_corpus_are_what_the_plain_count_says(shared_corpora: Path, tmp_path: Path) -> None:
    with (shared_corpora / "kidscook/valid.template.tsv").open(encoding="utf-8") as lines:
        links = _check_pairs([*islice(lines, 50)], tmp_path, scenario="cooking pasta")
    assert len(links.links) > 100


def _check_pairs(lines: Sequence[str], folder: Path, scenario: str | None) -> Links:
    file = folder / "pairs.tsv"
    file.write_text("\n".join(line.strip("\n") for line in lines) + "\n", encoding="utf-8")
    build_graph(
        file, folder / "graph", extractors=["events", "decompositions", "labels"], without=["steps"], scenario=scenario
    )
    return check(graph_rows(folder / "graph"), _stored(folder / "graph"))


def _stored(directory: Path) -> dict[str, ByExtractor]:
    """The records of each source by the names of the extractors."""
    found: dict[str, dict[str, list[Record]]] = defaultdict(dict)
    with open_records(directory, create=False) as store:
        sources = store.inputs.documents()["digest"].to_pylist()
        for version, extractor in store.extractors.all().items():
            for kind in (EventMention, Decomposition, Segment):
                for source, records in store.read(kind, sources, [version]).items():
                    found[source].setdefault(extractor.name, []).extend(records)
    return dict(found)


def check(rows: Rows, found: Mapping[str, ByExtractor]) -> Links:
    """Hold the relations of a graph against the plain count of the records that it was made of; return the links."""
    texts = oracle.texts_of(found)
    links = read_links(texts, found)
    readers = {name for by_extractor in found.values() for name in by_extractor}
    steps = steps_of(rows)
    tools = labels(rows, "Tool")

    assert _relation(rows, "DECOMPOSES_INTO", steps, steps, readers) == decomposes_into(links.links)
    assert _relation(rows, "USES", steps, tools, readers) == uses(texts, links.links)
    assert not any(row["predicted"] for row in rows["USES"])
    return links


_PROPERTIES = ("support", "probability", "pmi", "log_probability", "position", "role")


def _relation(
    rows: Rows, name: str, starts: Mapping[str, Step], ends: Mapping[str, Any], readers: Collection[str]
) -> dict[tuple[Step, Any], Expected]:
    """What the graph says of a relation, with evidence and the confidence of each extractor."""
    digests = {row["id"]: row["digest"] for row in rows["Source"]}
    passages = {row["id"]: (digests[row["source"]], row["start"], row["end"]) for row in rows["Passage"]}
    models = {row["id"]: row["name"] for row in rows["Model"]}
    evidence: dict[str, set[Place]] = defaultdict(set)
    read_by: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows["EVIDENCED_BY"]:
        evidence[row["from_id"]].add(passages[row["to_id"]])
    for row in rows["READ_BY"]:
        if models[row["to_id"]] in readers:
            read_by[row["from_id"]][models[row["to_id"]]] = row["score"]
    found = {
        (starts[row["from_id"]], ends[row["to_id"]]): Expected(
            evidence=frozenset(evidence[row["statement"]]),
            readers=read_by[row["statement"]],
            **{name: row.get(name) for name in _PROPERTIES},  # type: ignore[arg-type]
        )
        for row in rows[name]
    }
    assert len(found) == len(rows[name])
    return found
