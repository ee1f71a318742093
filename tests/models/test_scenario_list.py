"""Scenarios that are added to the detector by name and sentences, and lists of them that are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kgscripts import ScriptGraph
from kgscripts.models.registry import load
from kgscripts.models.scenarios.detector import ScenarioDetector
from kgscripts.models.scenarios.list import (
    new_rows,
    passages_centre,
    points_of,
    read_scenario_list,
    with_added,
)
from kgscripts.models.scenarios.protocol import NewScenario
from kgscripts.models.sentence_vectors import quantised_vectors
from kgscripts.pipeline import build_graph
from schemas.errors import ConfigurationError, InputError, ModelError

KNIFE = NewScenario(
    "sharpening a knife",
    (
        ("I drew the blade along the wet whetstone at a shallow angle.", "After twenty strokes I turned it over."),
        ("The edge was blunt, so I got out the grinding stone and soaked it.", "Then I honed it on the steel."),
        ("She tested the edge on a sheet of paper and took the stone again.",),
    ),
)
TEXT = [
    "I took the blade to the whetstone again and drew it along slowly.",
    "I turned it over and honed the other side until the edge cut paper.",
    "Then I stood under the hot water, rubbed soap over my arms and rinsed the foam off.",
    "I stepped out of the shower and dried myself with the towel.",
]


def _list(folder: Path, *lines: object) -> Path:
    path = folder / "list.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), "utf-8")
    return path


def test_lines_are_names_or_passages(tmp_path: Path) -> None:
    path = _list(
        tmp_path,
        {"scenario": "Bottling beer", "sentences": ["I washed the bottles.", " "]},
        "",
        "sharpening a knife",
        {"scenario": "bottling beer", "sentences": ["I pressed the caps on."]},
        {"scenario": "bottling beer"},
    )
    assert read_scenario_list(path) == [
        NewScenario("bottling beer", (("I washed the bottles.",), ("I pressed the caps on.",))),
        NewScenario("sharpening a knife"),
    ]


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ("", "names no scenario"),
        ("\n \n", "names no scenario"),
        ("taking a bath\n", "one of the 200"),
        ("going to the dentist\n", "one of the 200"),
        ("None\n", "no name"),
        ('{"scenario": "x"\n', "JSON"),
        ('{"sentences": ["a"]}\n', "scenario"),
        ('{"scenario": 3}\n', "scenario"),
        ('{"scenario": ""}\n', "no scenario"),
        ('{"scenario": "x", "sentences": "a"}\n', "sentences"),
        ('{"scenario": "x", "sentences": [1]}\n', "sentences"),
        ('{"scenario": "\\ud800", "sentences": []}\n', "surrogate"),
        ("x\n[1]\n", "no name"),
    ],
)
def test_lists_that_are_wrong_are_refused_by_file_and_line(tmp_path: Path, content: str, match: str) -> None:
    path = tmp_path / "list.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=match) as caught:
        read_scenario_list(path)
    assert "list.txt" in str(caught.value)
    assert caught.value.remedy


def test_a_list_that_is_missing_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_scenario_list(tmp_path / "missing.txt")
    with pytest.raises(InputError, match="folder"):
        read_scenario_list(tmp_path)
    (tmp_path / "odd").write_bytes(b"caf\xe9\n")
    with pytest.raises(InputError, match="UTF-8"):
        read_scenario_list(tmp_path / "odd")


def test_weights_are_those_of_ridge_regression() -> None:
    known = ["taking a shower", "making coffee", "going to the gym"]
    passages = [["I washed my hair."], ["I ground the beans."], ["I lifted the weights."]]
    centres = np.stack([passages_centre([quantised_vectors(own).astype(float)]) for own in passages])
    rows = np.arange(15, dtype=float).reshape(3, 5) ** 1.5
    new = [NewScenario("brewing tea"), KNIFE]
    [by_name, by_passage] = new_rows(points_of(new), [False, True], known, centres, rows)

    def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
        return found

    names = unit(quantised_vectors([*known, "brewing tea", KNIFE.name]).astype(float))
    own = unit(np.mean([unit(quantised_vectors(p).sum(0, dtype=float)) for p in KNIFE.passages], axis=0))
    for points, point, found in (
        (names[:3], names[3], by_name),
        (unit(centres + names[:3] / 2), unit(own + names[4] / 2), by_passage),
    ):
        centred, targets = points - points.mean(0), rows - rows.mean(0)
        primal = np.linalg.solve(centred.T @ centred + 0.03 * np.eye(384), centred.T @ targets)
        expected = (point - points.mean(0)) @ primal + rows.mean(0)
        expected[-1] += 0.5
        assert np.allclose(found, expected, atol=1e-6)


def test_the_shipped_model_finds_a_scenario_that_is_added() -> None:
    model = load("scenarios", "default")
    assert isinstance(model, ScenarioDetector)
    more = with_added(model, [KNIFE])
    assert isinstance(more, ScenarioDetector)
    [before], [after] = model.detect([TEXT]), more.detect([TEXT])
    assert all(KNIFE.name not in segment.scenarios for segment in before)
    assert after[0].scenarios[0] == KNIFE.name
    assert after[-1].scenarios == before[-1].scenarios
    assert more.model.digest != model.model.digest
    assert not more.model.scores
    both = more.with_scenarios([NewScenario("bottling beer")])
    assert both.settings.scenarios[-2:] == (KNIFE.name, "bottling beer")
    assert with_added(model, []) is model


def test_models_without_that_gift_and_modes_without_detection_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="takes no further scenarios"):
        with_added(load("scenarios", "majority"), [KNIFE])
    path = _list(tmp_path, "sharpening a knife")
    for options in ({"scenarios": "given"}, {"without": ["scenarios"]}, {"extractors": ["events"]}):
        with pytest.raises(ConfigurationError):
            build_graph(texts=["I ran."], output=tmp_path / "g", scenario_list=path, **options)


def test_a_graph_has_the_scenarios_of_a_list_and_reads_again_without_it(tmp_path: Path) -> None:
    path = _list(tmp_path, *({"scenario": KNIFE.name, "sentences": list(own)} for own in KNIFE.passages))
    extractors = ["events", "labels", "scenarios", "sentences"]

    def scenarios(scenario_list: Path | None = None) -> set[str]:
        build_graph(
            texts=[" ".join(TEXT)], output=tmp_path / "graph", extractors=extractors, scenario_list=scenario_list
        )
        return {row["label"] for row in ScriptGraph.open(tmp_path / "graph").rows("Scenario")}

    assert KNIFE.name in scenarios(path)
    assert KNIFE.name not in scenarios()
