"""Evaluation of the order of steps on held-out event sequence descriptions of DeScript (Wanzare et al. 2016).

A fifth of the descriptions of each scenario is held out; a graph is built from the others like in `build-graph`. Every
two steps of a held-out description are a gold pair, in the order of the description. A step is looked up in the graph
by its first extracted event (predicate, particle and object; all parts of the action if it has no object). A pair is
covered by PRECEDES if one of its two steps reaches the other along PRECEDES relations of the scenario, and by mean
position if both are in the graph and their mean positions differ. *Similar steps*: an action that is not in the graph
counts as the most similar one of its scenario, by the vectors of both. *Or rank*: where PRECEDES leaves a pair open,
the ranks decide if they are far enough apart.

Two steps that are the same step of the graph, steps without an event, and events that are not in the graph are not
covered."""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.evaluation.counting import example, of_extractor
from kgscripts.evaluation.result import Evaluation, Example
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.pipeline import build_graph
from schemas.errors import InputError
from schemas.provenance import Exposure
from schemas.records import Action, Document, EventMention, Passage, Record
from schemas.script_graph import StoredGraph

RANKS_APART = 0.1
"""Ranks decide which of two steps comes first if they are this share of the scenario's steps apart."""

LEAST_SIMILAR = 0.6
"""The least cosine of two actions at which one may replace the other."""

_PARTS = ("predicate", "particle", "object", "preposition", "prepositional_object")


@frozen
class ScenarioOrder:
    """One scenario in a graph: its steps by action and by label, their order, mean positions and ranks."""

    step_of: dict[tuple[str, ...], str] = field(factory=dict)
    order: nx.DiGraph = field(factory=nx.DiGraph)
    mean_position: dict[str, float] = field(factory=dict)
    rank: dict[str, int] = field(factory=dict)
    step_of_label: dict[str, str] = field(factory=dict)
    """The step of each action, by the words of the action."""

    def step(self, action: Action) -> str | None:
        """The step with this action; where there is none, with an action that has the same `key_of`."""
        return self.step_of_label.get(action.label) or self.step_of.get(key_of(action))

    def precedes(self, first: str, second: str) -> bool | None:
        """Whether `first` comes before `second` along PRECEDES; None if the graph does not order them."""
        if self._reaches(first, second):
            return True
        return False if self._reaches(second, first) else None

    def earlier(self, first: str, second: str) -> bool | None:
        """Whether the mean position of `first` is before that of `second`; None if they are the same."""
        difference = self.mean_position[second] - self.mean_position[first]
        return difference > 0 if difference else None

    def comes_first(self, first: str, second: str) -> bool | None:
        """The same; where PRECEDES leaves it open, by the ranks, if these are far enough apart (`RANKS_APART`)."""
        answer = self.precedes(first, second)
        if answer is not None or first not in self.rank or second not in self.rank:
            return answer
        apart = self.rank[second] - self.rank[first]
        return apart > 0 if abs(apart) >= RANKS_APART * len(self.rank) else None

    def _reaches(self, first: str, second: str) -> bool:
        return first in self.order and second in self.order and nx.has_path(self.order, first, second)


def key_of(action: Action) -> tuple[str, ...]:
    """What actions of the same step share: predicate, particle and object, or all without an object."""
    return action.key[:3] if action.object else action.key


def scenario_orders(graph: StoredGraph) -> dict[str, ScenarioOrder]:
    """The scenarios of a graph by label."""
    labels = {row["id"]: row["label"] for row in graph.select("Scenario", ["id", "label"]).to_pylist()}
    actions = {row["id"]: _action(row) for row in graph.select("Action", ["id", *_PARTS]).to_pylist()}
    steps = graph.select("SubEvent", ["id", "scenario"]).to_pylist()
    scenario_of_step = {row["id"]: labels[row["scenario"]] for row in steps if row["scenario"]}
    orders = {label: ScenarioOrder() for label in labels.values()}
    # If several steps have actions with the same key, the step with the best supported action.
    wordings = graph.select("EXPRESSED_AS", ["from_id", "to_id", "support"]).to_pylist()
    for row in sorted(wordings, key=lambda row: (row["support"], row["from_id"])):
        if row["from_id"] in scenario_of_step:
            of_scenario, action = orders[scenario_of_step[row["from_id"]]], actions[row["to_id"]]
            of_scenario.step_of[key_of(action)] = of_scenario.step_of_label[action.label] = row["from_id"]
    for row in graph.rows("HAS_SUB_EVENT"):
        of_scenario = orders[labels[row["from_id"]]]
        of_scenario.mean_position[row["to_id"]], of_scenario.rank[row["to_id"]] = row["mean_position"], row["rank"]
    for row in graph.rows("PRECEDES"):
        orders[scenario_of_step[row["from_id"]]].order.add_edge(row["from_id"], row["to_id"], required=row["required"])
    return orders


def _action(row: Mapping[str, str | None]) -> Action:
    return Action(**{name: row[name] or "" for name in _PARTS})


