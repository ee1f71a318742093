"""Scenarios of users: each a name and some sentences, for a detector that is not trained again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
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
    passages_of: dict[str, list[tuple[str, ...]]] = {}
    for where, line in numbered_lines(file.path):
        try:
            name, sentences = _entry(line)
        except InputError as error:
            raise InputError(error.message, where=where, remedy=error.remedy or _REMEDY) from error
        passages = passages_of.setdefault(name, [])
        if sentences:
            passages.append(sentences)
    if not passages_of:
        raise InputError("it names no scenario", where=str(path), remedy=_REMEDY)
    return [NewScenario(name, tuple(passages)) for name, passages in passages_of.items()]


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


def _centres(scenarios: Sequence[NewScenario]) -> list[Vectors]:
    """The `passages_centre` of each scenario, all of which have passages."""
    passages = [passage for scenario in scenarios for passage in scenario.passages]
    # Encoded together, since batches of few sentences are mostly padding.
    vectors = quantised_vectors([sentence for passage in passages for sentence in passage]).astype(float)
    parts = iter(np.split(vectors, np.cumsum([len(passage) for passage in passages])[:-1]))
    return [passages_centre(islice(parts, len(scenario.passages))) for scenario in scenarios]


def scenario_point(name: Vectors, centre: Vectors) -> Vectors:
    """The direction that stands for a scenario in the regression: of its name, and of its `passages_centre`.

    Both are (…, size) and of unit length.
    """
    return _unit(centre + _NAME_WEIGHT * name)


def points_of(new: Sequence[NewScenario]) -> Vectors:
    """The `scenario_point`s of scenarios, (scenarios, size); without passages, the directions of their names."""
    names = _unit(quantised_vectors([scenario.name for scenario in new]).astype(float))
    centres = iter(_centres([scenario for scenario in new if scenario.passages]))
    return np.stack(
        [
            scenario_point(name, next(centres)) if scenario.passages else name
            for scenario, name in zip(new, names, strict=True)
        ]
    )


def new_rows(
    points: Vectors, has_passages: Sequence[bool], known: Sequence[str], centres: Vectors, rows: Vectors
) -> Vectors:
    """Weights of new scenarios and, last, their bias, (new, features), from `rows` (known, features) of the known ones.

    Weights are predicted as a linear function of the `points_of` scenarios (ridge regression, in its dual form); those
    of the known ones follow from their names and `passages_centre`s, (known, size), or from their names alone.
    """
    names = _unit(quantised_vectors(known).astype(float))
    weights = np.zeros((len(points), rows.shape[1]))
    for described, known_points in ((True, scenario_point(names, centres)), (False, names)):
        of_kind = np.flatnonzero(np.asarray(has_passages) == described)
        middle, mean = known_points.mean(axis=0), rows.mean(axis=0)
        kernel = (known_points - middle) @ (known_points - middle).T + _RIDGE * np.eye(len(known_points))
        shares = np.linalg.solve(kernel, (known_points - middle) @ (points[of_kind] - middle).T)
        weights[of_kind] = shares.T @ (rows - mean) + mean
    weights[:, -1] += _BIAS
    return weights


def _unit(vectors: Vectors) -> Vectors:
    lengths: Vectors = np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
    return vectors / lengths
