"""Whether the events of a graph belong to the scenarios that their sentences are about."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from attrs import evolve

from kgscripts.corpora.scenarios.labels import is_listed, resolve
from kgscripts.enrichers.named_scenarios import NamedScenarios
from kgscripts.enrichers.protocol import Enricher
from kgscripts.evaluation.result import Evaluation, Example, Figure, Role, System, counts, shares
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.scenarios import ScenarioExtractor, ScenarioSettings
from kgscripts.models.scenarios.detector import ScenarioDetector
from kgscripts.pipeline import build_graph
from kgscripts.titles.keys import title_key
from schemas.errors import InputError
from schemas.scenario_documents import ScenarioDocument
from schemas.script_graph import StoredGraph

if TYPE_CHECKING:
    from kgscripts.models.scenarios.protocol import ScenarioModel


def _figures(totals: Mapping[str, int]) -> tuple[Figure, ...]:
    """Shares of nothing are 0."""
    return (
        *shares(
            {
                "mention precision": totals["right"] / (totals["assigned"] or 1),
                "mention recall": totals["right"] / (totals["labelled"] or 1),
                "mention precision, each scenario": totals["right scenarios"] / (totals["assigned scenarios"] or 1),
            }
        ),
        *counts({"mentions with a scenario": totals["assigned"], "with a right one": totals["right"]}),
    )


def evaluate_mentions(
    documents: Sequence[ScenarioDocument],
    model: ScenarioModel,
    *,
    dataset: str,
    split: str,
    source: str = "",
    beside: Path | None = None,
) -> Evaluation:
    """The scores of graphs of these documents, built in a temporary folder: with the segments that a model detects.

    The baseline is one label for all of the text of a document, the gold one of most of its sentences (of equal ones
    the first). `beside` are texts whose labels and titles name scenarios: in another graph, which has these too, their
    scenarios are offered to the documents.
    """
    gold = {f"text#{document.id}": document for document in documents}
    texts = [{"id": document.id, "text": document_text(document)} for document in documents]
    labelled = [text | {"scenario": _main_label(document)} for text, document in zip(texts, documents, strict=True)]
    # What a text calls itself is neither right nor wrong.
    name, detecting = model.model.name, ScenarioExtractor(model, settings=ScenarioSettings(own=False))
    runs: list[tuple[System, list[Path], list[dict[str, str]], list[str | Extractor | Enricher]]] = [
        (System(name=name, source=source, figures=()), [], texts, [detecting]),
        (System(name="one label", role=Role.BASELINE, figures=()), [], labelled, ["labels"]),
    ]
    if beside is not None:
        offering = System(name=name, setting=f"beside {beside.name}", source=source, figures=())
        named = [] if not isinstance(model, ScenarioDetector) else [NamedScenarios(model=model)]
        runs.insert(1, (offering, [beside], texts, [detecting, "labels", "scenario-vectors", *named]))
    scores: list[tuple[Counter[str], list[Example]]] = []
    with TemporaryDirectory() as folder:
        for system, inputs, run_texts, others in runs:
            graph = Path(folder, str(len(scores)))
            build_graph(inputs, graph, texts=run_texts, extractors=["sentences", "events", *others])
            called = ", ".join(filter(None, (system.name, system.setting)))
            scores.append(score_mentions(StoredGraph.open(graph), gold, called))
    return Evaluation(
        task="scenarios of mentions",
        dataset=dataset,
        split=split,
        items={
            "documents": len(documents),
            "mentions": scores[0][0]["mentions"],
            "of them in labelled sentences": scores[0][0]["labelled"],
        },
        systems=[
            evolve(system, figures=_figures(totals)) for (system, *_), (totals, _) in zip(runs, scores, strict=True)
        ],
        examples=[example for _, of_run in scores for example in of_run],
    )


def _main_label(document: ScenarioDocument) -> str:
    """The scenario of most sentences; "" if there is none."""
    counts = Counter(label for labels in document.labels() for label in labels)
    return max(counts, key=counts.__getitem__, default="")


def document_text(document: ScenarioDocument) -> str:
    """The text of a document for `build-graph`: its sentences, one on each line."""
    return "\n".join(document.sentences)


def score_mentions(
    graph: StoredGraph, gold: Mapping[str, ScenarioDocument], system: str = "graph"
) -> tuple[Counter[str], list[Example]]:
    """Compare the scenarios of event mentions in a graph with the gold scenarios of their sentences; a mention lies in
    the sentence in which it starts.

    Counted are *mentions*, those in *labelled* sentences, those *assigned* a scenario by the graph and those with a
    *right* one, and pairs of a mention and an assigned, or right, scenario. All mentions are examples.

    Parameters
    ----------
    graph:
        A graph of these documents and perhaps others, which are left out.
    gold:
        The documents by the name of their source in the graph (``stories.jsonl#12``). The graph was built from their
        `document_text`, or from their sentences joined by spaces.
    system:
        What the examples call the graph.

    Raises
    ------
    InputError
        If a document is not a source of the graph, or has another text there.
    """
    sources = {
        row["name"]: row for row in graph.select("Source", ["id", "name", "characters"], {"name": gold}).to_pylist()
    }
    documents: dict[str, ScenarioDocument] = {}
    for name, document in gold.items():
        if name not in sources:
            raise InputError("the graph has no such source", where=name, remedy="build the graph from these documents")
        if sources[name]["characters"] != len(document_text(document)):
            remedy = "build the graph from the sentences of the document, joined by line ends or spaces"
            raise InputError("the source of the graph has another text", where=name, remedy=remedy)
        documents[sources[name]["id"]] = document
    scenarios_of = _scenarios_of_mentions(graph)
    examples = []
    totals: Counter[str] = Counter()
    labels = {source: _labels(document) for source, document in documents.items()}
    for row in graph.select("Passage", ["id", "start", "text", "source"], {"source": documents}).to_pylist():
        if row["id"] not in scenarios_of:
            continue
        starts, scenarios = labels[row["source"]]
        expected, assigned = scenarios[bisect_right(starts, row["start"]) - 1], scenarios_of[row["id"]]
        totals["mentions"] += 1
        totals["labelled"] += bool(expected)
        totals["assigned"] += bool(assigned)
        totals["right"] += bool(expected & assigned)
        totals["assigned scenarios"] += len(assigned)
        totals["right scenarios"] += len(expected & assigned)
        where = f"document {documents[row['source']].id}, character {row['start']}"
        examples.append(
            Example(system=system, where=where, text=row["text"], gold=sorted(expected), found=sorted(assigned))
        )
    return totals, examples


def _scenarios_of_mentions(graph: StoredGraph) -> dict[str, set[str]]:
    """The scenarios of each mention of an event, by the id of its passage; empty for none."""
    names = {row["id"]: row["label"] for row in graph.select("Scenario", ["id", "label"]).to_pylist()}
    steps = {row["id"]: row["scenario"] for row in graph.select("SubEvent", ["id", "scenario"]).to_pylist()}
    scenarios_of: dict[str, set[str]] = {}
    for row in graph.rows("REALIZES"):
        scenarios = scenarios_of.setdefault(row["from_id"], set())
        if (scenario := steps[row["to_id"]]) is not None:
            scenarios.add(_key(names[scenario]))
    return scenarios_of


def _labels(document: ScenarioDocument) -> tuple[list[int], list[set[str]]]:
    """The first character of each sentence, and its scenarios."""
    lengths = [len(sentence) + 1 for sentence in document.sentences]
    starts = list(accumulate(lengths, initial=0))[:-1]
    return starts, [set(map(_key, labels)) for labels in document.labels()]


@cache
def _key(label: str) -> str:
    """What names of one scenario share, as in a graph: the label of a listed one, or the key of a title."""
    return resolve(label) if is_listed(label) else title_key(label)
