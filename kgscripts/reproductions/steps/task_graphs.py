"""Evaluation of the order of steps on task graphs of recipes (CaptainCook4D, Peddi et al. 2024).

A graph is built of what people did, each recording as a source whose steps are sentences, and the task graph of the
recipe says which step must precede which. The step of the graph for a sentence is that of its mention; if it has
several, of the one that begins with the verb that the annotators gave, else of the first. If recordings disagree, it is
the step of most. Each two steps of a task graph are a pair: *ordered* if a path of the task graph joins them, else
*free*. The answer is the path of PRECEDES between their steps:

- *in order*, *the other way round* and *left open* are shares of the ordered pairs;
- *free, left open* is the share of the free pairs that no path joins.

A pair of which the graph lacks a step, or has both as one step, counts against it: an ordered one is left open, and a
free one is not. With the setting *pairs found* these are left out.

*Required PRECEDES* answers by the paths of required orders alone. *Told* is what the recordings say, without any
estimate: an edge joins two steps in the order in which more recordings have them, if the lower end of Wilson's 95 %
interval of their share is at least a bound. The answer is the path of these edges; if there is one in both directions,
the pair is open.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import networkx as nx
from attrs import define, frozen

from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.evaluation.counting import EXTRACTOR
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System
from kgscripts.pipeline import build_graph
from kgscripts.reproductions.corpora.captain_cook import Activity, CookingStep, read_activities
from kgscripts.reproductions.steps.order import scenario_orders
from kgscripts.wilson import lower_bound
from schemas.errors import InputError
from schemas.provenance import Direction, Exposure
from schemas.records import Document, Passage
from schemas.script_graph import StoredGraph

DATASET = "CaptainCook4D"
OURS = "PRECEDES"
REQUIRED = "required PRECEDES"
TOLD = "told"
BOUNDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
FOUND = "pairs found"

Ask = Callable[[str, str], bool | None]
"""Whether the first step of the graph precedes the second (True), or the second the first; None if it is open."""


@define
class _Counts:
    """Numbers of pairs."""

    ordered: int = 0
    in_order: int = 0
    reversed: int = 0
    free: int = 0
    left_open: int = 0

    def add(self, is_ordered: bool, answer: bool | None, is_known: bool) -> None:
        """Add a pair, an ordered one in the order of the task graph. Of pairs that are not known there is no answer."""
        if is_ordered:
            self.ordered += 1
            self.in_order += answer is True
            self.reversed += answer is False
        else:
            self.free += 1
            self.left_open += is_known and answer is None

    def figures(self, part: str = "") -> Iterator[Figure]:
        """The shares that the module describes."""
        rest = self.ordered - self.in_order - self.reversed
        for metric, count, of, direction in (
            ("in order", self.in_order, self.ordered, Direction.HIGHER),
            ("the other way round", self.reversed, self.ordered, Direction.LOWER),
            ("left open", rest, self.ordered, Direction.LOWER),
            ("free, left open", self.left_open, self.free, Direction.HIGHER),
        ):
            yield Figure(metric=metric, value=count / of if of else 0.0, direction=direction, part=part)


@frozen
class _Mention:
    start: int
    text: str
    steps: frozenset[str]


_Mentions = Mapping[str, Sequence[_Mention]]
"""The mentions of events in text order, by the name of their source."""


def evaluate_order(directory: Path, *, pipeline: str | None = None, jobs: int = 1) -> Evaluation:
    """Build a graph of all recordings and evaluate its order; the figures of an activity are parts.

    Raises
    ------
    InputError
        As `read_activities` does.
    """
    activities = read_activities(directory)
    documents = [document for activity in activities for document in activity.documents()]
    with tempfile.TemporaryDirectory() as folder:
        build_graph(output=folder, texts=documents, spacy_model=pipeline, jobs=jobs, without=["state-changes"])
        return score_order(StoredGraph.open(folder), activities)


def score_order(graph: StoredGraph, activities: Sequence[Activity]) -> Evaluation:
    """The same for a graph that has the documents of these activities as its sources.

    Raises
    ------
    InputError
        If it lacks all recordings of an activity.
    """
    mentions, orders = _mentions_of(graph), scenario_orders(graph)
    labels = graph.labels("SubEvent")
    counts: dict[str, dict[str, _Counts]] = defaultdict(lambda: defaultdict(_Counts))
    examples: list[Example] = []
    items: Counter[str] = Counter()
    for activity in activities:
        documents = activity.documents()
        step_of = _steps(activity, documents, mentions)
        order = orders.get(scenario_of(documents[0]))
        if order is None:
            raise InputError("the graph has no such scenario", where=f"make {activity.name}")
        told = _told([mentions.get(document.name, ()) for document in documents])
        edges = order.order.edges(data="required")
        required = nx.DiGraph((first, second) for first, second, is_required in edges if is_required)
        asked: dict[str, Ask] = {OURS: order.precedes, REQUIRED: _along(required)}
        asked |= {f"{TOLD}, bound {bound:g}": _paths(told, bound) for bound in BOUNDS}
        steps = [step_of.get(step) for step in activity.steps]
        closure = nx.transitive_closure_dag(activity.graph)
        items += Counter(recordings=len(documents), steps=len(steps))
        items["steps in the graph"] += sum(step is not None for step in steps)
        for one, other in combinations(range(len(steps)), 2):
            first, second = (other, one) if closure.has_edge(other, one) else (one, other)
            is_ordered = closure.has_edge(first, second)
            start, end = steps[first], steps[second]
            known = start is not None and end is not None and start != end
            for name, ask in asked.items():
                answer = ask(start, end) if start and end and known else None
                for part in ("", activity.name, *([FOUND] if known else [])):
                    counts[name][part].add(is_ordered, answer, known)
        examples += _examples(activity, steps, labels)
    overall = counts[OURS][""]
    items["ordered pairs"], items["free pairs"] = overall.ordered, overall.free
    return Evaluation(
        task="order",
        dataset=DATASET,
        split="all",
        exposure=Exposure.DEVELOPMENT,
        items={"activities": len(activities), **items},
        systems=[system for name, parts in counts.items() for system in _systems(name, parts)],
        examples=examples,
    )


def _systems(name: str, parts: Mapping[str, _Counts]) -> Iterator[System]:
    """A rule on all pairs, and on those found; what it is compared with has no figures of single activities."""
    role, source = (Role.MODEL, EXTRACTOR) if name == OURS else (Role.BASELINE, "")
    activities = [part for part in parts if part not in ("", FOUND)] if name == OURS else []
    figures = [figure for part in ("", *activities) for figure in parts[part].figures(part)]
    yield System(name=name, role=role, source=source, figures=figures)
    yield System(name=name, role=role, source=source, setting=FOUND, figures=parts[FOUND].figures())


def _mentions_of(graph: StoredGraph) -> _Mentions:
    names = {row["id"]: row["name"] for row in graph.select("Source", ["id", "name"]).to_pylist()}
    steps: dict[str, set[str]] = defaultdict(set)
    for row in graph.rows("REALIZES", ["from_id", "to_id"]):
        steps[row["from_id"]].add(row["to_id"])
    mentions: dict[str, list[_Mention]] = defaultdict(list)
    for row in graph.select("Passage", ["id", "start", "text", "source"], {"id": steps}).to_pylist():
        mentions[names[row["source"]]].append(_Mention(row["start"], row["text"], frozenset(steps[row["id"]])))
    return {
        name: sorted(of_source, key=lambda mention: (mention.start, mention.text))
        for name, of_source in mentions.items()
    }


def _steps(activity: Activity, documents: Sequence[Document], mentions: _Mentions) -> dict[CookingStep, str]:
    """The step of the graph for each step of the activity that has one."""
    votes: dict[CookingStep, Counter[str]] = defaultdict(Counter)
    for document, recording in zip(documents, activity.recordings, strict=True):
        for passage, step in zip(document.passages, recording.steps, strict=True):
            votes[step].update(_steps_of_sentence(step, passage, mentions.get(document.name, ())))
    return {step: min(of_step, key=lambda item: (-of_step[item], item)) for step, of_step in votes.items() if of_step}


def _steps_of_sentence(step: CookingStep, passage: Passage, mentions: Sequence[_Mention]) -> frozenset[str]:
    """The steps of the mention of a sentence, see above; several if the mention has several actions."""
    inside = [mention for mention in mentions if passage.start <= mention.start < passage.end]
    chosen = next((mention for mention in inside if mention.text.lower().startswith(step.verb)), None)
    chosen = chosen or next(iter(inside), None)
    return chosen.steps if chosen else frozenset()


def _told(sources: Sequence[Sequence[_Mention]]) -> Counter[tuple[str, str]]:
    """The number of sources that mention the first of two steps first."""
    counts: Counter[tuple[str, str]] = Counter()
    for mentions in sources:
        first: dict[str, int] = {}
        for mention in mentions:
            for step in mention.steps:
                first.setdefault(step, mention.start)
        counts.update((one, other) for one in first for other in first if first[one] < first[other])
    return counts


def _paths(told: Counter[tuple[str, str]], bound: float) -> Ask:
    """Answers by the paths of edges with this bound."""
    edges = nx.DiGraph()
    for (first, second), sources in told.items():
        against = told[second, first]
        if sources > against and lower_bound(sources, sources + against) >= bound:
            edges.add_edge(first, second)
    return _along(edges)


def _along(edges: nx.DiGraph) -> Ask:
    """Answers by the paths of these edges; a pair with paths in both directions is open."""
    after = {step: nx.descendants(edges, step) for step in edges}

    def ask(first: str, second: str) -> bool | None:
        forwards, backwards = second in after.get(first, ()), first in after.get(second, ())
        return None if forwards == backwards else forwards

    return ask


def _examples(activity: Activity, steps: Sequence[str | None], labels: Mapping[str, str]) -> Iterator[Example]:
    """Each step of the activity, the steps that must precede it directly, and the label of its step in the graph."""
    for place, step in enumerate(activity.steps):
        before = [activity.steps[other].sentence for other in sorted(activity.graph.predecessors(place))]
        in_graph = steps[place]
        answer = [labels[in_graph]] if in_graph else []
        yield Example(system=OURS, where=activity.name, text=step.sentence, gold=before, found=answer)
