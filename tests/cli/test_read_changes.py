"""What a graph has read of state changes, from a user's view, and the sheet of changes to judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import cli
from benchmarks.change_precision import draw, score, sheet
from benchmarks.judging import kappa
from kgscripts.building.inputs import Text
from kgscripts.building.report import print_report
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.state_changes import StateChangeExtractor
from kgscripts.pipeline import build_graph
from schemas.changes import Change, PredictedChange, ProcedureStep
from schemas.provenance import Model

PASTA = "# How to cook pasta\n\n1. Boil the pasta.\n2. Drain the pasta.\n3. Wait for the bell.\n"
_MODEL = Model(name="fixed", version="1", digest="0" * 64, task="state changes")


@define
class FixedModel:
    """Finds that boiling makes hot, and draining makes dry."""

    model: Model = _MODEL

    def predict(self, steps: Sequence[ProcedureStep]) -> list[list[PredictedChange]]:
        hot = Change(entity="pasta", attribute="temperature", before="cold", after="hot")
        dry = Change(entity="the pasta", attribute="moisture", before="wet", after="dry")
        sink = Change(entity="sink", attribute="temperature", after="warm")
        found = {"Boil the pasta.": [hot], "Drain the pasta.": [dry, sink]}
        return [
            [PredictedChange(change=change, log_probability=-0.1) for change in found.get(step.text, ())]
            for step in steps
        ]


def _extractors() -> list[str | Extractor]:
    return ["labels", "sentences", "events", StateChangeExtractor(FixedModel())]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("changes")
    texts: list[Text] = [PASTA, {"id": "2", "text": "We cooked. Drain the pasta. It was good."}]
    build_graph(output=folder / "graph", texts=texts, extractors=_extractors())
    return folder / "graph"


def test_the_report_counts_changes(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_report(build_graph(output=graph, extractors=_extractors()))
    assert "state changes 5 read · 3 different" in " ".join(capsys.readouterr().out.split())


def test_changes_that_a_graph_has_read(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.models.registry.load", lambda *_: FixedModel())
    output = CliRunner().invoke(cli.app, ["changes", "drain the pasta", "--graph", str(graph), "--json"]).stdout
    read = json.loads(output)["read"]
    of_how_to = [item for item in read if item["scenario"] == "cooking pasta"]
    assert [(item["entity"], item["attribute"], item["before"], item["after"]) for item in of_how_to] == [
        ("pasta", "moisture", "wet", "dry"),
        ("sink", "temperature", "", "warm"),
    ]
    assert {(item["support"], item["probability"], item["step"]) for item in read} == {(1, 1.0, "drain pasta")}
    arguments = ["changes", "drain the pasta", "--graph", str(graph)]
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, arguments).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "1 100%" in " ".join(shown.split())
    stirred = CliRunner().invoke(cli.app, ["changes", "stir the soup", "--graph", str(graph), "--json"]).stdout
    assert json.loads(stirred)["read"] == []


def test_a_sheet_has_the_step_and_the_text_before_it(graph: Path) -> None:
    drawn = draw(graph, 5, seed=1)
    assert draw(graph, 5, seed=1) == drawn
    assert {item.step for item in drawn} == {"Boil the pasta.", "Drain the pasta."}
    assert {item.before_step.strip() for item in drawn if item.step[0] == "D"} >= {"We cooked."}
    lines = list(sheet(drawn))
    assert {line.count("\t") for line in lines} == {8}
    with pytest.raises(ValueError, match="needs the verdict"):
        list(score(lines))
    judged = [lines[0], *(f"{number % 2}\t1{line[1:]}" for number, line in enumerate(lines[1:]))]
    first, _, agreement = score(judged)
    assert first.startswith("first reader: 2 of 5: 0.400")
    assert agreement == "agreement: 2 of 5, 0.400; Cohen's kappa 0.000"
    gone = [*judged, judged[-1].replace("pasta", "bread")]
    assert list(score(gone, graph)) == list(score(judged))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [([1, 0, 1, 0], [1, 0, 1, 0], 1.0), ([1, 0], [0, 1], -1.0), ([1, 1, 0, 0], [1, 0, 1, 0], 0.0), ([1], [1], 1.0)],
)
def test_kappa(first: list[int], second: list[int], expected: float) -> None:
    assert kappa(first, second) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[int, int]]) -> None:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    assert kappa(first, second) == pytest.approx(kappa(second, first))
    assert kappa(first, second) <= 1 + 1e-9
