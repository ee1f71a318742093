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

from attrs import define

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.files import find_files
from kgscripts.corpora.formats import read_file
from kgscripts.corpora.scenarios.labels import scenario_of
from kgscripts.evaluation.counting import example, of_extractor
from kgscripts.evaluation.result import Evaluation, Example
from kgscripts.evaluation.steps.graph_order import ScenarioOrder, scenario_orders, similar_steps
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.pipeline import build_graph
from schemas.errors import InputError
from schemas.provenance import Exposure
from schemas.records import Document, EventMention, Passage, Record
from schemas.script_graph import StoredGraph

DATASET = "DeScript"
_SPLIT = "a fifth held out"
_EXPOSURE = Exposure.DEVELOPMENT
"""The repairs for telegraphic steps were checked against held-out descriptions (docs/measurements/evaluation.md)."""


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
    counts = {
        name: _Counts()
        for name in ("order by PRECEDES", "order by mean position")
        + (("order by PRECEDES, similar steps", "order by PRECEDES or rank, similar steps") if similar else ())
    }
    examples: list[Example] = []
    for document, events in held:
        scenario = scenario_of(document)
        order = orders.get(scenario)
        own = list(_steps(document, events, order))
        near = [similar.get((scenario, label)) if similar and step is None else step for step, label in own]
        for (first, _), (second, _) in combinations(own, 2):
            counts["order by PRECEDES"].add(_answer(order, first, second, ScenarioOrder.precedes))
            counts["order by mean position"].add(_answer(order, first, second, ScenarioOrder.earlier))
        found = sorted({step for step, _ in own if step}, key=lambda step: order.rank.get(step, 0) if order else 0)
        examples.append(_example(document, scenario, order, found))
        for one, other in combinations(near, 2) if similar else ():
            counts["order by PRECEDES, similar steps"].add(_answer(order, one, other, ScenarioOrder.precedes))
            counts["order by PRECEDES or rank, similar steps"].add(
                _answer(order, one, other, ScenarioOrder.comes_first)
            )
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


def _answer(
    order: ScenarioOrder | None,
    first: str | None,
    second: str | None,
    ask: Callable[[ScenarioOrder, str, str], bool | None],
) -> bool | None:
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
