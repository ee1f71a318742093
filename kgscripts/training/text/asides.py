"""Fits the weights by which asides are told from what a text tells: `kgscripts train asides`.

They are fitted on the marked verbs of texts for development (`kgscripts.evaluation.events.marked_texts`), and on the
verbs of InScript's training part that have a label of an event: real stories, which have few asides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from attrs import frozen
from scipy.optimize import minimize
from scipy.sparse import coo_array
from scipy.special import expit

from kgscripts.corpora.inscript import read_stories
from kgscripts.evaluation.events.marked_texts import REALITY, marked_texts
from kgscripts.extractors.events.predicates import frames_of
from kgscripts.extractors.fitted_weights import BIAS
from kgscripts.extractors.parse_repair.repairs import repaired
from kgscripts.extractors.realis.asides import Asides
from kgscripts.extractors.realis.narration import narration_of
from kgscripts.text.pipeline import load_pipeline
from schemas.output_files import write_lines

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PENALTY = 1.0
"""Half the weight of the sum of squares of the weights, against one for the log likelihood of a verb."""
_OF_INSCRIPT = 0.1
"""The weight of a verb of InScript, of which there are many. Without them, events of real stories become asides."""
_NO_EVENTS = frozenset({"", "UnrelEv", "Unclear"})


@frozen
class Clause:
    """The features of a clause, whether it is an aside, and its weight."""

    features: Mapping[str, float]
    is_aside: bool
    weight: float = 1.0


def clauses(parsed: Iterable[tuple[Doc, Mapping[int, bool]]], weight: float) -> Iterator[Clause]:
    """The clauses that no rule discards, of parses with the marked verbs: by their first character, whether it is an
    aside."""
    for doc, marks in parsed:
        narration, doc = narration_of([doc]), repaired(doc, is_step=False)
        asides = Asides(doc, narration)
        for frame in frames_of(doc, narration):
            if frame.reason is None and frame.verb.idx in marks:
                features = asides.features(frame.verb)
                if features is not None:
                    yield Clause(features, marks[frame.verb.idx], weight)


def fit(examples: Sequence[Clause]) -> dict[str, float]:
    """The weights of logistic regression, with a penalty on their squares (not on the bias)."""
    names = sorted({name for clause in examples for name in clause.features})
    column = {name: index for index, name in enumerate(names)}
    cells = [
        (row, column[name], value) for row, each in enumerate(examples) for name, value in each.features.items()
    ] + [(row, len(names), 1.0) for row in range(len(examples))]
    rows, columns, values = zip(*cells, strict=True)
    table = coo_array((values, (rows, columns)), shape=(len(examples), len(names) + 1)).tocsr()
    sign = np.array([1.0 if clause.is_aside else -1.0 for clause in examples])
    importance = np.array([clause.weight for clause in examples])
    penalty = np.array([_PENALTY] * len(names) + [0.0])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        margins = sign * (table @ weights)
        slope = -importance * sign * expit(-margins)
        value = importance @ np.logaddexp(0, -margins) + penalty @ weights**2 / 2
        return float(value), table.T @ slope + penalty * weights

    weights = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B").x
    return {name: round(float(weight), 3) for name, weight in zip([*names, BIAS], weights, strict=True)}


def train_asides(inscript: Path, out: Path, limit: int | None = None) -> int:
    """Fit the weights on the texts for development and on the training part of InScript, at most `limit` stories.

    Writes them, and returns the number of clauses. Raises InputError for what cannot be read.
    """
    nlp = load_pipeline()
    stories = read_stories(inscript / "train")[:limit]
    labels = ({word.start: False for word in story.words if word.event not in _NO_EVENTS} for story in stories)
    texts = [text for name in REALITY for text in marked_texts(f"{name}.development.txt")]
    marks = ({start: label == "no" for start, label in text.labels.items()} for text in texts)
    examples = [
        *clauses(zip(nlp.pipe(text.text for text in texts), marks, strict=True), 1.0),
        *clauses(zip(nlp.pipe(story.document.text for story in stories), labels, strict=True), _OF_INSCRIPT),
    ]
    write_lines(out, [json.dumps(fit(examples), indent=1, sort_keys=True)])
    return len(examples)
