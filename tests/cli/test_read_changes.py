"""What a graph has read of state changes, from a user's view."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from kgscripts.building.inputs import Text
from kgscripts.building.report import print_report
from kgscripts.extractors.changes.state_changes import StateChangeExtractor
from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph
from tests.extractors.fixed_generator import FixedGenerator

PASTA = "# How to cook pasta\n\n1. Boil the pasta.\n2. Drain the pasta.\n3. Wait for the bell.\n"
_PERHAPS = 0.565
"""So probable that the change is likely, and not certain."""
CHANGES = {
    "Boil": [("pasta", "temperature", "cold", "hot", 0.9)],
    "Drain": [("pasta", "moisture", "wet", "dry", 0.9), ("sink", "temperature", "", "warm", _PERHAPS)],
}
"""Boiling makes hot, and draining makes dry, and perhaps the sink warm."""


def _extractors() -> list[str | Extractor]:
    return ["labels", "sentences", "events", StateChangeExtractor(FixedGenerator(CHANGES, ()))]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changes")
    texts: list[Text] = [PASTA, {"id": "2", "text": "We cooked. Drain the pasta. It was good."}]
    build_graph(output=folder / "graph", texts=texts, extractors=_extractors())
    return folder / "graph"


def test_the_report_counts_changes(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(build_graph(output=graph, extractors=_extractors()))
    assert "state changes 5 read · 3 different" in " ".join(capsys.readouterr().out.split())


def test_the_graph_has_the_changes_with_their_levels(graph: Path) -> None:
    found = ScriptGraph.open(graph)
    labels = {row["id"]: row["label"] for name in ("SubEvent", "StateChange") for row in found.rows(name)}
    changes = {(labels[row["from_id"]], labels[row["to_id"]]): row["level"] for row in found.rows("CHANGES")}
    assert changes == {
        ("boil pasta", "temperature of pasta: cold -> hot"): "certain",
        ("drain pasta", "wetness of pasta: wet -> dry"): "certain",
        ("drain pasta", "temperature of sink: warm"): "likely",
    }
