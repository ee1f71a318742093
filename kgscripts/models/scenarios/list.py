"""Scenarios of users: each a name and some sentences, for a detector that is not trained again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kgscripts.corpora.files import find_files
from kgscripts.corpora.json_records import json_object, string, strings
from kgscripts.corpora.scenarios.labels import is_listed, resolve
from kgscripts.corpora.source import numbered_lines
from kgscripts.models.scenarios.protocol import NewScenario, ScenarioAddition, ScenarioModel
from kgscripts.models.sentence_vectors import quantised_vectors
from schemas.arguments import path_of
from schemas.errors import InputError, ModelError
from schemas.scenario_documents import NONE

_REMEDY = 'each line is a name, or {"scenario": "bottling beer", "sentences": ["I washed the bottles."]}'
_NAME_WEIGHT = 0.5
"""The weight of the vector of the name, besides that of the passages."""
_RIDGE = 0.03
"""The penalty of the regression: higher values take fewer sentences from the scenarios of training."""
_BIAS = 0.5
"""Added to the log odds of new scenarios, since a regression gives them less than training would."""

Vectors = NDArray[np.float64]


def read_scenario_list(path: str | Path) -> list[NewScenario]:
    """Read scenarios: a line is a name, or an object of JSON with a ``scenario`` and ``sentences`` about it.

    The sentences of a line are one passage; several lines may be about one scenario.

    Raises
    ------
    InputError
        For a file that cannot be read or is empty, for other lines, and for a scenario that is listed anyway.
    """
    if path_of("scenario_list", path).is_dir():
        raise InputError("it is a folder", where=str(path), remedy="name a file with a scenario on each line")
    [file] = find_files([path])
    if file.fault:
        raise InputError(file.fault, where=str(file.path), remedy="check its permissions")
    found: dict[str, list[tuple[str, ...]]] = {}
    for where, line in numbered_lines(file.path):
        try:
            name, sentences = _entry(line)
        except InputError as error:
            raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error
        passages = found.setdefault(name, [])
        if sentences:
            passages.append(sentences)
    if not found:
        raise InputError("it names no scenario", where=str(path), remedy=_REMEDY)
    return [NewScenario(name, tuple(passages)) for name, passages in found.items()]


def _entry(line: str) -> tuple[str, tuple[str, ...]]:
    """The scenario of a line, and its sentences."""
    label, sentences = line, list[str]()
    if line.lstrip().startswith("{"):
        record = json_object(line)
        label, sentences = string(record, "scenario"), strings(record, "sentences") if "sentences" in record else []
    if is_listed(label):
        remedy = "leave it out: the detector knows it (`kgscripts corpora scenarios` prints all)"
        raise InputError(f"{resolve(label)!r} is one of the 200 scenarios", remedy=remedy)
    name = resolve(label)
    if not any(map(str.isalpha, name)) or name.lower() == NONE.lower():
        raise InputError(f"{label.strip()[:40]!r} is no name of a scenario")
    return name, tuple(sentence for sentence in sentences if sentence.strip())


def with_added(model: ScenarioModel, new: Sequence[NewScenario]) -> ScenarioModel:
    """The model with further scenarios; itself if there are none.

    Raises ModelError for a model that cannot learn scenarios from a list.
    """
    if not new:
        return model
    if not isinstance(model, ScenarioAddition):
        remedy = "use the model `default`, or one that was trained as `detector`"
        raise ModelError(f"the model {model.model.name!r} takes no further scenarios", remedy=remedy)
    return model.with_scenarios(new)


def passages_centre(passages: Iterable[Vectors]) -> Vectors:
    """The direction of the mean of passages, (size,), each by the direction of the sum of its sentences.

    Sentences are vectors of equal length, (sentences, size).
    """
    return _unit(np.sum([_unit(sentences.sum(axis=0)) for sentences in passages], axis=0))


def _centre(scenario: NewScenario) -> Vectors:
    return passages_centre(quantised_vectors(passage).astype(float) for passage in scenario.passages)


def new_rows(new: Sequence[NewScenario], known: Sequence[str], centres: Vectors, rows: Vectors) -> Vectors:
    """Weights of new scenarios and, last, their bias, (new, features), from `rows` (known, features) of the known ones.

    Weights are predicted as a linear function of the vectors of a scenario's name and passages (ridge regression, in
    its dual form); without passages, of the name alone. `centres` (known, size) are the known ones' `passages_centre`.
    """
    names = _unit(quantised_vectors([*known, *(scenario.name for scenario in new)]).astype(float))
    known_names, new_names = names[: len(known)], names[len(known) :]
    both = _unit(centres + _NAME_WEIGHT * known_names)
    found = []
    for scenario, name in zip(new, new_names, strict=True):
        if scenario.passages:
            point, points = _unit(_centre(scenario) + _NAME_WEIGHT * name), both
        else:
            point, points = name, known_names
        middle = points.mean(axis=0)
        kernel = (points - middle) @ (points - middle).T + _RIDGE * np.eye(len(points))
        shares = np.linalg.solve(kernel, (points - middle) @ (point - middle))
        found.append(shares @ (rows - rows.mean(axis=0)) + rows.mean(axis=0))
    added = np.stack(found)
    added[:, -1] += _BIAS
    return added


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
    return vectors / lengths
