"""What a graph has read of state changes, from a user's view, and the sheet of changes to judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define
from typer.testing import CliRunner

import cli
from benchmarks.change_precision import app, still_read
from benchmarks.judging import read_sheet, scored
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


def test_a_sheet_is_drawn_judged_and_scored(graph: Path, tmp_path: Path) -> None:
    drawn = CliRunner().invoke(app, ["draw", str(graph), "--seed", "1", "--number", "5"]).stdout
    assert CliRunner().invoke(app, ["draw", str(graph), "--seed", "1", "--number", "5"]).stdout == drawn
    file = tmp_path / "sheet.tsv"
    file.write_text(drawn, encoding="utf-8")
    rows = read_sheet(file)
    assert {row["step"] for row in rows} == {"Boil the pasta.", "Drain the pasta."}
    assert {row["before_step"] for row in rows if row["step"][0] == "D"} >= {"We cooked."}
    with pytest.raises(ValueError, match="needs the verdict"):
        list(scored(rows))
    for number, row in enumerate(rows):
        row |= {"first": str(number % 2), "second": "1"}
    assert list(scored(rows)) == [
        "first judge: 2 of 5: 0.400 (95 % 0.118 to 0.769)",
        "second judge: 5 of 5: 1.000 (95 % 0.566 to 1.000)",
        "agreement: 2 of 5, 0.400; Cohen's kappa 0.000",
    ]
    assert still_read([*rows, rows[-1] | {"entity": "bread"}], graph) == rows
    by_step = list(scored(rows, by="step"))
    assert len(by_step) == 9
    assert by_step[-3:] == [f"all, {line}" for line in scored(rows)]


@pytest.mark.parametrize("name", ["change_precision", "decomposition_precision", "script_precision"])
def test_the_sheets_of_the_repository_are_scored(name: str) -> None:
    rows = read_sheet(Path(__file__).parents[2] / "benchmarks" / "data" / f"{name}.tsv")
    first, second, agreement = scored(rows)
    assert first.startswith("first judge: ")
    assert second.startswith("second judge: ")
    assert "kappa" in agreement
