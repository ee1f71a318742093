"""The weights of the features, by logistic regression, and the file that ships."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from kgscripts.models.stored_vectors import SCALE
from kgscripts.typicality.features import FEATURES, Numbers, Vectors

_DIRECTIONS = 64
"""The number of principal components to which vectors of actions are reduced before weights are learnt."""
_COMPONENT = 0.3
"""Standard deviation of a component; other features have 1, so that the penalty holds these back."""
_PENALTY = 30.0
"""Of squared weights, for each set of examples."""
_STEPS = 20
_DECIMALS = 5


@frozen(eq=False)
class Weights:
    """Weights of features, (features,), and of the components of an action's vector, (size,), and a constant.

    Typicality is at least `usual` for 0.95 of the mentions that InScript labels as events of the scenario's script.
    """

    of_features: Numbers
    of_vector: Numbers
    constant: float
    usual: float = 0.0

    def probability(self, features: Numbers, vectors: Vectors) -> Numbers:
        """The probability of each action, given its features and its vector, to four decimals, (actions,)."""
        logit = (features * self.of_features).sum(axis=1) + (vectors * self.of_vector).sum(axis=1) + self.constant
        return np.asarray(np.round(1 / (1 + np.exp(-logit)), 4))

    def to_json(self, facts: dict[str, Any]) -> str:
        """The content of a file."""
        content = {
            **facts,
            "usual": self.usual,
            **self.values(FEATURES),
        }
        return json.dumps(content, indent=1) + "\n"

    def values(self, names: Sequence[str]) -> dict[str, Any]:
        """The weights as plain values; the features have these names."""
        return {
            "constant": self.constant,
            "features": dict(zip(names, self.of_features.tolist(), strict=True)),
            "vector": self.of_vector.tolist(),
        }

    @classmethod
    def of_values(cls, content: Mapping[str, Any], names: Sequence[str]) -> Weights:
        """The weights that `values` gave."""
        of_features = np.array([content["features"][name] for name in names])
        return cls(of_features, np.array(content["vector"]), content["constant"], content.get("usual", 0.0))


def read_weights(path: Path) -> Weights:
    """Read a file that training wrote."""
    return Weights.of_values(json.loads(path.read_text(encoding="utf-8")), FEATURES)


@cache
def shipped_weights() -> Weights:
    """Those that ship."""
    return read_weights(Path(str(resources.files("kgscripts.typicality") / "data" / "weights.json")))


def learn(features: Numbers, vectors: Vectors, is_so: NDArray[np.bool_], sets: int) -> Weights:
    """Weights by logistic regression with squared weights as penalty (ridge), by Newton's method.

    Parameters
    ----------
    features, vectors:
        Features (examples, features) and vectors (examples, size) of the mentions' actions.
    is_so:
        Whether what is learnt is true of each mention, (examples,).
    sets:
        How often each mention is in the examples, each time compared with other sources.
    """
    middle, spread = features.mean(axis=0), features.std(axis=0) + 1e-9
    units = vectors.astype(np.float64) / SCALE
    average = units.mean(axis=0)
    distinct = np.unique(vectors, axis=0) / SCALE - average
    directions = np.linalg.svd(distinct, full_matrices=False)[2][:_DIRECTIONS].T
    components = (units - average) @ directions
    size = _COMPONENT / components.std()
    design = np.concatenate([(features - middle) / spread, components * size, np.ones((len(features), 1))], axis=1)
    solved = newton(design, is_so.astype(np.float64), _PENALTY * sets)
    of_features = solved[: features.shape[1]] / spread
    of_units = directions @ solved[features.shape[1] : -1] * size
    constant = solved[-1] - of_features @ middle - of_units @ average
    return Weights(
        np.round(of_features, _DECIMALS), np.round(of_units / SCALE, _DECIMALS + 3), round(float(constant), _DECIMALS)
    )


def newton(design: Numbers, target: Numbers, penalty: float, mass: Numbers | float = 1.0) -> Numbers:
    """The weights of the columns; the last column, the constant, has no penalty. `mass` is how much each row counts."""
    # Almost none for the constant, so that the equations can be solved.
    ridge = np.append(np.full(design.shape[1] - 1, penalty), 1e-9)
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        probable = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (mass * (probable - target)) + ridge * weights
        curvature = (design * (mass * probable * (1 - probable))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights
