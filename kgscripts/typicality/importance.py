"""How important a step is to its scenario: whether it is essential, usual, optional, or none of its steps.

A step is *essential* if without it the thing is not done; *usual* if it is normally done, but could be left out;
*optional* if it is often left out; a *bystander* if it does not belong to the scenario. Two logistic regressions
estimate whether a step is essential, and whether it is optional or a bystander. They see how many sources tell the
step, how typical it is, the words and the vector of the action that names it, and how near these are to the scenario's
name. ``data/importance.json`` has their weights, which ``kgscripts train importance`` fits to steps that were judged.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from attrs import frozen

from kgscripts.models.stored_vectors import SCALE
from kgscripts.text.porter import stem
from kgscripts.typicality.features import Integers, Numbers, Vectors
from kgscripts.typicality.weights import Weights
from kgscripts.wilson import lower_bounds

FEATURES = ("told", "typicality", "shared words", "similarity")


class Importance(StrEnum):
    """What a step is to its scenario."""

    ESSENTIAL = "essential"
    USUAL = "usual"
    OPTIONAL = "optional"
    BYSTANDER = "bystander"


@frozen(eq=False)
class ImportanceWeights:
    """The weights of both regressions over `FEATURES`, and the probability from which on each says yes."""

    essential: Weights
    optional: Weights
    least_essential: float
    least_optional: float

    def to_json(self, facts: dict[str, Any]) -> str:
        """The content of a file."""
        content = {
            **facts,
            "least_essential": self.least_essential,
            "least_optional": self.least_optional,
            "essential": self.essential.values(FEATURES),
            "optional": self.optional.values(FEATURES),
        }
        return json.dumps(content, indent=1) + "\n"


def read_importance(text: str) -> ImportanceWeights:
    """The weights of a file that training wrote."""
    content = json.loads(text)
    return ImportanceWeights(
        Weights.of_values(content["essential"], FEATURES),
        Weights.of_values(content["optional"], FEATURES),
        content["least_essential"],
        content["least_optional"],
    )


@cache
def shipped_importance() -> ImportanceWeights:
    """Those that ship."""
    path = resources.files("kgscripts.typicality") / "data" / "importance.json"
    return read_importance(path.read_text(encoding="utf-8"))


def importance_features(
    told: Integers,
    sources: Integers,
    typicality: Numbers,
    labels: Sequence[tuple[str, str]],
    vectors: Vectors,
    scenario: Vectors,
) -> Numbers:
    """The `FEATURES` of steps, (steps, features).

    Parameters
    ----------
    told, sources, typicality:
        Of each step the number of its sources, that of its scenario's, and its typicality, (steps,).
    labels:
        Of each step its label and that of its scenario.
    vectors, scenario:
        The vectors of these labels, (steps, size).
    """
    shared = [_shared(*pair) for pair in labels]
    products = (vectors.astype(np.int64) * scenario.astype(np.int64)).sum(axis=1) / SCALE**2
    return np.stack([lower_bounds(told, sources) / 1000, typicality, np.array(shared), products], axis=1)


def _shared(label: str, scenario: str) -> float:
    """The share of the words of a label that the name of the scenario has too."""
    stems = set(map(stem, scenario.split()))
    words = label.split()
    return sum(stem(word) in stems for word in words) / max(1, len(words))
