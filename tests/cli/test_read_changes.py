"""What a graph has read of state changes, from a user's view, and the sheet of changes to judge."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define
from typer.testing import CliRunner

import cli
from benchmarks.change_precision import app, read_in
from benchmarks.judging import read_sheet, scored
from kgscripts.building.inputs import Text
from kgscripts.building.report import print_report
from kgscripts.extractors.protocol import Extractor
from kgscripts.extractors.state_changes import StateChangeExtractor
from kgscripts.pipeline import build_graph
from schemas.changes import Change, Level, PredictedChange, ProcedureStep
from schemas.provenance import Model
from tests.extractors.fixed_weights import BY_MODEL, by_model, rate

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


def test_changes_that_a_graph_has_read(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgscripts.models.registry.load", lambda *_: FixedModel())
    output = CliRunner().invoke(cli.app, ["changes", "drain the pasta", "--graph", str(graph), "--json"]).stdout
    read = json.loads(output)["read"]
    of_how_to = [item for item in read if item["scenario"] == "cooking pasta"]
    assert [(item["entity"], item["attribute"], item["before"], item["after"]) for item in of_how_to] == [
        ("pasta", "wetness", "wet", "dry"),
        ("sink", "temperature", "", "warm"),
    ]
    assert {(item["support"], item["probability"], item["step"]) for item in read} == {(1, 1.0, "drain pasta")}
    assert [item["level"] for item in of_how_to] == ["certain", "likely"]
    arguments = ["changes", "drain the pasta", "--graph", str(graph)]
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(cli.app, arguments).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert "1 100%" in " ".join(shown.split())
    stirred = CliRunner().invoke(cli.app, ["changes", "stir the soup", "--graph", str(graph), "--json"]).stdout
    assert json.loads(stirred)["read"] == []


def test_a_sheet_is_drawn_judged_and_scored(graph: Path, tmp_path: Path) -> None:
    drawn = CliRunner().invoke(app, ["draw", str(graph), "--seed", "1", "--number", "2"]).stdout
    assert CliRunner().invoke(app, ["draw", str(graph), "--seed", "1", "--number", "2"]).stdout == drawn
    file = tmp_path / "sheet.tsv"
    file.write_text(drawn, encoding="utf-8")
    rows = read_sheet(file)
    assert [row["level"] for row in rows] == ["certain", "certain", "likely", "likely"]
    assert {row["probability"] for row in rows} == {str(by_model(0.9)), str(by_model(_PERHAPS))}
    assert {row["step"] for row in rows} <= {"Boil the pasta.", "Drain the pasta."}
    before = {row["before_step"] for row in rows if row["level"] == "likely"}
    assert before == {"We cooked.", "# How to cook pasta 1. Boil the pasta. 2."}
    with pytest.raises(ValueError, match="needs the verdict"):
        list(scored(rows))
    for number, row in enumerate(rows):
        row |= {"first": str(number % 2), "second": "1"}
    file.write_text(
        "\n".join("\t".join(row) for row in ([*rows[0]], *(row.values() for row in rows))), encoding="utf-8"
    )
    lines = CliRunner().invoke(app, ["score", str(file)]).stdout.splitlines()
    assert lines[:3] == [
        "certain, first judge: 1 of 2: 0.500 (95 % 0.095 to 0.905)",
        "certain, second judge: 2 of 2: 1.000 (95 % 0.342 to 1.000)",
        "certain, agreement: 1 of 2, 0.500; Cohen's kappa 0.000",
    ]
    assert lines[6:9] == [f"all, {line}" for line in scored(rows)]
    assert lines.count("probability  true   cases") == 2
    mean = (by_model(0.9) + by_model(_PERHAPS)) / 2
    assert lines[-1] == f"expected calibration error {1 - mean:.3f}"


def test_what_was_read_is_found_with_its_text(graph: Path) -> None:
    found = read_in(graph)
    assert len(found) == 5
    assert {(item.entity, item.level) for item in found} == {("pasta", Level.CERTAIN), ("sink", Level.LIKELY)}
    boiled = next(item for item in found if item.attribute == "temperature" and item.entity == "pasta")
    assert (boiled.step, boiled.before, boiled.after) == ("Boil the pasta.", "cold", "hot")


def test_steps_without_changes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.change_precision.load", lambda *_: FixedModel())
    rate(monkeypatch, BY_MODEL)
    file = tmp_path / "steps.txt"
    file.write_text("Wait for the bell.\nDrain the pasta.\nIt was good.\n", encoding="utf-8")
    lines = CliRunner().invoke(app, ["no-change", str(file)]).stdout.splitlines()
    assert [line.split("\t") for line in lines[:3]] == [
        ["Wait for the bell."],
        ["Drain the pasta.", "certain: wetness of pasta: dry", "likely: temperature of sink: warm"],
        ["It was good."],
    ]
    assert [line.partition(" (")[0] for line in lines[3:]] == [
        "nothing certain: 2 of 3: 0.667",
        "nothing likely: 2 of 3: 0.667",
    ]


@pytest.mark.parametrize("name", ["change_precision", "decomposition_precision", "script_precision"])
def test_the_sheets_of_the_repository_are_scored(name: str) -> None:
    rows = read_sheet(Path(__file__).parents[2] / "benchmarks" / "data" / f"{name}.tsv")
    first, second, agreement = scored(rows)
    assert first.startswith("first judge: ")
    assert second.startswith("second judge: ")
    assert "kappa" in agreement
