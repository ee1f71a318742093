"""Likely duplicates in a graph, which people join or keep apart: steps of a scenario, scenarios, and things.

No network runs: actions and scenarios are compared by the vectors that the graph has of them, or else by their words.
Two steps that one source tells are different ones, unless many more sources tell either.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from kgscripts.editing.correction_words import without_articles
from kgscripts.enrichers.protocol import subject_of
from kgscripts.enrichers.vectors import ActionVectors
from kgscripts.models.stored_vectors import SCALE, decoded
from kgscripts.records.corrections import read_corrections
from kgscripts.records.opening import open_records
from kgscripts.records.store import RecordStore
from kgscripts.scripts.names import ACTION_PARTS
from kgscripts.scripts.steps import evidence_of
from schemas.arguments import path_of
from schemas.corrections import OF_SCENARIOS, OF_STEPS, OF_THINGS, Correction, CorrectionKind, plain_words
from schemas.records import ActionVector
from schemas.script_graph import StoredGraph

_LEAST_STEP, _LEAST_NAME, _LEAST_STEPS, _LEAST_SPELLING = 0.5, 0.5, 0.6, 0.88
"""The least likeness of two steps, of the names of two scenarios and of their steps, and of two spellings."""
_MOST_SHARED = 10
"""At most one source in this number tells both steps."""
_MOST_STEPS = 100
"""At most this number of steps of a scenario, those with the most support, are compared."""
_SHORTEST = 7
"""Shorter words that differ in a letter are mostly different ones, such as "pan" and "pin"."""
_AS_ONE = re.compile(r"[^\w]|_")
_ALIKE = 3

_Row = dict[str, Any]
_Numbers = NDArray[np.float64]


@frozen(kw_only=True)
class Suggestion:
    """Two that may be one: the `names` of steps of the `scenario`, of scenarios or of things, the one to keep first.

    `sources` are their numbers of sources, `evidence` is a sentence of each (from their `statements`), or steps that
    scenarios have in common, and `kind` is that of the correction which joins them.
    """

    kind: CorrectionKind
    scenario: str = ""
    names: tuple[str, str]
    sources: tuple[int, int]
    likeness: float
    statements: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the command `correct` that joins them, from the kind on."""
        return (self.kind.replace(" ", "-"), *filter(None, [self.scenario]), *self.names)

    @property
    def apart(self) -> tuple[str, ...]:
        """The words of the command that keeps them apart."""
        return (self.words[0].replace("same", "different"), *self.words[1:])


def suggest_corrections(directory: str | Path) -> list[Suggestion]:
    """The likely duplicates in a graph, the likeliest of each kind first: steps, then scenarios, then things.

    Those that a correction has joined or kept apart are left out.

    Raises
    ------
    GraphDirectoryError
        If `directory` is no graph directory, in use, or damaged.
    """
    path = path_of("directory", directory)
    with open_records(path, create=False) as store:
        graph = StoredGraph.open(path)
        known = [item for item in read_corrections(store) if not item.withdrawn]
        scenarios = list(graph.rows("Scenario", ("id", "label", "alternative_labels", "support")))
        names = {name for row in scenarios for name in _names(row)}
        vectors = _vectors(store, sorted({*graph.labels("Action").values(), *names}))
    steps = _steps(graph, vectors)
    groups = (
        _near_steps(graph, scenarios, steps, known),
        _near_scenarios(scenarios, steps, vectors, known),
        _near_things(graph, known),
    )
    found = [each for group in groups for each in sorted(group, key=lambda each: (-each.likeness, each.names))]
    sentences = evidence_of(graph, {statement for each in found for statement in each.statements}, 1)
    told = [[item for statement in each.statements for item in sentences[statement]] for each in found]
    return [
        evolve(each, evidence=each.evidence or tuple(f"{item.source}: {item.text}" for item in items))
        for each, items in zip(found, told, strict=True)
    ]


def _names(scenario: _Row) -> list[str]:
    return [scenario["label"], *scenario["alternative_labels"]]


def _vectors(store: RecordStore, labels: Sequence[str]) -> dict[str, _Numbers]:
    """The unit vectors of actions and scenarios that the graph has, by label; none without their enricher."""
    found = {}
    for version, entry in store.extractors.all().items():
        if entry.name == ActionVectors.name:
            subjects = {subject_of(version, [], [label]): label for label in labels}
            for subject, (record,) in store.read(ActionVector, list(subjects), [version]).items():
                found[subjects[subject]] = decoded([record.values])[0] / SCALE
    return found


