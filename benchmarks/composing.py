"""The composer of state changes: variants of its selection on how-tos that training left out, and its speed.

The network never saw the held-out tenth of the how-tos of OpenPI's train split; here they are taken out of the steps
that it looks up, too. Settings were chosen on such steps, so that these are development scores.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np

from benchmarks.building import SHARED
from benchmarks.measure import Row, at_least
from kgscripts.corpora.openpi.change_template import write_change
from kgscripts.corpora.openpi.reading import OpenPIStep
from kgscripts.evaluation.changes.matching import match_step
from kgscripts.models.changes.composer import STRINGS, composer_model
from kgscripts.models.changes.neighbours import KnownSteps
from kgscripts.models.checkpoint import Checkpoint, load_checkpoint
from kgscripts.models.registry import find_checkpoint
from lightning_modules.data import split
from lightning_modules.state_changes.composer_task import procedure_step
from lightning_modules.state_changes.steps import read_steps

_VARIANTS: Mapping[str, Mapping[str, float | int]] = {
    "as it ships": {},
    "the network alone": {"network_share": 1.0, "neighbour_sets": 0.0},
    "the neighbours alone": {"network_share": 0.01, "neighbour_sets": 1.0},
    "half as many imagined sets": {"drawn_sets": 32},
}
_KNOWN = "known."


def rows() -> Iterator[Row]:
    """F1 (exact / BLEU-2 / ROUGE-L) of each variant: official, one to one, by clusters; then steps a second."""
    steps = read_steps([SHARED / "corpora" / "openpi" / "gold" / "train"])
    held_out = split(steps, lambda step: step.procedure).held_out
    procedures = {step.procedure for step in held_out}
    asked = [procedure_step(step) for step in held_out]
    checkpoint = without(
        load_checkpoint(find_checkpoint("default", "state-changes")), [step.procedure in procedures for step in steps]
    )
    for name, changed in _VARIANTS.items():
        selection = {**checkpoint.settings["selection"], **changed}
        model = composer_model(attrs.evolve(checkpoint, settings={**checkpoint.settings, "selection": selection}))
        model.predict(asked[:8])
        start = time.perf_counter()
        predicted = model.predict(asked)
        speed = len(asked) / (time.perf_counter() - start)
        found = [[write_change(one.change) for one in own] for own in predicted]
        yield Row(f"state changes, {name}", _scores(held_out, found))
        yield Row("its steps a second", f"{speed:.1f}") if changed else at_least("its speed", speed, 15, "steps/s")


def without(checkpoint: Checkpoint, left_out: Sequence[bool]) -> Checkpoint:
    """The checkpoint without some of the steps that it looks up."""
    own = {name: tensor for name, tensor in checkpoint.tensors.items() if not name.startswith(_KNOWN)}
    steps = {
        name.removeprefix(_KNOWN): tensor.numpy() for name, tensor in checkpoint.tensors.items() if name not in own
    }
    known = KnownSteps.read(steps, json.loads(checkpoint.files[STRINGS]))
    kept = [place for place, out in enumerate(left_out) if not out]
    assert len(left_out) == len(known.changes)
    rest = KnownSteps(
        known.vectors[kept],
        [known.changes[place] for place in kept],
        [known.nouns[place] for place in kept],
        known.lemmas,
        known.noun_vectors,
    )
    tensors, strings = rest.packed()
    return attrs.evolve(
        checkpoint,
        tensors={**own, **{_KNOWN + name: tensor for name, tensor in tensors.items()}},
        files={**checkpoint.files, STRINGS: json.dumps(strings).encode()},
    )


def _scores(steps: Sequence[OpenPIStep], predicted: Sequence[Sequence[str]]) -> str:
    """F1 in percent by the three ways of matching."""
    matched = [
        match_step([answer.sentence for answer in step.answers], own)
        for step, own in zip(steps, predicted, strict=True)
    ]
    means = np.array(matched).mean(axis=0)[:, :, 2] * 100
    return ", ".join(" / ".join(f"{value:.2f}" for value in row) for row in means)
