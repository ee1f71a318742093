"""What a graph has read of state changes, from a user's view."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define

from kgscripts.building.inputs import Text
from kgscripts.building.report import print_report
from kgscripts.extractors.changes.state_changes import StateChangeExtractor
from kgscripts.extractors.protocol import Extractor
from kgscripts.pipeline import build_graph
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.provenance import Model
from tests.extractors.fixed_weights import BY_MODEL, rate

PASTA = "# How to cook pasta\n\n1. Boil the pasta.\n2. Drain the pasta.\n3. Wait for the bell.\n"
_PERHAPS = 0.565
"""So probable that the change is likely, and not certain."""
_MODEL = Model(name="fixed", version="1", digest="0" * 64, task="state changes")


@define
class FixedModel:
    """Finds that boiling makes hot, and draining makes dry, and perhaps the sink warm."""

    model: Model = _MODEL

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        return self.considered(steps)

    def considered(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        hot = Change(entity="pasta", attribute="temperature", before="cold", after="hot")
        dry = Change(entity="the pasta", attribute="moisture", before="wet", after="dry")
        sink = Change(entity="sink", attribute="temperature", after="warm")
        found = {"Boil the pasta.": [(hot, 0.9)], "Drain the pasta.": [(dry, 0.9), (sink, _PERHAPS)]}
        return [
            [
                PredictedChange(change=change, log_probability=math.log(probability))
                for change, probability in found.get(step.text, ())
            ]
            for step in steps
        ]


def _extractors() -> list[str | Extractor]:
    return ["labels", "sentences", "events", StateChangeExtractor(FixedModel())]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changes")
    texts: list[Text] = [PASTA, {"id": "2", "text": "We cooked. Drain the pasta. It was good."}]
    with pytest.MonkeyPatch.context() as patch:
        rate(patch, BY_MODEL)
        build_graph(output=folder / "graph", texts=texts, extractors=_extractors())
    return folder / "graph"


def test_the_report_counts_changes(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(build_graph(output=graph, extractors=_extractors()))
    assert "state changes 5 read · 3 different" in " ".join(capsys.readouterr().out.split())
