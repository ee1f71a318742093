"""The weights of candidates of state changes, from candidates that were judged (``data/change_ratings.jsonl``).

A line of the file is a procedure, written for kgscripts: its title, its steps, and for some steps (by number, from 1)
candidates as [entity, attribute, value before, value after, 1 if the step brings it about, else 0].
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.building.reading import parse_documents
from kgscripts.corpora.procedures import Procedure, document_of
from kgscripts.extractors.changes.change_candidates import key_of
from kgscripts.extractors.changes.change_ratings import Features, RatingWeights
from kgscripts.extractors.changes.change_trust import described
from kgscripts.extractors.changes.state_change_units import Units, read_units
from kgscripts.extractors.events.events import EventExtractor
from kgscripts.extractors.protocol import ParsedDocument
from kgscripts.models.changes.protocol import ChangeModel
from kgscripts.models.registry import load
from kgscripts.typicality.weights import newton
from schemas.changes import Change
from schemas.output_files import new_file
from schemas.records import EventMention

_PENALTY = 3.0
"""Of squared weights."""
_LEAST = 3
"""The least number of judged candidates that have a feature."""
_FOLDS = 8
_DECIMALS = 5
Numbers = NDArray[np.float64]


@frozen
class Judged:
    """A candidate that was judged: the number of its procedure, its features, and whether it is true."""

    procedure: int
    features: Features
    is_true: bool


@frozen
class Fitted:
    """The weights; `probabilities` are those of `judged` by weights that were fitted to other procedures."""

    weights: RatingWeights
    judged: Sequence[Judged]
    probabilities: Sequence[float]


def train_change_ratings(out: Path) -> Fitted:
    """Fit the weights with the model of state changes that ships, and write them.

    Raises StoreError if the file cannot be written.
    """
    model: ChangeModel = load("state-changes", "default")
    fitted = fit_judged(judged_candidates(model))
    facts = {
        "data": "steps written for kgscripts, whose candidates a language model judged",
        "candidates": len(fitted.judged),
        "model": model.model.digest,
        "command": "kgscripts train change-ratings --out change_ratings.json",
    }
    with new_file(out) as temporary:
        temporary.write_text(fitted.weights.to_json(facts), encoding="utf-8")
    return fitted


def judged_candidates(model: ChangeModel) -> list[Judged]:
    """The candidates that `model` and the table of verbs give for the shipped procedures, and that were judged."""
    rows = list(_rows())
    procedures = [
        Procedure(id=str(number), title=row["title"], steps=tuple(row["steps"])) for number, row in enumerate(rows)
    ]
    found = []
    for number, (units, row) in enumerate(zip(_units(procedures), rows, strict=True)):
        predictions = model.considered([unit.step for unit in units.units])
        starts = {unit.start: place for place, unit in enumerate(units.units)}
        ends = np.cumsum([len(step) + 1 for step in row["steps"]]).tolist()
        steps = {starts[start]: step for step, start in enumerate([0, *ends[:-1]], 1) if start in starts}
        for place, items in enumerate(described(units.units, predictions, units.nouns)):
            truth = {_key(*parts): bool(is_true) for *parts, is_true in row["judged"].get(str(steps.get(place)), ())}
            for item in items:
                change = item.candidate.change
                key = _key(change.entity, change.attribute, change.before, change.after)
                if key in truth:
                    found.append(Judged(number, item.features, truth[key]))
    return found


def fit_judged(judged: Sequence[Judged]) -> Fitted:
    """Fit weights to all candidates, and to those of seven eighths of the procedures for the others."""
    numbers = sorted({item.procedure for item in judged})
    random.Random(1).shuffle(numbers)
    folds = {number: place % _FOLDS for place, number in enumerate(numbers)}
    probabilities = [0.0] * len(judged)
    for fold in range(_FOLDS):
        weights = _fit([item for item in judged if folds[item.procedure] != fold])
        for place, item in enumerate(judged):
            if folds[item.procedure] == fold:
                probabilities[place] = weights.probability(item.features)
    return Fitted(_fit(judged), judged, probabilities)


def _fit(judged: Sequence[Judged]) -> RatingWeights:
    """Weights by logistic regression with squared weights as penalty; features that are no indicators count in units of
    their standard deviation."""
    counts: dict[str, int] = {}
    for item in judged:
        for name, value in item.features.items():
            counts[name] = counts.get(name, 0) + bool(value)
    names = sorted(name for name, count in counts.items() if count >= _LEAST)
    places = {name: place for place, name in enumerate(names)}
    found = np.zeros((len(judged), len(names) + 1))
    found[:, -1] = 1
    for row, item in enumerate(judged):
        for name, value in item.features.items():
            if name in places:
                found[row, places[name]] = value
    is_indicator = np.isin(found, (0.0, 1.0)).all(axis=0)
    units = np.where(is_indicator, 1.0, found.std(axis=0) + 1e-9)
    truth = np.array([item.is_true for item in judged], dtype=np.float64)
    solved: Numbers = np.round(newton(found / units, truth, _PENALTY) / units, _DECIMALS)
    return RatingWeights(float(solved[-1]), dict(zip(names, solved[:-1].tolist(), strict=True)))


def _units(procedures: Sequence[Procedure]) -> Iterator[Units]:
    documents = [document_of(procedure) for procedure in procedures]
    for document, parses in zip(documents, parse_documents(documents, None), strict=True):
        parsed = ParsedDocument(document, tuple(parses))
        [records] = EventExtractor().read([parsed])
        events = [record for record in records if isinstance(record, EventMention)]
        yield read_units(ParsedDocument(document, tuple(parses), {EventMention: events}))


def _key(entity: str, attribute: str, before: str, after: str) -> tuple[str, str, str, str]:
    change = Change(entity=entity, attribute=attribute, before=before, after=after)
    return (*key_of(change), before, after)


def _rows() -> Iterator[dict[str, Any]]:
    path = resources.files("lightning_modules.learning") / "data" / "change_ratings.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
