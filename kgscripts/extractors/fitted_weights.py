"""Weights of features that ship as a JSON object: name to weight, with a bias."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from importlib import resources

BIAS = "bias"


@functools.cache
def shipped_weights(file: str) -> Mapping[str, float]:
    """The weights of a file in ``data``."""
    weights: dict[str, float] = json.loads(_content(file))
    return weights


@functools.cache
def weights_digest(file: str) -> str:
    """SHA-256 of a file in ``data``."""
    return hashlib.sha256(_content(file).encode("utf-8")).hexdigest()


def log_odds(values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The sum of the bias and of the weighted features; features without a weight count for nothing."""
    return weights[BIAS] + math.fsum(weights.get(name, 0.0) * value for name, value in values.items())


def _content(file: str) -> str:
    return (resources.files("kgscripts.extractors") / "data" / file).read_text(encoding="utf-8")
