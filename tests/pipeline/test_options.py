"""What the options of a build decide: only `extractors` and `without` switch the merging of steps off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph

TEXTS = (
    "I filled the kettle. I boiled the water. I put the tea bag in the cup. I poured the water. I drank the tea.",
    "We filled the kettle. We heated the water. We put the tea bag in the cup. We poured it. We enjoyed the tea.",
)
QUICKLY: dict[str, Any] = {"without": ["state-changes"]}
"""The changes of steps take most of the time, and no option here concerns them."""
MERGING = {"steps", "all-MiniLM-L6-v2"}
"""The models that merge steps and say how typical they are."""

OPTIONS: list[dict[str, Any]] = [
    {
        "scenario_list": "no text.txt",
        "jobs": 2,
        "device": "cpu",
        "format": "text",
        "limit": 2,
        "strict": True,
        "memory": 1 << 30,
        "progress": lambda _: None,
    },
    {
        "scenario": "making tea",
        "predict_tools": True,
        "corrections": "corrections.jsonl",
        "min_support": 2,
        "settings": {"scenarios": {"labelled_too": True}},
        "base_iri": "https://example.org/data/",
        "licence": "https://creativecommons.org/licenses/by/4.0/",
    },
]
"""The first ones leave the graph of these texts as it is."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return _build(tmp_path_factory.mktemp("plain"))


def _build(folder: Path, **options: Any) -> ScriptGraph:
    for number, text in enumerate(TEXTS):
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    (folder / "no text.txt").write_text("gliding over the sea\n", encoding="utf-8")
    correction = {"kind": "rename", "scenario": "making tea", "step": "boil water", "name": "boil it"}
    line = json.dumps(correction | {"author": "Ada", "time": "2026-01-01"})
    (folder / "corrections.jsonl").write_text(line, encoding="utf-8")
    options = {
        name: folder / value if name in ("scenario_list", "corrections") else value for name, value in options.items()
    }
    build_graph([folder / "0.txt", folder / "1.txt"], folder / "graph", **QUICKLY, **options)
    return ScriptGraph.open(folder / "graph")


def _models(graph: ScriptGraph) -> set[str]:
    return {row["name"] for row in graph.rows("Model")}


def test_steps_of_two_texts_are_merged(plain: ScriptGraph) -> None:
    assert _models(plain) >= MERGING
    assert plain.manifest.rows("SubEvent") < plain.manifest.rows("Action")


@pytest.mark.parametrize("options", OPTIONS, ids=["changing nothing", "changing the graph"])
def test_no_other_option_switches_merging_off(options: dict[str, Any], plain: ScriptGraph, tmp_path: Path) -> None:
    graph = _build(tmp_path, **options)
    assert _models(graph) >= MERGING
    enrichers = {"action-vectors", "named-scenarios", "scenario-vectors", "steps"}
    enrichers |= {"predicted-tools"} if options.get("predict_tools") else set()
    assert set(str(graph.manifest.configuration["enrichers"]).split()) == enrichers
    if options is OPTIONS[0]:
        assert _models(graph) == _models(plain)
        counts, expected = ({name: table.rows for name, table in of.manifest.tables.items()} for of in (graph, plain))
        assert counts == expected


@pytest.mark.parametrize(
    "options",
    [
        {"extractors": ["labels", "sentences", "events", "scenarios"]},
        {"without": ["steps", "scenario-vectors", "state-changes"]},
    ],
)
def test_these_options_do(options: dict[str, Any], tmp_path: Path) -> None:
    build_graph(output=tmp_path, texts=TEXTS, scenarios="both", **options)
    graph = ScriptGraph.open(tmp_path)
    assert not _models(graph) & MERGING
    assert graph.manifest.configuration["enrichers"] == ""
