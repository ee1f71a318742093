"""Evaluation of the order of steps on held-out event sequence descriptions of DeScript (Wanzare et al. 2016).

A fifth of the descriptions of each scenario is held out; a graph is built from the others like in `build-graph`. Every
two steps of a held-out description are a gold pair, in the order of the description. A step is looked up in the graph
by its first extracted event (predicate, particle and object; all parts of the action if it has no object). A pair is
covered by PRECEDES if one of its two sub-events reaches the other along PRECEDES relations of the scenario, and by mean
position if both are in the graph and their mean positions differ.

Two steps that are the same sub-event, steps without an event, and events that are not in the graph are not covered.
"""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import networkx as nx
from attrs import define, frozen

from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scenarios import scenario_of
from kgscripts.evaluation.counting import percent
from kgscripts.extractors.events import EventExtractor
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.pipeline import build_graph
from kgscripts.reading import parse_documents
from schemas.errors import InputError
from schemas.provenance import BenchmarkScore, Exposure
from schemas.records import Action, Document, EventMention, Passage, Record
from schemas.script_graph import ScriptGraph

DATASET = "DeScript"
_SPLIT = "a fifth held out"
_EXPOSURE = Exposure.DEVELOPMENT
"""The repairs for telegraphic steps were checked against held-out descriptions (docs/evaluation.md)."""


@frozen
class ScenarioOrder:
    """One scenario in a graph: its steps by action, their order and their mean positions."""

    step_of: Mapping[tuple[str, ...], str]
    order: nx.DiGraph
    mean_position: Mapping[str, float]

    def precedes(self, first: str, second: str) -> bool | None:
        """Whether `first` comes before `second` along PRECEDES; None if the graph does not order them."""
        if self._reaches(first, second):
            return True
        return False if self._reaches(second, first) else None

    def _reaches(self, first: str, second: str) -> bool:
        return first in self.order and second in self.order and nx.has_path(self.order, first, second)


@define
class _Counts:
    gold: int = 0
    covered: int = 0
    right: int = 0

    def add(self, verdict: bool | None) -> None:
        self.gold += 1
        self.covered += verdict is not None
        self.right += verdict is True


def read_descriptions(directory: Path) -> list[Document]:
    """Read the event sequence descriptions in a folder of DeScript files.

    Raises
    ------
    InputError
        if it contains none.
    """
    documents = [
        document
        for file in find_files([directory])
        for document in read_file(file)
        if isinstance(document, Document) and document.format == "descript"
    ]
    if not documents:
        raise InputError("no DeScript file in it", where=str(directory), remedy="pass the folder `esds` of DeScript")
    return documents


def hold_out(documents: Iterable[Document], seed: int) -> tuple[list[Document], list[Document]]:
    """Split documents into those to build from and a random fifth of each scenario's documents, fixed by the seed."""
    by_scenario: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        by_scenario[scenario_of(document)].append(document)
    kept: list[Document] = []
    held: list[Document] = []
    for scenario in sorted(by_scenario):
        group = sorted(by_scenario[scenario], key=lambda document: document.digest)
        random.Random(f"{seed} {scenario}").shuffle(group)
        fifth = len(group) // 5
        held += group[:fifth]
        kept += group[fifth:]
    return kept, held


def order_scores(
    documents: Iterable[Document], *, pipeline: str | None = None, seed: int = 0, jobs: int = 1
) -> list[BenchmarkScore]:
    """Accuracy on the pairs that the graph orders, and coverage: the share of pairs that it orders."""
    kept, held = hold_out(documents, seed)
    with tempfile.TemporaryDirectory() as directory:
        build_graph(
            output=directory, texts=kept, spacy_model=pipeline, jobs=jobs, extractors=["labels", "sentences", "events"]
        )
        orders = scenario_orders(ScriptGraph.open(directory))
    parsed = [
        ParsedDocument(document, tuple(parses))
        for document, parses in zip(held, parse_documents(held, pipeline), strict=True)
    ]
    return score_order(orders, zip(held, EventExtractor().read(parsed), strict=True))


def score_order(
    orders: Mapping[str, ScenarioOrder], held: Iterable[tuple[Document, Sequence[Record]]]
) -> list[BenchmarkScore]:
    """The same for an existing graph, and held-out descriptions with what `EventExtractor` found in them."""
    paths, positions = _Counts(), _Counts()
    for document, records in held:
        order = orders.get(scenario_of(document))
        events = [record for record in records if isinstance(record, EventMention)]
        for first, second in combinations(_steps(document, events, order), 2):
            paths.add(order.precedes(first, second) if order and first and second and first != second else None)
            positions.add(_earlier(order, first, second) if order else None)
    return [
        percent(DATASET, _SPLIT, f"{name} {metric}", 100 * part / whole if whole else 0.0, exposure=_EXPOSURE)
        for name, counts in (("order by PRECEDES", paths), ("order by mean position", positions))
        for metric, part, whole in (
            ("accuracy", counts.right, counts.covered),
            ("coverage", counts.covered, counts.gold),
        )
    ]


def _earlier(order: ScenarioOrder, first: str | None, second: str | None) -> bool | None:
    if first is None or second is None:
        return None
    difference = order.mean_position[second] - order.mean_position[first]
    return difference > 0 if difference else None


def _steps(document: Document, events: Sequence[EventMention], order: ScenarioOrder | None) -> Iterator[str | None]:
    """The graph's sub-event for each step of a description."""
    for passage in document.passages:
        event = next((event for event in events if _inside(event, passage)), None)
        yield order.step_of.get(_key(event.action)) if order and event else None


def _inside(event: EventMention, passage: Passage) -> bool:
    return passage.start <= event.start < passage.end


def _key(action: Action) -> tuple[str, ...]:
    return action.key[:3] if action.object else action.key


def scenario_orders(graph: ScriptGraph) -> dict[str, ScenarioOrder]:
    """The scenarios of a graph by label."""
    labels = {row["id"]: row["label"] for row in graph.rows("Scenario")}
    actions = {row["id"]: _action(row) for row in graph.rows("Action")}
    scenario_of_step = {row["id"]: labels[row["scenario"]] for row in graph.rows("SubEvent") if row["scenario"]}
    found = {label: ScenarioOrder({}, nx.DiGraph(), {}) for label in labels.values()}
    step_of: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    positions: dict[str, dict[str, float]] = defaultdict(dict)
    for row in graph.rows("EXPRESSED_AS"):
        if row["from_id"] in scenario_of_step:
            step_of[scenario_of_step[row["from_id"]]][_key(actions[row["to_id"]])] = row["from_id"]
    for row in graph.rows("HAS_SUB_EVENT"):
        positions[labels[row["from_id"]]][row["to_id"]] = row["mean_position"]
    for row in graph.rows("PRECEDES"):
        found[scenario_of_step[row["from_id"]]].order.add_edge(row["from_id"], row["to_id"])
    return {label: ScenarioOrder(step_of[label], order.order, positions[label]) for label, order in found.items()}


def _action(row: Mapping[str, str | None]) -> Action:
    names = ("predicate", "particle", "object", "preposition", "prepositional_object")
    return Action(**{name: row[name] or "" for name in names})