def similar_steps(
    orders: Mapping[str, ScenarioOrder],
    held: Iterable[tuple[Document, Sequence[EventMention]]],
    vectors: Callable[[Sequence[str]], NDArray[np.int8]] = quantised_vectors,
) -> dict[tuple[str, str], str]:
    """For each scenario and label of an action in held-out descriptions, the graph's step with the most similar action.

    There is none where the cosine is below `LEAST_SIMILAR`.
    """
    asked: dict[str, set[str]] = defaultdict(set)
    for document, events in held:
        asked[scenario_of(document)].update(event.action.label for event in events)
    nearest: dict[tuple[str, str], str] = {}
    for scenario, order in orders.items():
        known, unknown = sorted(order.step_of_label), sorted(asked[scenario])
        if not known or not unknown:
            continue
        rows = vectors([*known, *unknown]).astype(np.int32)
        lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        units = rows / np.maximum(lengths, 1)
        cosines = units[len(known) :] @ units[: len(known)].T
        for label, row in zip(unknown, cosines, strict=True):
            if row.max() >= LEAST_SIMILAR:
                nearest[scenario, label] = order.step_of_label[known[int(row.argmax())]]
    return nearest


DATASET = "DeScript"
_SPLIT = "a fifth held out"
_EXPOSURE = Exposure.DEVELOPMENT
"""The repairs for telegraphic steps were checked against held-out descriptions (docs/measurements/evaluation.md)."""


_Ask = Callable[[ScenarioOrder, str, str], bool | None]
"""Whether the first of two steps comes first; None if this is open."""


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
) -> Evaluation:
    """Accuracy on the pairs that the graph orders, and coverage: the share of pairs that it orders."""
    kept, held = hold_out(documents, seed)
    with tempfile.TemporaryDirectory() as directory:
        build_graph(
            output=directory,
            texts=kept,
            spacy_model=pipeline,
            jobs=jobs,
            extractors=["labels", "sentences", "events", "steps"],
        )
        orders = scenario_orders(StoredGraph.open(directory))
    parsed = [
        ParsedDocument(document, tuple(parses))
        for document, parses in zip(held, parse_documents(held, pipeline), strict=True)
    ]
    readings = [
        (document, _events(records)) for document, records in zip(held, EventExtractor().read(parsed), strict=True)
    ]
    return score_order(orders, readings, similar_steps(orders, readings))


def _events(records: Iterable[Record]) -> list[EventMention]:
    return [record for record in records if isinstance(record, EventMention)]


def score_order(
    orders: Mapping[str, ScenarioOrder],
    held: Iterable[tuple[Document, Sequence[EventMention]]],
    similar: Mapping[tuple[str, str], str] | None = None,
) -> Evaluation:
    """The same for an existing graph, held-out descriptions with their events, and what `similar_steps` gives."""
    asked: dict[str, tuple[bool, _Ask]] = {
        "order by PRECEDES": (False, ScenarioOrder.precedes),
        "order by mean position": (False, ScenarioOrder.earlier),
    }
    if similar:
        asked["order by PRECEDES, similar steps"] = (True, ScenarioOrder.precedes)
        asked["order by PRECEDES or rank, similar steps"] = (True, ScenarioOrder.comes_first)
    counts = {name: _Counts() for name in asked}
    examples: list[Example] = []
    for document, events in held:
        scenario = scenario_of(document)
        order = orders.get(scenario)
        labelled = list(_steps(document, events, order))
        exact = [step for step, _ in labelled]
        near = [step or (similar or {}).get((scenario, label)) for step, label in labelled]
        for name, (is_near, ask) in asked.items():
            for first, second in combinations(near if is_near else exact, 2):
                counts[name].add(_answer(order, first, second, ask))
        steps = sorted(set(filter(None, exact)), key=lambda step: order.rank.get(step, 0) if order else 0)
        examples.append(_example(document, scenario, order, steps))
    values = {
        f"{name} {metric}": part / whole if whole else 0.0
        for name, count in counts.items()
        for metric, part, whole in (("accuracy", count.right, count.covered), ("coverage", count.covered, count.gold))
    }
    size = {"descriptions": len(examples), "pairs of steps": counts["order by PRECEDES"].gold}
    return of_extractor(DATASET, _SPLIT, values, exposure=_EXPOSURE, items=size, examples=examples)


def _example(document: Document, scenario: str, order: ScenarioOrder | None, steps: Sequence[str]) -> Example:
    """A held-out description, and its steps that the graph has, in the order of the graph."""
    labels = {step: label for label, step in order.step_of_label.items()} if order else {}
    gold = [document.text[passage.start : passage.end] for passage in document.passages]
    return example(scenario, gold, [labels.get(step, step) for step in steps], where=document.name)


def _answer(order: ScenarioOrder | None, first: str | None, second: str | None, ask: _Ask) -> bool | None:
    return ask(order, first, second) if order and first and second and first != second else None


def _steps(
    document: Document, events: Sequence[EventMention], order: ScenarioOrder | None
) -> Iterator[tuple[str | None, str]]:
    """The graph's step for each step of a description, and the label of its action ("" without an event)."""
    for passage in document.passages:
        event = next((event for event in events if _inside(event, passage)), None)
        if event is None:
            yield None, ""
        else:
            yield order.step(event.action) if order else None, event.action.label


def _inside(event: EventMention, passage: Passage) -> bool:
    return passage.start <= event.start < passage.end
