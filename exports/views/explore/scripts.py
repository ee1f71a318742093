"""The script of one scenario as the page has it: all that `kgscripts show` prints of it, with passages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from exports.views.explore.index import Index
from exports.views.explore.lanes import boxes, levels
from kgscripts.scripts.names import Row
from kgscripts.scripts.reading import read_script
from kgscripts.scripts.steps import parts_of
from kgscripts.scripts.types import Change, Evidence, Match, Need, Part, Participant, Script, Step, StepCorrection, Tool
from schemas.script_graph import StoredGraph

_PASSAGES = 5
"""The most passages of a step, and of each of its parts."""


def script_data(graph: StoredGraph, index: Index, scenario: str) -> dict[str, Any]:
    """The data of the scenario with this id. Passages are written once and referred to by number."""
    base = len(graph.manifest.base_iri)
    script = read_script(graph, scenario, evidence=_PASSAGES)
    relations = list(graph.rows("HAS_SUB_EVENT", ("to_id", "salience_rank", "statement"), {"from_id": scenario}))
    salience = {graph.iri(row["to_id"]): row["salience_rank"] for row in relations}
    ids = [step.iri[base:] for step in script.steps]
    wordings = parts_of(graph, "EXPRESSED_AS", ids)
    readers = _readers(graph, {row["statement"]: row["to_id"] for row in relations})
    passages = _Passages()
    drawn = boxes(script)
    parts = _Parts(index, passages, base)
    return {
        "id": scenario,
        "label": script.label,
        "others": list(script.alternative_labels),
        "support": script.support,
        "needs": [parts.part(need) for need in script.needs],
        "corrections": _corrections(script.corrections),
        "steps": [
            {
                **parts.step(step),
                "number": index.steps.get(step.iri[base:], -1),
                "id": step.iri[base:],
                "wordings": [_wording(row) for row in wordings.get(step.iri[base:], ())],
                "readers": readers.get(step.iri[base:], []),
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


def _readers(graph: StoredGraph, of_steps: Mapping[str, str]) -> dict[str, list[list[float]]]:
    """The numbers (in `read_models`) of the models that read each step or a part of it, with their highest scores.

    `of_steps` has the steps by the statements that they are steps.
    """
    steps = dict(of_steps)
    for relation in ("USES", "HAS_PARTICIPANT", "CHANGES"):
        rows = graph.rows(relation, ("from_id", "statement"), {"from_id": set(of_steps.values())})
        steps |= {row["statement"]: row["from_id"] for row in rows}
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row in graph.rows("READ_BY", where={"from_id": steps.keys()}):
        known = scores[steps[row["from_id"]]]
        known[row["to_id"]] = max(row["score"], known.get(row["to_id"], 0.0))
    ids = [row["id"] for row in _models(graph)]
    return {
        step: [[number, round(known[model], 3)] for number, model in enumerate(ids) if model in known]
        for step, known in scores.items()
    }


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
        if isinstance(part, Tool):
            data |= {"role": part.role, "inferred": part.inferred, "predicted": part.predicted}
        if isinstance(part, Participant):
            data["role"] = part.role
        if isinstance(part, Need):
            data |= {name: getattr(part, name) for name in ("role", "declared", "used", "amount", "usual")}
        if isinstance(part, Change):
            data |= {name: getattr(part, name) for name in ("entity", "attribute", "before", "after")}
            data["level"] = str(part.level)
        if isinstance(part, Match):
            data |= {"scenario": part.scenario, "similarity": round(part.similarity, 2)}
        return data

    def step(self, step: Step) -> dict[str, Any]:
        names = ("rank", "typicality", "usual", "essential", "optional", "mean_position")
        groups = ("tools", "participants", "changes", "decomposes_into", "alternatives", "matches")
        return {
            **self.part(step),
            "name": step.label,
            **{name: getattr(step, name) for name in names},
            "durations": list(step.durations),
            **{group: [self.part(part) for part in getattr(step, group)] for group in groups},
            "further": {name: [self.part(part) for part in each] for name, each in step.further.items()},
            "corrections": _corrections(step.corrections),
        }
