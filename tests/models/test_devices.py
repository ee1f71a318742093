"""Devices of networks: what torch has, and tensors that are where the network is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from kgscripts.corpora.pairs.pair import Pair
from kgscripts.devices import check_device, kind_of
from kgscripts.models import registry
from kgscripts.models.changes import generator
from kgscripts.models.changes.generator import ChangeQuery
from kgscripts.models.checkpoint import read_kind
from kgscripts.models.encoder import shared_minilm
from kgscripts.models.inference import run_side_by_side
from kgscripts.models.reader.windows import ReaderText
from kgscripts.models.registry import load, load_with_task
from kgscripts.models.scenarios.protocol import NewScenario
from schemas.changes import ProcedureStep
from schemas.errors import ConfigurationError, ModelError

_tolist, _float, _int = Tensor.tolist, Tensor.__float__, Tensor.__int__


def _cards(monkeypatch: pytest.MonkeyPatch, count: int, *, mps: bool = False) -> None:
    """As if torch had this number of cards."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)


@pytest.mark.parametrize(
    "name", ["", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:a", "cuda:01", "cuda:1000", "mps:0", "cpu:0"]
)
def test_other_names_are_no_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _cards(monkeypatch, 2000, mps=True)
    with pytest.raises(ConfigurationError, match="no device") as caught:
        check_device(name)
    assert "cpu, cuda, cuda:N or mps" in str(caught.value.remedy)


def test_a_device_has_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    _cards(monkeypatch, 0)
    check_device("cpu")
    for name in ("cuda", "cuda:0", "mps"):
        with pytest.raises(ConfigurationError, match=f"torch has no device '{name}' here") as caught:
            check_device(name)
        assert "cpu is always there" in str(caught.value.remedy)
    _cards(monkeypatch, 2, mps=True)
    for name in ("cuda", "cuda:0", "cuda:1", "mps"):
        check_device(name)
    with pytest.raises(ConfigurationError, match="torch has no device 'cuda:2' here"):
        check_device("cuda:2")
    assert [kind_of(name) for name in ("cpu", "cuda", "cuda:1", "mps")] == ["cpu", "cuda", "cuda", "mps"]


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


def _aligned(model: Any) -> None:
    model.align([Pair(abstract=["drain", "pasta"], concrete=["pour", "it", "off", "."])])


def _changed(model: Any) -> None:
    model.predict([ProcedureStep(text="Boil the water in a pot."), ProcedureStep(text="Drain it.", context=("Boil.",))])


def _generated(model: Any) -> None:
    words = ["Boil", "the", "water", "in", "a", "pot", "."]
    model.generate([(ReaderText("", [words]), [ChangeQuery(0, [2, 5])])])


def _detected(model: Any) -> None:
    model.with_scenarios([NewScenario("gliding")]).detect([["I boiled the water.", "I drained the pasta."]])


def _merged(model: Any) -> None:
    actions = [(verb, "", "water", "", "") for verb in ("boil", "heat", "pour")]
    model.merge([actions, actions[1:]])


RUNS: dict[str, Callable[[Any], None]] = {
    "aligner": _aligned,
    "changes": _generated,
    "state-changes": _changed,
    "state-changes-retrieval": _changed,
    "scenarios": _detected,
    "steps": _merged,
    "tools": lambda model: model.rank(["drain the pasta"]),
}


class _Readers:
    """Loads readers of its own, one a device, so that the one that all tests share stays where it is."""

    def __init__(self) -> None:
        self.of_device: dict[str, Any] = {}

    def load(self, task: str, _: str, device: str = "cpu") -> Any:
        assert task == "reader"
        if device not in self.of_device:
            self.of_device[device] = registry._load_directory(registry.shipped_models()["reader"], "cpu")[1].to(device)
        return self.of_device[device]


@pytest.mark.parametrize("name", RUNS)
def test_what_a_network_reads_is_where_it_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device "meta" has tensors without values: those that come back from it are zeros here."""
    monkeypatch.setattr(generator, "load", _Readers().load)
    _, model = registry._load_directory(registry.shipped_models()[name], "cpu")
    RUNS[name](model)
    model = model.to("meta")
    with monkeypatch.context() as patch:
        patch.setattr(Tensor, "cpu", lambda self: torch.zeros(self.shape, dtype=self.dtype))
        patch.setattr(Tensor, "tolist", lambda self: _tolist(torch.zeros(self.shape, dtype=self.dtype)))
        patch.setattr(Tensor, "nonzero", lambda self: torch.zeros(1, self.dim(), dtype=torch.long))
        patch.setattr(Tensor, "__float__", lambda self: 0.0 if self.is_meta else _float(self))
        patch.setattr(Tensor, "__int__", lambda self: 0 if self.is_meta else _int(self))
        patch.setattr(torch, "get_num_threads", lambda: 1)
        with OneDevice() as mode:
            RUNS[name](model)
    assert mode.seen >= {"cpu", "meta"}


def test_a_generator_that_moves_leaves_the_reader_of_others_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are read on the CPU if only the generator has a card."""
    readers = _Readers()
    monkeypatch.setattr(generator, "load", readers.load)
    _, model = registry._load_directory(registry.shipped_models()["changes"], "cpu")
    model.to("meta")
    reader = readers.load("reader", "default")
    assert reader.read([ReaderText("", [["Boil", "the", "water", "."]])])[0].events


def test_a_full_card_is_no_fault_of_a_text() -> None:
    def fill(_: int) -> None:
        raise torch.cuda.OutOfMemoryError

    with pytest.raises(ModelError, match="the graphics card has too little memory") as caught:
        run_side_by_side(fill, [1, 2])
    assert "--jobs" in str(caught.value.remedy)


def test_every_model_of_a_build_moves_its_network() -> None:
    tasks = {"alignment", "changes", "state-changes", "scenarios", "steps", "tools"}
    moving = {name for name, path in registry.shipped_models().items() if _task(path) in tasks}
    assert moving == RUNS.keys() | {"scenarios-topic-tiling"}, "the published model has small networks, on the CPU"


def _task(directory: Path) -> str:
    return registry.task_of(read_kind(directory), directory)
