"""Whatever a checkpoint of a model of state changes holds, the answer is a `ModelError`, soon and in little memory."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
import torch
from torch import Tensor

from kgscripts.models.checkpoint import CARD, CONFIG, WEIGHTS, Checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.reproductions.openpi.composer.composer import STRINGS, VOCABULARY
from kgscripts.reproductions.openpi.composer.neighbours import KnownSteps
from kgscripts.reproductions.openpi.retrieval import RetrievalSettings, retrieval_checkpoint
from schemas.errors import ModelError
from tests.models import tiny_composer
from tests.models.test_hostile_checkpoints import DEEP, with_digest
from tests.models.tiny_composer import read_small_minilm

KINDS = ("composer", "retrieval")
SECONDS, KIBIBYTES = 60, 400_000


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        read_small_minilm(patch)
        yield


@pytest.fixture(scope="module")
def checkpoints() -> Mapping[str, Checkpoint]:
    known = KnownSteps.of(tiny_composer.TEXTS, tiny_composer.CHANGES)
    return {
        "composer": tiny_composer.checkpoint(),
        "retrieval": retrieval_checkpoint(known, RetrievalSettings(), tiny_composer.CARD),
    }


def _refused(checkpoint: Checkpoint, folder: Path) -> None:
    """Raises AssertionError if the checkpoint loads, or the refusal takes long or much memory."""
    directory = folder / "model"
    save_checkpoint(attrs.evolve(checkpoint, settings={}), directory)
    # Written here, since JSON is read with NaN, but never saved with it.
    config = json.dumps({"kind": checkpoint.kind, "settings": dict(checkpoint.settings)}).encode()
    with_digest(directory, CONFIG, config)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(ModelError) as error:
        load("state-changes", directory)
    assert error.value.remedy
    assert time.monotonic() - start < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < KIBIBYTES


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_damaged_loads(checkpoints: Mapping[str, Checkpoint], kind: str, tmp_path: Path) -> None:
    save_checkpoint(checkpoints[kind], tmp_path / "model")
    assert load("state-changes", tmp_path / "model").model.name == "tiny"


DAMAGES: Mapping[str, Callable[[Tensor], Tensor | None]] = {
    "missing": lambda _: None,
    "a row less": lambda tensor: tensor[:-1].clone(),
    "a dimension more": lambda tensor: tensor[None].clone(),
    "one number": lambda tensor: tensor.flatten()[0].clone(),
    "empty": lambda tensor: tensor[:0].clone(),
    "NaN": lambda tensor: torch.full(tensor.shape, float("nan")),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_tensors(checkpoints: Mapping[str, Checkpoint], kind: str, damage: str, tmp_path: Path) -> None:
    checkpoint = checkpoints[kind]
    names = sorted(checkpoint.as_torch())
    for name in names if len(names) < 10 else names[:: len(names) // 5]:
        damaged = DAMAGES[damage](checkpoint.as_torch()[name])
        tensors = {**checkpoint.as_torch(), name: damaged}
        _refused(
            attrs.evolve(checkpoint, tensors={name: value for name, value in tensors.items() if value is not None}),
            tmp_path,
        )


ODD_VALUES: tuple[object, ...] = (10**12, -1, float("-inf"), float("nan"), "hot", [])


def _paths(values: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, value in values.items():
        yield (name,)
        if isinstance(value, Mapping):
            yield from ((name, *inner) for inner in _paths(value))


def _with_setting(values: Mapping[str, Any], path: Sequence[str], value: object) -> dict[str, Any]:
    name, *rest = path
    return {**values, name: _with_setting(values[name], rest, value) if rest else value}


@pytest.mark.parametrize("kind", KINDS)
def test_odd_settings(checkpoints: Mapping[str, Checkpoint], kind: str, tmp_path: Path) -> None:
    checkpoint = checkpoints[kind]
    for path in _paths(checkpoint.settings):
        for value in ODD_VALUES:
            settings = _with_setting(checkpoint.settings, path, value)
            _refused(attrs.evolve(checkpoint, settings=settings), tmp_path)


def test_a_layer_of_a_large_number(checkpoints: Mapping[str, Checkpoint], tmp_path: Path) -> None:
    checkpoint = checkpoints["composer"]
    tensors = {**checkpoint.as_torch(), f"network.layers.{10**9 - 1}.own.weight": torch.zeros(48, 16)}
    settings = {**checkpoint.settings, "layers": 10**9}
    _refused(attrs.evolve(checkpoint, tensors=tensors, settings=settings), tmp_path)


@pytest.mark.parametrize(("kind", "prefix"), [("composer", "known."), ("retrieval", "")])
def test_a_step_with_many_changes(
    checkpoints: Mapping[str, Checkpoint], kind: str, prefix: str, tmp_path: Path
) -> None:
    checkpoint = checkpoints[kind]
    changes, counts = (checkpoint.as_torch()[f"{prefix}{name}"] for name in ("changes", "change_counts"))
    tensors = {
        f"{prefix}changes": changes[:1].repeat(10**5, 1),
        f"{prefix}change_counts": torch.tensor([10**5, 0, 0], dtype=counts.dtype),
    }
    _refused(attrs.evolve(checkpoint, tensors={**checkpoint.as_torch(), **tensors}), tmp_path)


@pytest.mark.parametrize(
    "content", [None, b"", DEEP, b"[]", b"{}", b"7", b'["\\ud800"]', b"\xff", b"[" + b"9" * 5000 + b"]"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_odd_files(checkpoints: Mapping[str, Checkpoint], kind: str, content: bytes | None, tmp_path: Path) -> None:
    checkpoint = checkpoints[kind]
    for name in checkpoint.files:
        files = {**checkpoint.files, name: content}
        present = {name: value for name, value in files.items() if value is not None}
        _refused(attrs.evolve(checkpoint, files=present), tmp_path)


@pytest.mark.parametrize(("kind", "name"), [("composer", STRINGS), ("composer", VOCABULARY), ("retrieval", STRINGS)])
@pytest.mark.parametrize("word", [r"\ud800", r"half \ude00"])
def test_half_surrogate_pairs(
    checkpoints: Mapping[str, Checkpoint], kind: str, name: str, word: str, tmp_path: Path
) -> None:
    checkpoint = checkpoints[kind]
    content = checkpoint.files[name].replace(b"location", word.encode())
    assert content != checkpoint.files[name]
    _refused(attrs.evolve(checkpoint, files={**checkpoint.files, name: content}), tmp_path)


@pytest.mark.parametrize("name", [CARD, CONFIG, WEIGHTS])
@pytest.mark.parametrize("kind", KINDS)
def test_files_of_every_checkpoint(checkpoints: Mapping[str, Checkpoint], kind: str, name: str, tmp_path: Path) -> None:
    save_checkpoint(checkpoints[kind], tmp_path / "model")
    content = (tmp_path / "model" / name).read_bytes()
    for damaged in (content[: len(content) // 2], content[:-1] + b"x", None):
        if damaged is None:
            (tmp_path / "model" / name).unlink()
        else:
            (tmp_path / "model" / name).write_bytes(damaged)
        with pytest.raises(ModelError) as error:
            load("state-changes", tmp_path / "model")
        assert error.value.remedy
