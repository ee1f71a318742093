"""Steps that are merged by meaning in graphs: labels, later texts, corrections, and builds without it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.enrichers.merged_steps import StepEnricher
from kgscripts.pipeline import build_graph, remove_source

TEXTS = (
    "Fill the kettle. Boil the water. Put the coffee in the filter. Pour the water. Drink the coffee.",
    "Fill the kettle. Heat the water. Put the coffee in the filter. Pour the water. Drink the coffee.",
    "Fill the pot. Boil the water. Put the powder in the filter. Pour the water. Enjoy the coffee.",
    "Boil the water. Put the coffee in the filter. Add the water. Drink a cup.",
)
READING = ["labels", "sentences", "events"]


def _documents(scenario: str = "making coffee") -> list[dict[str, str]]:
    return [{"id": f"{scenario} {number}", "text": text, "scenario": scenario} for number, text in enumerate(TEXTS)]


def _steps(directory: Path) -> dict[str, set[str]]:
    """The actions of each step, by its label."""
    graph = ScriptGraph.open(directory)
    actions = {row["id"]: row["label"] for row in graph.rows("Action")}
    labels = {row["id"]: row["label"] for row in graph.rows("SubEvent")}
    found: dict[str, set[str]] = {label: set() for label in labels.values()}
    for row in graph.rows("EXPRESSED_AS"):
        found[labels[row["from_id"]]].add(actions[row["to_id"]])
    return found


@pytest.fixture(scope="module")
def coffee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of the texts; nobody writes to it."""
    directory = tmp_path_factory.mktemp("coffee") / "graph"
    build_graph(output=directory, texts=_documents(), extractors=[*READING, "steps"])
    return directory


def test_paraphrases_are_one_step_with_the_name_of_the_most_frequent(coffee: Path) -> None:
    steps = _steps(coffee)
    assert {"boil water", "heat water"} <= steps["boil water"]
    assert "heat water" not in steps
    graph = ScriptGraph.open(coffee)
    (model,) = (row for row in graph.rows("Model") if row["name"] == "steps")
    assert graph.manifest.models[model["digest"]] == f"steps {model['version']}"
    assert graph.manifest.configuration["enrichers"] == "action-vectors steps"


def test_without_the_model_steps_are_merged_by_words(tmp_path: Path) -> None:
    build_graph(output=tmp_path / "graph", texts=_documents(), extractors=READING)
    assert {"boil water", "heat water"} <= _steps(tmp_path / "graph").keys()
    assert ScriptGraph.open(tmp_path / "graph").manifest.configuration["enrichers"] == ""


def test_other_scenarios_are_not_merged_again(coffee: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    enrich = StepEnricher.enrich

    def counting(self: StepEnricher, contents: Any, candidates: Any) -> Any:
        asked.append(len(contents))
        return enrich(self, contents, candidates)

    monkeypatch.setattr(StepEnricher, "enrich", counting)
    chosen = [*READING, "steps"]
    shutil.copytree(coffee, tmp_path / "graph")
    build_graph(output=tmp_path / "graph", texts=_documents("making tea"), extractors=chosen)
    assert asked == [1]
    remove_source(tmp_path / "graph", "text#making tea 0")
    build_graph(output=tmp_path / "one", texts=[*_documents(), *_documents("making tea")[1:]], extractors=chosen)
    assert _steps(tmp_path / "one") == _steps(tmp_path / "graph")


def test_corrections_prevail_over_the_model(tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    file.write_text(
        '{"kind": "different step", "scenario": "making coffee", "step": "boil water", "other": "heat water",'
        ' "author": "Ada", "time": "2026-01-01T00:00:00+00:00"}\n',
        encoding="utf-8",
    )
    build_graph(output=tmp_path / "graph", texts=_documents(), extractors=[*READING, "steps"], corrections=file)
    steps = _steps(tmp_path / "graph")
    assert not any({"boil water", "heat water"} <= actions for actions in steps.values())


@pytest.mark.parametrize(
    ("item", "apart"),
    [
        (
            "Open the lid of the jar, pour the oil into the jar and close the lid.",
            {"open lid", "pour oil", "close lid"},
        ),
        ("Lift the dog into the tub, lather it, rinse it and lift it out.", {"lather dog", "rinse dog"}),
        ("Get a treat, a pitcher and a towel.", {"get treat", "get pitcher", "get towel"}),
    ],
)
def test_the_actions_of_a_list_item_are_steps_of_their_own(tmp_path: Path, item: str, apart: set[str]) -> None:
    text = f"How to do it\n\n1. {item}\n2. Wait for an hour.\n3. Clean the kitchen.\n"
    build_graph(output=tmp_path / "graph", texts=[text], extractors=[*READING, "steps"])
    steps = _steps(tmp_path / "graph")
    for actions in steps.values():
        assert len({action for action in actions if any(action.startswith(own) for own in apart)}) < 2, steps


@pytest.mark.parametrize("chosen", [{"steps": {"least_cosine": 1.0}}, {"steps": {"threshold": 0.98}}])
def test_settings_say_how_alike_the_actions_of_one_step_are(
    tmp_path: Path, chosen: dict[str, dict[str, float]]
) -> None:
    build_graph(output=tmp_path / "graph", texts=_documents(), extractors=[*READING, "steps"], settings=chosen)
    assert {"boil water", "heat water"} <= _steps(tmp_path / "graph").keys()
