"""Search over a million steps, beside a tenth of them: how long an answer takes after start-up."""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, ratio
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.search.entries import Entry, Kind
from kgscripts.search.meaning import Meanings
from kgscripts.search.searching import expected
from kgscripts.search.words import opened_words, write_words
from kgscripts.text.lexicon import nouns

STEPS = 1_000_000
SCENARIOS = 10_000
_VERBS = ("drain", "wash", "open", "close", "fill", "cut", "dry", "heat", "lift", "fold", "clean", "move", "fix", "mix")
_QUESTIONS = ("dry the noodles", "open a bottle of wine", "get the water out of the pot", "make the plates clean")
_BEST = 100


def rows() -> Iterator[Row]:
    """The median answer: what is expected of the question, both rankings, and their rows."""
    whole, tenth = _median(STEPS), _median(STEPS // 10)
    yield ratio(f"answer over {STEPS:,} steps, by words and meaning, against a tenth", whole, tenth, most=10.5)


def _median(steps: int) -> float:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_words(folder / "words", _entries(steps))
        # What the vectors are does not change how long they take.
        random_vectors = np.random.default_rng(0).integers(-60, 60, (steps, 384), dtype=np.int8)
        (folder / "step.vectors").write_bytes(random_vectors.tobytes())
        (folder / "step.numbers").write_bytes(np.arange(1, steps + 1, dtype=np.int32).tobytes())
        (folder / "step.supports").write_bytes(np.zeros(steps, dtype=np.float32).tobytes())
        (folder / "step.places").write_bytes((np.arange(steps, dtype=np.int32) % SCENARIOS).tobytes())
        labels = [f"using thing {number}" for number in range(SCENARIOS)]
        (folder / "step.labels.json").write_text(json.dumps(labels), encoding="utf-8")
        _answer(folder, "start")
        return statistics.median(_answer(folder, question) for question in _QUESTIONS * 3)


def _answer(folder: Path, question: str) -> float:
    start = time.perf_counter()
    vector = quantised_vectors([question])[0]
    known = expected(vector, Kind.STEP)
    near = Meanings(folder).best(vector, Kind.STEP, _BEST, known)
    with opened_words(folder / "words") as index:
        named = index.exact(question, Kind.STEP, _BEST)
        index.rows(list(dict.fromkeys([*named, *near])))
    return time.perf_counter() - start


def _entries(steps: int) -> Iterator[Entry]:
    drawn = random.Random(0)
    things = sorted(nouns("vessel") | nouns("consumable"))
    for number in range(1, steps + 1):
        one, other = drawn.choice(things), drawn.choice(things)
        names = tuple(f"{drawn.choice(_VERBS)} the {one} with {other}" for _ in range(3))
        yield Entry(Kind.STEP, f"step/{number}", names[0], f"using {one}", 1 + number % 40, names, (f"using {one}",))
