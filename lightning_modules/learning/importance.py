"""The weights of importance, from judged steps (``data/importance.tsv``), and those of typicality, from InScript."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.models.stored_vectors import MINILM_SHA256
from kgscripts.reproductions.steps.importance import GraphStep, judged_steps
from kgscripts.reproductions.steps.typicality import GROUPS, SCRIPT, labelled_mentions, learn_from, left_out
from kgscripts.typicality.features import Numbers
from kgscripts.typicality.importance import Importance, ImportanceWeights, importance_features
from kgscripts.typicality.weights import Weights, learn
from schemas.errors import InputError
from schemas.output_files import new_file
from schemas.script_graph import StoredGraph


def train_typicality(inscript: Path, out: Path, limit: int | None = None) -> Weights:
    """Learn from the `train` stories of all scenarios, at most `limit` mentions of them, and write the weights.

    The threshold of usual steps is chosen on the same stories, each judged by weights learnt from other scenarios.

    Raises
    ------
    InputError
        if there are no stories.
    StoreError
        if the file cannot be written.
    """
    groups = labelled_mentions(inscript)
    usual = left_out(groups)[1]
    weights = evolve(learn_from([item.of(_first(item.is_train, limit)) for item in groups.values()]), usual=usual)
    facts = {
        "data": "InScript, train stories (Modi et al. 2016), for research",
        "labels": f"{', '.join(SCRIPT)} against all others",
        "known": list(GROUPS),
        "encoder": MINILM_SHA256,
        "command": "kgscripts train typicality --inscript inscript --out weights.json",
    }
    with new_file(out) as temporary:
        temporary.write_text(weights.to_json(facts), encoding="utf-8")
    return weights


def _first(rows: NDArray[np.bool_], limit: int | None) -> NDArray[np.bool_]:
    """The first rows that are true, at most `limit`."""
    return rows if limit is None else rows & (np.cumsum(rows) <= limit)


_FOLDS = 8
_LEAST_OPTIONAL = 0.5
_STEP = 0.02
Truth = NDArray[np.bool_]


def train_importance(graphs: Sequence[StoredGraph], out: Path) -> tuple[ImportanceWeights, int]:
    """Learn from the judged steps that graphs have, and write the weights; also the number of steps.

    Raises
    ------
    InputError
        If the graphs do not have steps of all kinds.
    StoreError
        If the file cannot be written.
    """
    weights, count = learn_importance(graphs)
    facts = {
        "data": "steps of stories and of lists of steps, judged by a language model",
        "steps": count,
        "encoder": MINILM_SHA256,
        "command": "kgscripts train importance GRAPH GRAPH --out importance.json",
    }
    with new_file(out) as temporary:
        temporary.write_text(weights.to_json(facts), encoding="utf-8")
    return weights, count


def learn_importance(graphs: Sequence[StoredGraph]) -> tuple[ImportanceWeights, int]:
    """The weights, and the number of steps that they are learnt from.

    The probability from which on a step is essential is the one with the best F1, each scenario judged by weights that
    were learnt from others.
    """
    pairs = [pair for graph in graphs for pair in judged_steps(graph, _rows()) if pair[1].row["typicality"] is not None]
    kinds = np.array([row["importance"] for row, _ in pairs])
    if len(set(kinds.tolist())) < len(Importance):
        raise InputError(
            "the graphs do not have the judged steps",
            where=", ".join(str(graph.directory) for graph in graphs),
            remedy="build them of MCScript and of the event sequences of DeScript, with merged steps",
        )
    features, vectors = _described([step for _, step in pairs])
    is_essential = kinds == Importance.ESSENTIAL
    is_optional = np.isin(kinds, (Importance.OPTIONAL, Importance.BYSTANDER))
    folds = _folds([step.scenario for _, step in pairs])
    probable = np.zeros(len(pairs))
    for fold in range(_FOLDS):
        held = folds == fold
        weights = learn(features[~held], vectors[~held], is_essential[~held], 1)
        probable[held] = weights.probability(features[held], vectors[held])
    every = learn(features, vectors, is_essential, 1)
    optional = learn(features, vectors, is_optional, 1)
    return ImportanceWeights(every, optional, _best_threshold(probable, is_essential), _LEAST_OPTIONAL), len(pairs)


def _rows() -> Iterator[Mapping[str, str]]:
    path = resources.files("lightning_modules.learning") / "data" / "importance.tsv"
    return csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


def _described(steps: Sequence[GraphStep]) -> tuple[Numbers, NDArray[np.int8]]:
    """The features and the vectors of steps."""
    labels = [(step.label, step.scenario) for step in steps]
    vectors, scenarios = (quantised_vectors([pair[side] for pair in labels]) for side in (0, 1))
    features = importance_features(
        told=np.array([step.row["support"] for step in steps]),
        sources=np.array([step.sources for step in steps]),
        typicality=np.array([step.row["typicality"] for step in steps]),
        labels=labels,
        vectors=vectors,
        scenario=scenarios,
    )
    return features, vectors


def _folds(scenarios: Sequence[str]) -> NDArray[np.int64]:
    """The number of the fold of each step; a scenario is in one of them."""
    numbers = {name: number % _FOLDS for number, name in enumerate(sorted(set(scenarios)))}
    return np.array([numbers[name] for name in scenarios])


def _best_threshold(probable: Numbers, is_so: Truth) -> float:
    """The probability with the best F1 of what is at least as probable."""

    def f1(least: float) -> float:
        predicted = probable >= least
        return float(2 * (predicted & is_so).sum() / max(1, predicted.sum() + is_so.sum()))

    return round(float(max(np.arange(_STEP, 1, _STEP), key=f1)), 2)