@frozen(eq=False)
class _Step:
    """A step with its sources, its names without articles, the words of its actions, and their mean vector or None."""

    id: str
    label: str
    name: str
    names: frozenset[str]
    wordings: frozenset[str]
    sources: frozenset[str]
    vector: _Numbers | None


def _steps(graph: StoredGraph, vectors: Mapping[str, _Numbers]) -> dict[str, list[_Step]]:
    """The steps of each scenario, by its id, those that the most sources tell first."""
    source_of = {row["id"]: row["source"] for row in graph.rows("Passage", ("id", "source"))}
    sources, actions = defaultdict(set), defaultdict(list)
    for row in graph.rows("REALIZES", ("from_id", "to_id")):
        sources[row["to_id"]].add(source_of[row["from_id"]])
    named = {row["id"]: row for row in graph.rows("Action", ("id", "label", "label_text", *ACTION_PARTS))}
    for row in graph.rows("EXPRESSED_AS", ("from_id", "to_id")):
        actions[row["from_id"]].append(named[row["to_id"]])
    found = defaultdict(list)
    for row in graph.rows("SubEvent", ("id", "label", "label_text", "scenario")):
        own = actions[row["id"]]
        heads = (" ".join(filter(None, (item[part] for part in ACTION_PARTS[:3]))) for item in own)
        known = [vectors[item["label"]] for item in own if item["label"] in vectors]
        mean = np.mean(known, axis=0) if known else None
        names = {row["label"], row["label_text"], *(item[name] for item in own for name in ("label", "label_text"))}
        step = _Step(
            id=row["id"],
            label=row["label"],
            name=row["label_text"],
            names=frozenset(map(without_articles, names)),
            wordings=frozenset(map(plain_words, (*(item["label"] for item in own), *heads))),
            sources=frozenset(sources[row["id"]]),
            vector=None if mean is None else mean / np.linalg.norm(mean),
        )
        found[row["scenario"]].append(step)
    for steps in found.values():
        steps.sort(key=lambda step: (-len(step.sources), step.id))
    return found


def _likeness(steps: Sequence[_Step], others: Sequence[_Step]) -> _Numbers:
    """How like each of the steps is to each of the others: by their vectors, else by the words that they share."""
    found = np.zeros((len(steps), len(others)))
    for row, one in enumerate(steps):
        for column, other in enumerate(others):
            if one.vector is None or other.vector is None:
                found[row, column] = _shared(one.label, other.label)
            else:
                found[row, column] = one.vector @ other.vector
    return found


def _shared(one: str, other: str) -> float:
    """The share of all words of two labels that both have."""
    words, others = set(plain_words(one).split()), set(plain_words(other).split())
    return len(words & others) / max(1, len(words | others))


def _near_steps(
    graph: StoredGraph,
    scenarios: Iterable[_Row],
    steps: Mapping[str, Sequence[_Step]],
    known: Iterable[Correction],
) -> Iterator[Suggestion]:
    decided = [item for item in known if item.kind in OF_STEPS]
    statement = {row["to_id"]: row["statement"] for row in graph.rows("HAS_SUB_EVENT", ("to_id", "statement"))}
    for scenario in scenarios:
        own = steps.get(scenario["id"], ())
        names = Counter(name for step in own for name in step.names)
        here = set(map(plain_words, _names(scenario)))
        pairs = [{item.step, item.other} for item in decided if plain_words(item.scenario) in here]
        compared = own[:_MOST_STEPS]
        likeness = _likeness(compared, compared)
        for row, column in zip(*np.nonzero(np.triu(likeness >= _LEAST_STEP, 1)), strict=True):
            one, other = compared[row], compared[column]
            both, least = len(one.sources & other.sources), min(len(one.sources), len(other.sources))
            if both * _MOST_SHARED > least or any(
                pair & one.wordings and pair & other.wordings and pair <= one.wordings | other.wordings
                for pair in pairs
            ):
                continue
            called = [
                next((name for name in (step.name, step.label) if names[without_articles(name)] == 1), "")
                for step in (one, other)
            ]
            if all(called):
                yield Suggestion(
                    kind=CorrectionKind.SAME_STEP,
                    scenario=scenario["label"],
                    names=(called[0], called[1]),
                    sources=(len(one.sources), len(other.sources)),
                    likeness=float(likeness[row, column]),
                    statements=(statement[one.id], statement[other.id]),
                )


