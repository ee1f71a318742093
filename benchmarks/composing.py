"""The speed of the composer of state changes, on the how-tos of OpenPI's train split that training left out."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.building import SHARED
from benchmarks.measure import Row, at_least
from kgscripts.models.registry import load
from lightning_modules.data import split
from lightning_modules.state_changes.composer_task import procedure_step
from lightning_modules.state_changes.steps import read_steps


def rows() -> Iterator[Row]:
    """Steps a second, the first eight apart."""
    gold = SHARED / "corpora" / "openpi" / "gold" / "train"
    if not gold.is_dir():
        yield Row("the composer's speed", "not measured: no corpus")
        return
    held_out = split(read_steps([gold]), lambda step: step.procedure).held_out
    steps = [procedure_step(step) for step in held_out]
    model = load("state-changes", "default")
    model.predict(steps[:8])
    start = time.perf_counter()
    model.predict(steps)
    yield at_least("the composer's speed", len(steps) / (time.perf_counter() - start), 15, "steps/s")
