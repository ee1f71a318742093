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
"""The number of steps that two scenarios are shown to have in common."""
_TEXTS = ("label_text", "label")

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
        names = {name for row in scenarios for name in (row["label"], *row["alternative_labels"])}
        vectors = _vectors(store, [*graph.labels("Action").values(), *names])
    steps = _steps(graph, vectors)
    groups = (
        _near_steps(graph, scenarios, steps, known),
        _near_scenarios(scenarios, steps, vectors, known),
        _near_things(graph, known),
    )
    suggestions = [each for group in groups for each in sorted(group, key=lambda each: (-each.likeness, each.names))]
    sentences = evidence_of(graph, {statement for each in suggestions for statement in each.statements}, 1)
    told = [[item for statement in each.statements for item in sentences[statement]] for each in suggestions]
    return [
        evolve(each, evidence=each.evidence or tuple(f"{item.source}: {item.text}" for item in items))
        for each, items in zip(suggestions, told, strict=True)
    ]


def _names(scenario: _Row) -> set[str]:
    return set(map(plain_words, (scenario["label"], *scenario["alternative_labels"])))


def _vectors(store: RecordStore, labels: Sequence[str]) -> dict[str, _Numbers]:
    """The unit vectors of actions and scenarios that the graph has, by label; none without their enricher."""
    vectors = {}
    for version, entry in store.extractors.all().items():
        if entry.name == ActionVectors.name:
            subjects = {subject_of(version, [], [label]): label for label in labels}
            for subject, (record,) in store.read(ActionVector, list(subjects), [version]).items():
                vectors[subjects[subject]] = decoded([record.values])[0] / SCALE
    return vectors


@frozen(eq=False)
class _Step:
    """A step: its names without articles, the words of its actions, their sources, and their mean vector or None."""

    row: _Row
    names: frozenset[str]
    words: frozenset[str]
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
    by_scenario = defaultdict(list)
    for row in graph.rows("SubEvent", ("id", "label", "label_text", "scenario")):
        own = actions[row["id"]]
        labels = [item["label"] for item in own]
        heads = [" ".join(filter(None, (item[part] for part in ACTION_PARTS[:3]))) for item in own]
        names = {row["label"], row["label_text"], *labels, *(item["label_text"] for item in own)}
        known = [vectors[label] for label in labels if label in vectors]
        mean = np.mean(known, axis=0) if known else None
        by_scenario[row["scenario"]].append(
            _Step(
                row,
                frozenset(map(without_articles, names)),
                frozenset(map(plain_words, (*labels, *heads))),
                frozenset(sources[row["id"]]),
                None if mean is None else mean / np.linalg.norm(mean),
            )
        )
    return {
        scenario: sorted(steps, key=lambda step: (-len(step.sources), step.row["id"]))
        for scenario, steps in by_scenario.items()
    }


def _likeness(steps: Sequence[_Step], others: Sequence[_Step]) -> _Numbers:
    """How like each of the steps is to each of the others."""
    rows = [
        [_like(one.row["label"], other.row["label"], one.vector, other.vector) for other in others] for one in steps
    ]
    return np.array(rows, np.float64).reshape(len(steps), len(others))


def _like(label: str, other: str, vector: _Numbers | None, other_vector: _Numbers | None) -> float:
    """How like two labels are: by their vectors, else the share of all their words that both have."""
    if vector is not None and other_vector is not None:
        return round(float(vector @ other_vector), 4)
    words, others = set(plain_words(label).split()), set(plain_words(other).split())
    return round(len(words & others) / max(1, len(words | others)), 4)


def _is_decided(pairs: Iterable[set[str]], names: Collection[str], others: Collection[str]) -> bool:
    """Whether one of the pairs has a name of either."""
    both = {*names, *others}
    return any(pair <= both and not pair.isdisjoint(names) and not pair.isdisjoint(others) for pair in pairs)


def _near_steps(
    graph: StoredGraph, scenarios: Iterable[_Row], steps: Mapping[str, Sequence[_Step]], known: Iterable[Correction]
) -> Iterator[Suggestion]:
    links = [item for item in known if item.kind in OF_STEPS]
    statement = {row["to_id"]: row["statement"] for row in graph.rows("HAS_SUB_EVENT", ("to_id", "statement"))}
    for scenario in scenarios:
        own = steps.get(scenario["id"], ())
        called = Counter(name for step in own for name in step.names)
        decided = [{item.step, item.other} for item in links if plain_words(item.scenario) in _names(scenario)]
        compared = own[:_MOST_STEPS]
        likeness = _likeness(compared, compared)
        for row, column in zip(*np.nonzero(np.triu(likeness >= _LEAST_STEP, 1)), strict=True):
            pair = compared[row], compared[column]
            both, least = len(pair[0].sources & pair[1].sources), min(len(step.sources) for step in pair)
            # The name that names nothing else.
            names = [
                next((step.row[name] for name in _TEXTS if called[without_articles(step.row[name])] == 1), "")
                for step in pair
            ]
            if both * _MOST_SHARED <= least and all(names) and not _is_decided(decided, pair[0].words, pair[1].words):
                yield Suggestion(
                    kind=CorrectionKind.SAME_STEP,
                    scenario=scenario["label"],
                    names=(names[0], names[1]),
                    sources=(len(pair[0].sources), len(pair[1].sources)),
                    likeness=float(likeness[row, column]),
                    statements=tuple(statement[step.row["id"]] for step in pair),
                )


def _near_scenarios(
    scenarios: Iterable[_Row],
    steps: Mapping[str, Sequence[_Step]],
    vectors: Mapping[str, _Numbers],
    known: Iterable[Correction],
) -> Iterator[Suggestion]:
    decided = [{plain_words(item.scenario), item.other} for item in known if item.kind in OF_SCENARIOS]
    # A name that a person gave has no vector: then it is another name that has one.
    vector = {
        row["id"]: next((vectors[name] for name in (row["label"], *row["alternative_labels"]) if name in vectors), None)
        for row in scenarios
    }
    for one, other in combinations(sorted(scenarios, key=lambda row: (-row["support"], row["label"])), 2):
        near = _like(one["label"], other["label"], vector[one["id"]], vector[other["id"]])
        if near < _LEAST_NAME or _is_decided(decided, _names(one), _names(other)):
            continue
        own, their = (steps.get(each["id"], ())[:_MOST_STEPS] for each in (one, other))
        likeness = _likeness(own, their)
        if likeness.size and (likeness.max(axis=0).mean() + likeness.max(axis=1).mean()) / 2 >= _LEAST_STEPS:
            alike = [(own[row], their[likeness[row].argmax()]) for row in np.argsort(-likeness.max(axis=1))[:_ALIKE]]
            yield Suggestion(
                kind=CorrectionKind.SAME_SCENARIO,
                names=(one["label"], other["label"]),
                sources=(one["support"], other["support"]),
                likeness=near,
                evidence=tuple("both: " + " / ".join(step.row["label_text"] for step in pair) for pair in alike),
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
                    yield (one, other), round(ratio, 4)


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
