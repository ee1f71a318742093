"""The processor time of offering titles: a vector of each title, and the comparison of each text with all of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Row
from kgscripts.enrichers.named_scenarios import NamedScenarios
from kgscripts.enrichers.scenario_vectors import ScenarioVectors
from kgscripts.models.sentence_vectors import SIZE
from kgscripts.models.stored_vectors import SCALE, encoded

_HOW_TOS = Path(__file__).resolve().parents[1] / "tests" / "data"
_TEXTS, _SENTENCES = 486, 12
"""A quarter of the stories of MCScript, each with their mean number of sentences."""
_TITLES = (50, 250, 1_000)


def rows() -> Iterator[Row]:
    """Milliseconds for each title with its steps, and for each text by the number of titles."""
    lines = [line for path in _HOW_TOS.glob("titled_how_tos*.jsonl") for line in path.read_text("utf-8").splitlines()]
    how_tos = [[record["title"], *record["steps"]] for record in map(json.loads, lines)]
    vectors = ScenarioVectors()
    vectors.enrich(how_tos[:1], ())  # loads the network
    began = time.process_time()
    vectors.enrich(how_tos, ())
    yield Row("the vector of a how-to", f"{1000 * (time.process_time() - began) / len(how_tos):.0f} ms")
    draw = np.random.default_rng(0)
    texts = [
        ["[]", *(f"{9 * place} {9 * place + 8} {_vector(draw)}" for place in range(_SENTENCES))] for _ in range(_TEXTS)
    ]
    for titles in _TITLES:
        offered = [f"title {number:04}\n{_vector(draw)}" for number in range(titles)]
        enricher = NamedScenarios()
        enricher.enrich(texts[:1], offered)  # adds the scenarios to the detector
        began = time.process_time()
        enricher.enrich(texts, offered)
        yield Row(f"a text and {titles} titles", f"{1000 * (time.process_time() - began) / _TEXTS:.1f} ms")


def _vector(draw: np.random.Generator) -> str:
    vector = draw.normal(size=SIZE)
    return encoded((vector / np.linalg.norm(vector) * SCALE).round().clip(-127, 127).astype(np.int8))
