"""How probable a candidate of a state change is: a logistic regression over what speaks for and against it.

``kgscripts train change-ratings`` fits the weights (``data/change_ratings.json``) to candidates that were judged.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from attrs import frozen

from kgscripts.extractors.changes.change_candidates import Candidate
from kgscripts.extractors.changes.change_wording import Wording, place_names
from kgscripts.extractors.changes.verb_changes import PERSON
from schemas.changes import Level

FILE = "change_ratings.json"
LEAST = {Level.CERTAIN: 0.72, Level.LIKELY: 0.4}
"""The least probability of each level."""
_SMALL = 0.003
"""Added to probabilities before their logarithm is taken."""

Features = Mapping[str, float]


@frozen
class RatingWeights:
    """Weights of features by name (others have none), and a constant."""

    constant: float
    features: Mapping[str, float]

    def probability(self, features: Features) -> float:
        """The probability that a candidate with these features is true, to four decimals."""
        logit = self.constant + math.fsum(self.features.get(name, 0.0) * value for name, value in features.items())
        return round(1 / (1 + math.exp(-logit)), 4)

    def to_json(self, facts: Mapping[str, Any]) -> str:
        """The content of a file."""
        content = {**facts, "constant": self.constant, "features": dict(self.features)}
        return json.dumps(content, indent=1) + "\n"


def read_ratings(text: str) -> RatingWeights:
    """The weights of a file that training wrote."""
    content = json.loads(text)
    return RatingWeights(content["constant"], content["features"])


@cache
def shipped_ratings() -> RatingWeights:
    """Those that ship."""
    return read_ratings(_shipped())


@cache
def ratings_digest() -> str:
    """SHA-256 of the weights that ship."""
    return hashlib.sha256(_shipped().encode()).hexdigest()


def _shipped() -> str:
    return (resources.files("kgscripts.extractors") / "data" / FILE).read_text(encoding="utf-8")


def features_of(candidate: Candidate, wording: Wording, *, earlier: float, is_mentioned: bool) -> Features:
    """What speaks for and against a candidate.

    Parameters
    ----------
    candidate, wording:
        The change, and the words of its step.
    earlier:
        The probability of the most probable change of an earlier step to the same value.
    is_mentioned:
        Whether the text mentions the entity in this step or before it.
    """
    change = candidate.change
    found = {
        "pair": candidate.of_pair,
        "log pair": math.log(candidate.of_pair + _SMALL),
        "log entity": math.log(candidate.of_entity + _SMALL),
        "log value": math.log(candidate.of_value + _SMALL) if candidate.of_pair else 0.0,
        "earlier": earlier,
        "in step": float(wording.mentions(change.entity)),
        "in text": float(is_mentioned),
        "person": float(change.entity == PERSON),
        "contradicted": float(wording.speaks_against(change)),
        "value said": float(bool(wording.own & place_names(change.after))),
        "no value before": float(not change.before),
        f"{change.attribute}": 1.0,
    }
    if candidate.line is not None:
        found["verb"] = 1.0
        found["verb, pair"] = candidate.of_pair
        found["verb, log pair"] = math.log(candidate.of_pair + _SMALL)
        found["verb, of value"] = candidate.of_value
        found[f"verb, {change.attribute}"] = 1.0
        found[candidate.line.name] = 1.0
    else:
        found[f"{change.attribute}, after: {change.after}"] = 1.0
    return found


def level_of(probability: float, least: Mapping[Level, float]) -> Level | None:
    """The level of a change with this probability; None if it is too improbable."""
    return next((level for level in Level if probability >= least[level]), None)
