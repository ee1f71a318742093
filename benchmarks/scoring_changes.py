"""The official scores of state changes against a plain reading of them, pair by pair, on OpenPI's dev split."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from benchmarks.building import SHARED
from benchmarks.measure import Row, at_least, measure
from benchmarks.plain_change_scores import plain_scores
from kgscripts.evaluation.changes.answers import read_answers
from kgscripts.evaluation.changes.scores import official_scores

_ROUNDS = 3
_FASTER = 15

Seconds = tuple[float, float, float]


def rows() -> Iterator[Row]:
    """Measure both in one process each, in turn; the first call of ours, whose caches are empty, counts."""
    if not (SHARED / "corpora" / "openpi").is_dir():
        yield Row("official scores of state changes", "not measured: no corpus")
        return
    runs: list[Seconds] = [measure(score).value for _ in range(_ROUNDS)]
    plain, first, again = (min(run[part] for run in runs) for part in range(3))
    for what, seconds in (("first call", first), ("again", again)):
        more = f"{1000 * seconds:.0f} ms against {1000 * plain:.0f} ms"
        yield at_least(f"official scores of state changes, {what}", plain / seconds, _FASTER, "x", more)


def score() -> Callable[[], Seconds]:
    """Processor seconds of the plain reading and of two calls of ours.

    Raises
    ------
    RuntimeError
        If their scores, in percent and to four decimals, differ.
    """
    folder = SHARED / "corpora" / "openpi"
    gold = read_answers(folder / "gold" / "dev")
    predictions = read_answers(folder / "published-predictions" / "dev.predictions.jsonl")

    def run() -> Seconds:
        first, ours = _timed(lambda: official_scores(gold, predictions))
        again, _ = _timed(lambda: official_scores(gold, predictions))
        plain, theirs = _timed(lambda: plain_scores(gold, predictions))
        if ours != theirs:
            raise RuntimeError(f"the scores differ: {ours} and {theirs}")
        return plain, first, again

    return run


def _timed(call: Callable[[], tuple[tuple[float, ...], ...]]) -> tuple[float, list[list[float]]]:
    start = time.process_time()
    scores = call()
    seconds = time.process_time() - start
    return seconds, [[round(100 * value, 4) for value in score] for score in scores]
