"""The composer: predictions, its checkpoint, and the adapters of its encoder."""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np
import pytest
import torch
from torch import Tensor

from kgscripts.models.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from kgscripts.models.registry import load
from kgscripts.reproductions.openpi.composer import composer as change_composer
from kgscripts.reproductions.openpi.composer.beam import Candidate
from kgscripts.reproductions.openpi.composer.composer import STRINGS, VOCABULARY, ChangeComposer, composer_model
from kgscripts.reproductions.openpi.composer.network import KINDS, ChangeNetwork, NetworkSize
from kgscripts.reproductions.torch_networks import adapters
from kgscripts.reproductions.torch_networks.adapters import adapters_between, layer_weights, merge_adapters
from schemas.changes import PredictedChange, ProcedureStep
from schemas.errors import ModelError
from tests.models import tiny_composer
from tests.models.tiny_composer import read_small_minilm, small_minilm, trained_weights

STEPS = [
    ProcedureStep(text="Wash the eggs in a bowl.", context=("Take a pan.",), title="Cook Eggs"),
    ProcedureStep(text="Put the pan onto the stove."),
    ProcedureStep(text="🍳🔥", title="🍕"),
    ProcedureStep(text="鍋を火にかける。", context=("Поставьте кастрюлю.",)),
    ProcedureStep(text=" "),
    ProcedureStep(text="\x00\u202e!!"),
    ProcedureStep(text="stir the soup with a spoon and " * 700, context=("Cut the leek.",) * 400, title="Cook " * 99),
    *(ProcedureStep(text=f"Wash the {noun} in the pan{', please' * at}.") for at, noun in enumerate("abcdefghijkl")),
]


@pytest.fixture(scope="module", autouse=True)
def _small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        read_small_minilm(patch)
        yield


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("composer") / "model"
    save_checkpoint(tiny_composer.checkpoint(), folder)
    return folder


@pytest.fixture(scope="module")
def model(saved: Path) -> ChangeComposer:
    loaded = load("state-changes", saved)
    assert isinstance(loaded, ChangeComposer)
    return loaded


@pytest.fixture(scope="module")
def together(model: ChangeComposer) -> list[list[PredictedChange]]:
    return model.predict(STEPS)


def test_predictions_are_sorted_and_differ(model: ChangeComposer, together: list[list[PredictedChange]]) -> None:
    assert len(together) == len(STEPS)
    assert any(together)
    for found in together:
        logs = [one.log_probability for one in found]
        assert logs == sorted(logs, reverse=True)
        assert all(math.isfinite(log) and log <= 0 for log in logs)
        keys = {(one.change.entity.lower(), one.change.attribute.lower(), one.change.after.lower()) for one in found}
        assert len(keys) == len(found) <= tiny_composer.SETTINGS.selection.changes
        assert all(one.change.before != one.change.after for one in found)
    assert model.predict([]) == []
    assert model.model.name == "tiny"


def test_a_step_has_the_same_changes_whatever_comes_along(
    model: ChangeComposer, together: list[list[PredictedChange]]
) -> None:
    draw = random.Random(1)
    order = draw.sample(range(len(STEPS)), len(STEPS))
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        found = dict(zip(order, model.predict([STEPS[place] for place in order]), strict=True))
    finally:
        torch.set_num_threads(before)
    assert [found[place] for place in range(len(STEPS))] == together
    for place in (0, 3, 9):
        assert model.predict([STEPS[place]]) == [together[place]]


