"""The scripts of scenarios as the page has them: all that `kgscripts show` prints, with passages, and the text around
these in pieces of documents that passages share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from exports.views.explore.index import Index
from exports.views.explore.lanes import boxes, levels
from kgscripts.analysis.contexts import Context, Place, read_contexts
from kgscripts.scripts.names import Row
from kgscripts.scripts.reading import read_script
from kgscripts.scripts.steps import parts_of
from kgscripts.scripts.types import Evidence, Match, Part, Script, Step, StepCorrection
from schemas.script_graph import StoredGraph

Places: TypeAlias = Sequence[Place]
"""Passages of a script in their order: the name of the source, the first character, and the text."""
_PASSAGES = 5
"""The most passages of a step, and of each of its parts."""


def script_data(graph: StoredGraph, index: Index, scenario: str) -> dict[str, Any]:
    """The data of the scenario with this id. Passages are written once and referred to by number."""
    base = len(graph.manifest.base_iri)
    script = read_script(graph, scenario, evidence=_PASSAGES, readers=True)
    relations = graph.rows("HAS_SUB_EVENT", ("to_id", "salience_rank"), {"from_id": scenario})
    salience = {graph.iri(row["to_id"]): row["salience_rank"] for row in relations}
    ids = [step.iri[base:] for step in script.steps]
    wordings = parts_of(graph, "EXPRESSED_AS", ids)
    models = [graph.iri(row["id"]) for row in _models(graph)]
    passages = _Passages()
    drawn = boxes(script)
    parts = _Parts(index, passages, base)
    return {
        "id": scenario,
        "label": script.label,
        "others": list(script.alternative_labels),
        "support": script.support,
        "generated": script.generated,
        "needs": [parts.part(need) for need in script.needs],
        "corrections": _corrections(script.corrections),
        "steps": [
            {
                **parts.step(step),
                "number": index.steps.get(step.iri[base:], -1),
                "id": step.iri[base:],
                "wordings": [_wording(row) for row in wordings.get(step.iri[base:], ())],
                "readers": _readers(step, models),
            }
            for step in script.steps
        ],
        "order": _order(script),
        "boxes": drawn,
        "levels": levels(script, salience, [box["height"] for box in drawn]),
        "passages": passages.rows,
        "sources": passages.sources,
    }


def read_models(graph: StoredGraph) -> list[dict[str, Any]]:
    """The models that read the graph, each with its scores."""
    scores = {row["id"]: row for row in graph.rows("BenchmarkScore")}
    of: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in graph.rows("SCORED"):
        score = scores[row["to_id"]]
        of[row["from_id"]].append(
            {name: score[name] for name in ("dataset", "split", "metric", "value", "unit", "exposure")}
        )
    return [
        {**{name: row[name] for name in ("name", "version", "task")}, "scores": of[row["id"]]} for row in _models(graph)
    ]


def _models(graph: StoredGraph) -> list[Row]:
    return sorted(graph.rows("Model"), key=lambda row: (row["name"], row["id"]))


def _readers(step: Step, models: Sequence[str]) -> list[list[float]]:
    """The numbers of the models (IRIs) that read the step or a part of it, with their highest scores."""
    known: dict[str, float] = {}
    for part in (step, *step.tools, *step.participants, *step.changes):
        for reader in part.read_by:
            known[reader.iri] = max(reader.score, known.get(reader.iri, 0.0))
    return [[number, round(known[model], 3)] for number, model in enumerate(models) if model in known]


def _order(script: Script) -> list[list[Any]]:
    """What comes before what: two numbers of steps, support, probability, its lower end, and whether it must be."""
    place = {step.iri: number for number, step in enumerate(script.steps)}
    return [
        [
            place[pair.before],
            place[pair.after],
            pair.support,
            round(pair.probability, 3),
            round(pair.lower, 3),
            int(pair.required),
        ]
        for pair in script.precedes
    ]


def _wording(row: Row) -> list[Any]:
    """Words, support and share of an action, and its label if that differs: corrections name actions by it."""
    label = [row["label"]] if row["label"] != row["label_text"] else []
    return [row["label_text"], row["support"], round(row["probability"], 3), *label]


def _corrections(corrections: Collection[StepCorrection]) -> list[list[str]]:
    return [[each.label, each.author, each.time] for each in corrections]


class _Passages:
    """The passages of a script, each once, and the names of their sources."""

    def __init__(self) -> None:
        self.rows: list[list[Any]] = []
        self.sources: list[str] = []
        self._numbers: dict[tuple[str, int, int], int] = {}
        self._sources: dict[str, int] = {}

    def refer(self, evidence: Sequence[Evidence]) -> list[list[int]]:
        """Numbers of passages, each with the span of the words in it."""
        return [[self._number(item), item.words_start, item.words_end] for item in evidence]

    def _number(self, item: Evidence) -> int:
        key = (item.source, item.start, item.end)
        if key not in self._numbers:
            if item.source not in self._sources:
                self._sources[item.source] = len(self.sources)
                self.sources.append(item.source)
            self._numbers[key] = len(self.rows)
            self.rows.append([item.text, self._sources[item.source], item.start, item.end])
        return self._numbers[key]


class _Parts:
    """Makes the data of steps and their parts; ends that are in the index are numbers of it."""

    def __init__(self, index: Index, passages: _Passages, base: int) -> None:
        self._index, self._passages, self._base = index, passages, base

    def part(self, part: Part) -> dict[str, Any]:
        identifier = part.iri[self._base :]
        data: dict[str, Any] = {
            "label": part.label_text,
            "support": part.support,
            "share": round(part.probability, 3),
            "passages": self._passages.refer(part.evidence),
        }
        for kind in ("tools", "entities", "steps"):
            numbers: Mapping[str, int] = getattr(self._index, kind)
            if identifier in numbers:
                data["to"] = [kind, numbers[identifier]]
        if not isinstance(part, Step):
            data |= part.own()
        if isinstance(part, Match):
            data["similarity"] = round(part.similarity, 2)
        return data

    def step(self, step: Step) -> dict[str, Any]:
        names = ("rank", "typicality", "usual", "essential", "optional", "mean_position")
        groups = ("tools", "participants", "changes", "decomposes_into", "alternatives", "matches")
        return {
            **self.part(step),
            "name": step.label,
            **{name: getattr(step, name) for name in names},
            **{name: list(getattr(step, name)) for name in ("durations", "conditions", "variants", "parts")},
            **{group: [self.part(part) for part in getattr(step, group)] for group in groups},
            "further": {name: [self.part(part) for part in each] for name, each in step.further.items()},
            "corrections": _corrections(step.corrections),
        }


def places_of(script: Mapping[str, Any]) -> Places:
    """The passages of the data of a script (`script_data`)."""
    return [(script["sources"][source], start, text) for text, source, start, _ in script["passages"]]


def contexts_data(graph: StoredGraph, scripts: Iterable[Places]) -> list[dict[str, Any] | None]:
    """The contexts of the passages of each script; None for a script for whose passages there are none.

    `texts` are pieces of documents with their first characters. `passages` has for each passage the number of the
    piece, and the span of the passage with its context in the document; None for one without context.
    """
    each = list(scripts)
    contexts = read_contexts(graph, {place for places in each for place in places})
    return [_shared(places, contexts) for places in each]


def _shared(places: Places, contexts: Mapping[Place, Context]) -> dict[str, Any] | None:
    spans: list[tuple[str, int, int, str, int]] = []
    for number, place in enumerate(places):
        if context := contexts.get(place):
            source, start, text = place
            before, after = context.before, context.after
            first, whole = start - len(before), f"{before}{text}{after}"
            spans.append((source, first, first + len(whole), whole, number))
    if not spans:
        return None
    texts: list[list[Any]] = []
    passages: list[list[int] | None] = [None] * len(places)
    last = ""
    for source, first, end, whole, number in sorted(spans, key=itemgetter(0, 1, 2)):
        if source != last or not _extend(texts[-1], first, whole):
            texts.append([first, whole])
        last = source
        passages[number] = [len(texts) - 1, first, end]
    return {"texts": texts, "passages": passages}


def _extend(piece: list[Any], first: int, text: str) -> bool:
    """Add to a piece of a document a text that begins in it or right behind it; false if they do not fit.

    Several documents may have one name.
    """
    known = piece[1][first - piece[0] :]
    if first > piece[0] + len(piece[1]) or not (text.startswith(known) or known.startswith(text)):
        return False
    piece[1] += text[len(known) :]
    return True