def _near_scenarios(
    scenarios: Iterable[_Row],
    steps: Mapping[str, Sequence[_Step]],
    vectors: Mapping[str, _Numbers],
    known: Iterable[Correction],
) -> Iterator[Suggestion]:
    decided = [{plain_words(item.scenario), item.other} for item in known if item.kind in OF_SCENARIOS and item.other]
    ordered = sorted(scenarios, key=lambda row: (-row["support"], row["label"]))
    for one, other in combinations(ordered, 2):
        names, others = _names(one), _names(other)
        # A name that a person gave has no vector: then it is another name that has one.
        first, second = (next((vectors[name] for name in each if name in vectors), None) for each in (names, others))
        near = _shared(one["label"], other["label"]) if first is None or second is None else float(first @ second)
        here, there = (set(map(plain_words, each)) for each in (names, others))
        if near < _LEAST_NAME or any(pair & here and pair & there and pair <= here | there for pair in decided):
            continue
        own, their = (steps.get(each["id"], ())[:_MOST_STEPS] for each in (one, other))
        likeness = _likeness(own, their)
        if not likeness.size or (likeness.max(axis=0).mean() + likeness.max(axis=1).mean()) / 2 < _LEAST_STEPS:
            continue
        alike = [
            (row, int(likeness[row].argmax())) for row in np.argsort(-likeness.max(axis=1), kind="stable")[:_ALIKE]
        ]
        yield Suggestion(
            kind=CorrectionKind.SAME_SCENARIO,
            names=(one["label"], other["label"]),
            sources=(one["support"], other["support"]),
            likeness=near,
            evidence=tuple(f"both: {own[row].name} / {their[column].name}" for row, column in alike),
        )


def _near_things(graph: StoredGraph, known: Iterable[Correction]) -> Iterator[Suggestion]:
    decided = {item.key for item in known if item.kind in OF_THINGS}
    steps = {row["id"]: row["scenario"] for row in graph.rows("SubEvent", ("id", "scenario"))}
    support: Counter[str] = Counter()
    places: dict[str, set[str]] = defaultdict(set)
    statements: dict[str, str] = {}
    for kind, relation in (("Entity", "HAS_PARTICIPANT"), ("Tool", "USES")):
        labels = {}
        for row in graph.rows(kind, ("id", "label", "support")):
            labels[row["id"]] = row["label"]
            support[row["label"]] = max(support[row["label"]], row["support"])
        for row in graph.rows(relation, ("from_id", "to_id", "statement")):
            if label := labels.get(row["to_id"]):
                places[label].add(steps[row["from_id"]])
                statements.setdefault(label, row["statement"])
    near = {tuple(sorted(pair)): likeness for pair, likeness in _spelt_alike(sorted(support))}
    near |= dict.fromkeys(_heads(support, places), 1.0)
    for pair, likeness in near.items():
        # What most sources say counts, and a compound rather than its head.
        one, other = pair if likeness == 1.0 else sorted(pair, key=lambda label: (-support[label], label))
        if ("thing", *sorted(map(plain_words, pair))) not in decided:
            yield Suggestion(
                kind=CorrectionKind.SAME_THING,
                names=(one, other),
                sources=(support[one], support[other]),
                likeness=likeness,
                statements=tuple(statements[name] for name in (one, other) if name in statements),
            )


def _spelt_alike(labels: Iterable[str]) -> Iterator[tuple[tuple[str, str], float]]:
    """Pairs that differ in spaces and signs, or in few letters, with the likeness of their spellings, less than 1."""
    alike: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for label in labels:
        letters = _AS_ONE.sub("", label.lower())
        alike[letters[:3]].append((letters, label))
    for group in alike.values():
        for (letters, one), (others, other) in combinations(group, 2):
            if letters == others:
                yield (one, other), 0.99
            elif min(len(letters), len(others)) >= _SHORTEST:
                matcher = SequenceMatcher(None, letters, others, autojunk=False)
                if matcher.real_quick_ratio() >= _LEAST_SPELLING and (ratio := matcher.ratio()) >= _LEAST_SPELLING:
                    yield (one, other), ratio


def _heads(support: Collection[str], places: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Compounds with their heads, if all scenarios of the head have the compound and no other one: a lug wrench, and a
    wrench."""
    compounds: dict[str, list[str]] = defaultdict(list)
    for label in sorted(support):
        _, space, head = label.rpartition(" ")
        if space and head in support:
            compounds[head].append(label)
    for head, labels in compounds.items():
        near = [label for label in labels if places[label] & places[head]]
        if len(near) == 1 and places[head] <= places[near[0]]:
            yield near[0], head