def test_many_steps_are_read_in_parts(
    model: ChangeComposer, together: list[list[PredictedChange]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgscripts.reproductions.openpi.composer.composer._BATCH", 5)
    assert model.predict(STEPS[7:]) == together[7:]


def test_context_and_title_are_read(model: ChangeComposer, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[Sequence[Candidate]]()
    monkeypatch.setattr(change_composer, "select", lambda candidates, *_: found.append(candidates))
    bare = attrs.evolve(STEPS[0], context=(), title="")
    model.predict([bare, attrs.evolve(bare, title="Paint a Wall"), attrs.evolve(bare, context=("Take a pan.",)), bare])
    scores = [{log for _, log in own} for own in found]
    assert scores[0] == scores[3]
    assert not scores[0] & scores[1]
    assert not scores[0] & scores[2]


def test_a_checkpoint_gives_the_same_model(saved: Path, together: list[list[PredictedChange]], tmp_path: Path) -> None:
    save_checkpoint(load_checkpoint(saved), tmp_path / "copy")
    assert load("state-changes", tmp_path / "copy").predict(STEPS[:4]) == together[:4]
    for name in ("config.json", "model.safetensors", STRINGS, VOCABULARY):
        assert (tmp_path / "copy" / name).read_bytes() == (saved / name).read_bytes()


def test_weights_are_small_and_near_those_that_were_trained(saved: Path, model: ChangeComposer) -> None:
    stored = load_checkpoint(saved).tensors
    assert all(value.dtype in (np.float16, np.int8) for name, value in stored.items() if not name.startswith("known."))
    trained = trained_weights(small_minilm().network)
    for name, weight in layer_weights(model._encoder.network).items():
        assert torch.allclose(weight, trained[name], atol=1e-3)


def _damaged(checkpoint: Checkpoint, damage: str) -> Checkpoint:
    tensors, files, settings = dict(checkpoint.as_torch()), dict(checkpoint.files), dict(checkpoint.settings)
    vocabulary = json.loads(files[VOCABULARY])
    kind, _, name = damage.partition(" ")
    match kind:
        case "without":
            del tensors[name]
        case "shorter":
            tensors[name] = tensors[name][:-1]
        case "nan" | "inf":
            tensors[name] = torch.full_like(tensors[name], float(kind))
        case "float":
            tensors[name] = tensors[name].float()
        case "foreign":
            tensors[name] = torch.zeros(3)
        case "unset":
            del settings[name]
        case "empty":
            vocabulary[name] = []
        case "double":
            vocabulary[name] = [*vocabulary[name][:-1], vocabulary[name][0]]
        case "longer":
            vocabulary[name] = [*vocabulary[name], "another"]
        case "number":
            vocabulary[name] = [*vocabulary[name][:-1], 7]
        case "lacking":
            del vocabulary[name]
        case "unknown":
            vocabulary[name] = ["x"]
        case "file":
            name, _, content = name.partition(" ")
            files[name] = b"[" * 100_000 if content == "DEEP" else content.encode()
        case "set":
            name, _, value = name.partition(" ")
            settings[name] = json.loads(value)
        case "select":
            name, _, value = name.partition(" ")
            settings["selection"] = {**settings["selection"], name: json.loads(value)}
        case "steps":
            for part in ("vectors", "change_counts", "nouns", "noun_counts", "changes"):
                tensors[f"known.{part}"] = tensors[f"known.{part}"][:0]
    if kind in ("empty", "double", "longer", "number", "lacking", "unknown"):
        files[VOCABULARY] = json.dumps(vocabulary).encode()
    return attrs.evolve(checkpoint, tensors=tensors, files=files, settings=settings)


_DOWN = "adapters.down.encoder.layer.0.attention.self.query"
DAMAGES = [
    *(f"{kind} {name}" for kind in ("without", "shorter", "nan", "inf") for name in ("network.begin", _DOWN)),
    *(f"{kind} {name}" for kind in ("without", "shorter") for name in ("known.vectors", "known.changes")),
    *(f"{kind} known.noun_vectors" for kind in ("without", "float")),
    *("float known.vectors", "float known.changes", "float known.noun_counts", "steps none"),
    *("foreign network.other", "foreign adapters.up.other", f"foreign {_DOWN}"),
    *(f"unset {name}" for name in ("selection", "encoder_sha256")),
    *(f"{kind} {name}" for kind in ("empty", "double", "longer", "number") for name in ("entities", "phrases")),
    *("lacking fillers", "unknown verbs"),
    *(f"file {STRINGS} {text}" for text in ("", "{}", "[]", "DEEP", "[1, 2]", json.dumps([5] * 40))),
    *(f"file {VOCABULARY} {text}" for text in ("", "[]", "DEEP", "{}")),
    *("set size 6", "set size 0", "set size 16.0", "set size 10000000", "set layers 1000000000", "set layers 0"),
    *("set rank 2", "set rank 1000000000", 'set temperature "hot"', "set temperature 0.0", "set temperature NaN"),
    *("set neighbours -1", "set cooks 3", "set selection 3", "set noun_similarity []", 'set encoder_sha256 "0a"'),
    *("set encoder_sha256 7", "select no_change 2.0", "select drawn_sets 0", "select cooks 3", "select sharpness NaN"),
    *("select sharpness Infinity", "select network_share 0.0"),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoints_are_refused(saved: Path, damage: str) -> None:
    with pytest.raises(ModelError):
        composer_model(_damaged(load_checkpoint(saved), damage))


def test_strings_must_be_texts(saved: Path) -> None:
    checkpoint = load_checkpoint(saved)
    strings = json.loads(checkpoint.files[STRINGS])
    strings[strings.index("location")] = 7
    files = {**checkpoint.files, STRINGS: json.dumps(strings).encode()}
    with pytest.raises(ModelError):
        composer_model(attrs.evolve(checkpoint, files=files))


def test_another_minilm_is_named(saved: Path) -> None:
    checkpoint = load_checkpoint(saved)
    other = attrs.evolve(checkpoint, settings={**checkpoint.settings, "encoder_sha256": "0" * 64})
    with pytest.raises(ModelError, match="another encoder"):
        composer_model(other)


def test_weights_as_large_as_they_can_be_still_predict(saved: Path) -> None:
    """A strange model may predict nothing, but breaks nothing."""
    checkpoint = load_checkpoint(saved)
    largest = {
        name: torch.full_like(tensor, 60_000.0) if name.startswith("network.") else tensor
        for name, tensor in checkpoint.as_torch().items()
    }
    model = composer_model(attrs.evolve(checkpoint, tensors=largest))
    for found in model.predict(STEPS[:4]):
        assert all(math.isfinite(one.log_probability) and one.log_probability <= 0 for one in found)


def _best_of_rank(difference: Tensor, rank: int) -> float:
    """The least error that any matrix of a rank can have (Eckart and Young 1936), by eigenvalues."""
    values = np.linalg.eigvalsh((difference.T @ difference).double().numpy())[::-1]
    return math.sqrt(max(0.0, values[rank:].sum()))


@pytest.mark.parametrize("rank", [1, 5, 384])
def test_adapters_come_nearest_to_what_was_trained(rank: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network = small_minilm().network

    def layers(_: object) -> dict[str, Tensor]:
        """One layer, since all are the same."""
        return {name: weight for name, weight in layer_weights(network).items() if name.endswith("key")}

    monkeypatch.setattr(adapters, "layer_weights", layers)
    before = {name: weight.clone() for name, weight in layers(network).items()}
    torch.manual_seed(0)
    after = {name: weight + 0.1 * torch.randn_like(weight) for name, weight in before.items()}
    parts = adapters_between(before, after, rank)
    down, up = ({name: value.numpy() for name, value in part.items()} for part in parts)
    merge_adapters(network, down, up, rank)
    (name,) = before
    error = float((layers(network)[name] - after[name]).norm())
    if rank == 384:
        assert torch.allclose(layers(network)[name], after[name], atol=1e-4)
    else:
        assert math.isclose(error, _best_of_rank(after[name] - before[name], rank), rel_tol=1e-4)


def test_adapters_of_weights_that_did_not_change_are_nothing() -> None:
    weights = {"a": torch.randn(4, 6), "b": torch.randn(6, 4)}
    down, up = adapters_between(weights, weights, 2)
    assert [down[name].shape for name in "ab"] == [(2, 6), (2, 4)]
    assert all(torch.allclose(up[name] @ down[name], torch.zeros(1)) for name in "ab")


def test_a_checkpoint_is_loaded_without_the_compiler_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch._dynamo", None)
    with torch.device("meta"):
        ChangeNetwork([3] * len(KINDS), NetworkSize(16, 1))
