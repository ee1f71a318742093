"""Every training that runs under Lightning, on a GPU; on the CPU, the tests of each task train it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import kgscripts
from kgscripts.models.checkpoint import load_checkpoint
from kgscripts.reproductions.steps.gold import grouped_scenarios
from lightning_modules.configuration import KINDS
from lightning_modules.scenarios import detector_task
from lightning_modules.scenarios.made_documents import written_passages
from lightning_modules.steps import task as steps_task
from lightning_modules.steps.task import written_texts
from tests.cli.named_paths import write_inputs
from tests.conftest import NO_GPU
from tests.evaluation.test_inscript import STORY
from tests.models.tiny_encoder import write_tiny_encoder
from tests.training import corpus
from tests.training.test_interruption import templates
from tests.training.test_scenarios import write as write_stories
from tests.training.test_state_change_models import write_steps

ACCELERATOR = "gpu"


def _aligner(folder: Path) -> dict[str, Any]:
    labels = [
        {"row": row + 1, "aligned": {str(len(pair.concrete) - 2): [0]}, "unaligned": []}
        for row, pair in enumerate(corpus.pairs())
    ]
    (folder / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels), encoding="utf-8")
    settings = {"layers": 1, "rank": 2, "size": 8, "anchored": 2}
    return {"train": corpus.write(folder), "labels": folder / "labels.jsonl", "set": settings}


def _stories(folder: Path) -> dict[str, Any]:
    stories, documents = write_stories(folder)
    return {"train": stories, "development": documents}


def _steps(folder: Path) -> dict[str, Any]:
    write_inputs(folder)
    for split in ("train", "val"):
        (folder / "inscript" / split / "story").write_text(STORY, encoding="utf-8")
    return {"descript": folder / "sets", "inscript": folder / "inscript", "limit": 4}


TRAININGS: dict[tuple[str, str], Callable[[Path], dict[str, Any]]] = {
    ("transducer", "transducer"): lambda folder: {
        "train": corpus.write(folder),
        "set": {"network.embedding_size": 8, "network.hidden_size": 8, "network.emission_hidden": 8},
    },
    ("masked", "masked"): lambda folder: {
        "train": templates(folder),
        "set": {"encoder": write_tiny_encoder(folder / "encoder")},
    },
    ("aligner", "aligner"): _aligner,
    ("state-changes", "composer"): lambda folder: {
        "train": write_steps(folder / "steps.jsonl"),
        "set": {"size": 16, "layers": 1},
    },
    ("scenarios", "detector"): lambda folder: {**_stories(folder), "set": {"documents": 96}},
    ("scenarios", "topic-tiling"): lambda folder: {**_stories(folder), "config": folder / "tiny.toml"},
    ("step-encoder", "encoder"): lambda _: {"limit": 60, "set": {"layers": 1, "rank": 2}},
    ("steps", "merger"): _steps,
    ("changes", "generator"): lambda _: {"limit": 60, "set": {"inner": 16}},
    ("reader", "reader"): lambda _: {"limit": 60, "set": {"pair_size": 16}},
}


def test_every_network_is_tried() -> None:
    kinds = {(task, kind) for task, kinds in KINDS.items() for kind in kinds}
    of_transducer = {("transducer", "language-model"), ("transducer", "sequence-to-sequence")}
    without_lightning = {("tools", "ranker"), ("text", "pipeline"), ("state-changes", "retrieval")}
    assert set(TRAININGS) == kinds - of_transducer - without_lightning


@pytest.mark.parametrize(("task", "kind"), TRAININGS)
def test_on_a_gpu(task: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not torch.cuda.is_available():
        pytest.skip(NO_GPU)
    # All that was written for the detector and the merger takes minutes to read.
    scenarios = grouped_scenarios(written_texts()[:40])
    monkeypatch.setattr(steps_task, "written_scenarios", lambda: scenarios)
    passages = written_passages()[::12]
    monkeypatch.setattr(detector_task, "written_passages", lambda: passages)
    monkeypatch.setattr(detector_task, "written_stories", list)
    monkeypatch.setattr(detector_task, "calibrated", lambda detector, _: detector)
    options = {"accelerator": ACCELERATOR, "epochs": 1, **TRAININGS[task, kind](tmp_path)}
    if task == "state-changes":
        options["config"] = kind
    trained = kgscripts.train(task, out=tmp_path / "model", **options)
    assert all(
        tensor.isfinite().all() for tensor in load_checkpoint(trained).as_torch().values() if tensor.is_floating_point()
    )
    assert kgscripts.load_model(trained)
