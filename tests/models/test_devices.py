"""Devices of networks: what onnxruntime has, and networks that run where they are told to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import onnxruntime
import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.devices import check_device, kind_of, provider_of
from kgscripts.models import encoder, registry, runtime
from kgscripts.models.changes.generator import ChangeQuery
from kgscripts.models.checkpoint import read_kind
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import load, load_with_task
from kgscripts.reproductions.torch_networks.inference import run_side_by_side
from schemas.changes import ProcedureStep
from schemas.errors import ConfigurationError, ModelError

_tolist, _float, _int = Tensor.tolist, Tensor.__float__, Tensor.__int__


def _providers(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """As if onnxruntime had these beside the CPU."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [*names, "CPUExecutionProvider"])


@pytest.mark.parametrize(
    "name", ["", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:a", "cuda:01", "cuda:1000", "mps", "coreml:0", "cpu:0"]
)
def test_other_names_are_no_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _providers(monkeypatch, "CUDAExecutionProvider", "CoreMLExecutionProvider")
    with pytest.raises(ConfigurationError, match="no device") as caught:
        check_device(name)
    assert "cpu, cuda, cuda:N or coreml" in str(caught.value.remedy)


def test_a_device_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    _providers(monkeypatch)
    check_device("cpu")
    for name in ("cuda", "cuda:0", "coreml"):
        with pytest.raises(ConfigurationError, match=f"onnxruntime has no device '{name}' here") as caught:
            check_device(name)
        assert "cpu is always there" in str(caught.value.remedy)
    _providers(monkeypatch, "CUDAExecutionProvider", "CoreMLExecutionProvider")
    for name in ("cuda", "cuda:0", "cuda:1", "coreml"):
        check_device(name)
    assert [kind_of(name) for name in ("cpu", "cuda", "cuda:1", "coreml")] == ["cpu", "cuda", "cuda", "coreml"]


def test_a_device_is_a_provider_of_onnxruntime() -> None:
    """What it cannot do, the CPU does."""
    assert provider_of("cpu") == ["CPUExecutionProvider"]
    assert provider_of("cuda") == [("CUDAExecutionProvider", {}), "CPUExecutionProvider"]
    assert provider_of("cuda:2") == [("CUDAExecutionProvider", {"device_id": 2}), "CPUExecutionProvider"]
    assert provider_of("coreml") == [("CoreMLExecutionProvider", {}), "CPUExecutionProvider"]


def test_a_model_is_loaded_once_a_device() -> None:
    assert load("tools", "default") is load("tools", "default", "cpu") is load_with_task("tools")[1]
    assert shared_minilm() is shared_minilm("cpu")
    with pytest.raises(ConfigurationError, match="no device 'gpu'"):
        load("tools", "default", "gpu")


class OneDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Refuses operations on tensors of two devices, as a graphics card does; `seen` are the devices of operations."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, _: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        tensors = [item for item in tree_leaves((args, kwargs)) if isinstance(item, Tensor) and item.dim()]
        devices = {item.device.type for item in tensors}
        assert len(devices) < 2 or func is torch.ops.aten._to_copy.default, f"{func} on {devices}"
        self.seen |= devices
        return func(*args, **(kwargs or {}))


def _aligned(model: Any) -> Any:
    return model.align([Pair(abstract=["drain", "pasta"], concrete=["pour", "it", "off", "."])])


def _changed(model: Any) -> None:
    model.predict([ProcedureStep(text="Boil the water in a pot."), ProcedureStep(text="Drain it.", context=("Boil.",))])


def _generated(model: Any) -> Any:
    words = ["Boil", "the", "water", "in", "a", "pot", "."]
    return model.generate([(ReaderText("", [words]), [ChangeQuery(0, [2, 5])])])


def _read(model: Any) -> Any:
    return model.read([ReaderText("", [["Boil", "the", "water", "."]])])


def _detected(model: Any) -> Any:
    return model.detect([["I boiled the water.", "I drained the pasta."]])


def _merged(model: Any) -> Any:
    actions = [(verb, "", "water", "", "") for verb in ("boil", "heat", "pour")]
    return model.merge([actions, actions[1:]])


RUNS: dict[str, Callable[[Any], Any]] = {
    "aligner": _aligned,
    "changes": _generated,
    "reader": _read,
    "scenarios": _detected,
    "steps": _merged,
    "tools": lambda model: model.rank(["drain the pasta"]),
}


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The devices that networks are loaded on, all of which are the CPU."""
    found: set[str] = set()

    def provider(device: str) -> object:
        found.add(device)
        return provider_of("cpu")

    monkeypatch.setattr(runtime, "provider_of", provider)
    _providers(monkeypatch, "CUDAExecutionProvider")
    yield found
    # What lies on a card that is none must not be found by other tests.
    registry._load_named.cache_clear()
    encoder._shared.cache_clear()


@pytest.mark.parametrize("name", RUNS)
def test_a_network_runs_where_it_is_told_to(name: str, seen: set[str]) -> None:
    expected = RUNS[name](load_with_task(name)[1])
    seen.clear()
    assert RUNS[name](load_with_task(name, device="cuda:1")[1]) == expected
    assert "cuda:1" in seen


@pytest.mark.parametrize("name", ["state-changes"])
def test_what_a_network_of_torch_reads_is_where_it_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device "meta" has tensors without values: those that come back from it are zeros here."""
    _, model = registry._load_directory(registry.shipped_models()[name], "cpu")
    _changed(model)
    model = model.to("meta")
    with monkeypatch.context() as patch:
        patch.setattr(Tensor, "cpu", lambda self: torch.zeros(self.shape, dtype=self.dtype))
        patch.setattr(Tensor, "tolist", lambda self: _tolist(torch.zeros(self.shape, dtype=self.dtype)))
        patch.setattr(Tensor, "nonzero", lambda self: torch.zeros(1, self.dim(), dtype=torch.long))
        patch.setattr(Tensor, "__float__", lambda self: 0.0 if self.is_meta else _float(self))
        patch.setattr(Tensor, "__int__", lambda self: 0 if self.is_meta else _int(self))
        patch.setattr(torch, "get_num_threads", lambda: 1)
        with OneDevice() as mode:
            _changed(model)
    assert mode.seen >= {"cpu", "meta"}


def test_a_full_card_is_no_fault_of_a_text() -> None:
    def fill(_: int) -> None:
        raise torch.cuda.OutOfMemoryError

    with pytest.raises(ModelError, match="the graphics card has too little memory") as caught:
        run_side_by_side(fill, [1, 2])
    assert "--jobs" in str(caught.value.remedy)


def test_every_model_of_a_build_moves_its_network() -> None:
    tasks = {"alignment", "changes", "reader", "state-changes", "scenarios", "steps", "tools"}
    moving = {name for name, path in registry.shipped_models().items() if _task(path) in tasks}
    of_torch = {"state-changes", "state-changes-retrieval", "scenarios-topic-tiling"}
    assert moving == RUNS.keys() | of_torch


def _task(directory: Path) -> str:
    return registry.task_of(read_kind(directory), directory)
