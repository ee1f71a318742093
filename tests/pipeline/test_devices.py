"""The device of a build: where it is set, what it changes, and that onnxruntime must have it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import onnxruntime
import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.building import options as build_options
from kgscripts.editing.correcting import correct_graph
from kgscripts.enrichers.protocol import ENRICHERS, choose_enrichers
from kgscripts.extractors.changes.state_changes import StateChangeExtractor
from kgscripts.extractors.registry import EXTRACTORS
from kgscripts.pipeline import build_graph
from kgscripts.settings import devices_of, version_of
from schemas.errors import ConfigurationError, KGScriptsError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny, tiny_document

TEXTS = [tiny_document("stir the pot. add the water.", name="one", scenario="cooking pasta")]
NETWORKS = {"action-vectors", "decompositions", "events", "predicted-tools", "scenarios", "state-changes", "steps"} | {
    "scenario-vectors"
}
"""What runs a network of its own."""
_ON_REQUEST = {"open-changes"}
"""What does so if it is asked for."""


@pytest.fixture
def _cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if onnxruntime had cards."""
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CUDAExecutionProvider"])


class _Chosen(BaseException):
    """Ends a build when all is chosen."""


def _devices(monkeypatch: pytest.MonkeyPatch, **options: Any) -> dict[str, str]:
    """The device of each extractor and enricher that a build would have."""
    chosen: list[Any] = []

    def keep_enrichers(*arguments: Any) -> Any:
        chosen.extend(found := choose_enrichers(*arguments))
        return found

    def keep_extractors(extractors: list[Any], *_: Any) -> None:
        chosen.extend(EXTRACTORS.open(item) if isinstance(item, str) else item for item in extractors)
        raise _Chosen

    monkeypatch.setattr(build_options, "choose_enrichers", keep_enrichers)
    monkeypatch.setattr(build_options, "choose", keep_extractors)
    with pytest.raises(_Chosen):
        build_graph(output="nowhere", texts=TEXTS, **options)
    assert not Path("nowhere").exists()
    return {item.name: getattr(item.settings, name) for item in chosen for name in devices_of(item.settings)}


@pytest.mark.usefixtures("_cards")
def test_every_network_of_a_build_runs_on_its_device(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _devices(monkeypatch, predict_tools=True) == dict.fromkeys(NETWORKS, "cpu")
    assert _devices(monkeypatch, predict_tools=True, device="cuda:1") == dict.fromkeys(NETWORKS, "cuda:1")
    found = _devices(monkeypatch, predict_tools=True, device="cuda", also=["open-changes"])
    assert found == dict.fromkeys(NETWORKS | _ON_REQUEST, "cuda")
    settings = {"steps": {"device": "cpu"}, "state-changes": {"device": "cuda:0", "model": "changes"}}
    found = _devices(monkeypatch, device="cuda", settings=settings, scenarios="both", without=["decompositions"])
    assert found == {
        "action-vectors": "cuda",
        "decompositions": "cpu",
        "events": "cuda",
        "scenario-vectors": "cuda",
        "scenarios": "cuda",
        "state-changes": "cuda:0",
        "steps": "cpu",
    }, "settings win, and what is left out is not opened"
    extractors = [*tiny(), StateChangeExtractor(), "scenarios", "steps"]
    found = _devices(monkeypatch, device="cuda", extractors=extractors)
    assert found == {"action-vectors": "cuda", "scenarios": "cuda", "state-changes": "cpu", "steps": "cuda"}


@pytest.mark.usefixtures("_cards")
def test_the_kind_of_a_device_is_part_of_versions() -> None:
    for name in NETWORKS | _ON_REQUEST:
        plugins: Any = EXTRACTORS if name in EXTRACTORS.names() else ENRICHERS
        plain, cpu, cuda, other = (
            version_of(plugins.open(name, values).settings)
            for values in (None, {"device": "cpu"}, {"device": "cuda"}, {"device": "cuda:1"})
        )
        assert plain == cpu
        assert cuda == other == plain | {"device": "cuda"}
    assert ENRICHERS.open("steps", {"device": "cuda"}).version != ENRICHERS.open("steps").version


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda", "onnxruntime has no device 'cuda' here"),
        ("coreml", "onnxruntime has no device 'coreml' here"),
        ("mps", "no device 'mps'"),
        ("gpu", "no device 'gpu'"),
        ("", "no device ''"),
        (0, "device is 0"),
        (None, "device is None"),
    ],
)
def test_a_device_that_is_not_there_is_refused_before_anything_is_read(
    device: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    for options in ({"device": device}, {"settings": {"steps": {"device": device}}}):
        with pytest.raises(ConfigurationError, match=message) as caught:
            build_graph(output=tmp_path / "graph", texts=TEXTS, extractors=[*tiny(), "steps"], **options)
        assert caught.value.remedy
    if isinstance(device, str):
        (tmp_path / "text.txt").write_text("I boiled water.", encoding="utf-8")
        line = ["build-graph", str(tmp_path / "text.txt"), "-o", str(tmp_path / "graph"), "--device", device]
        with pytest.raises(KGScriptsError, match=message):
            CliRunner().invoke(cli.app, line, catch_exceptions=False)
    assert not (tmp_path / "graph").exists()


def test_a_graph_that_was_made_on_another_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    options: dict[str, Any] = {"texts": TEXTS, "extractors": [*tiny(), "steps"], "without": ["action-vectors"]}
    build_graph(output=tmp_path, **options)
    before = graph_bytes(tmp_path)
    manifest = json.loads(before["manifest.json"])
    for device in ("cuda", "gpu", 5):
        manifest["configuration"]["steps.device"] = device
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        with pytest.raises(ConfigurationError, match=f"no device '{device}'") as caught:
            correct_graph(tmp_path, [])
        assert "--set steps.device=cpu" in str(caught.value.remedy)
    correct_graph(tmp_path, [], settings={"steps": {"device": "cpu"}})
    assert "steps.device" not in ScriptGraph.open(tmp_path).manifest.configuration
    assert graph_bytes(tmp_path) == before
