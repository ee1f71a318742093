"""Texts that tell how something is usually done are scripts; what was once is no step of them."""

from __future__ import annotations

from pathlib import Path

from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph

TEXTS = {
    "borrowing a book": [
        "I'd search the catalogue first. Then I'd note the shelf number and look for the book. At the desk I'd show my "
        "card. I would never fold the pages. One day the alarm rang.",
        "You search the catalogue, then you look for the book on the shelves. You always show your card at the desk.",
    ],
    "heating a sauna": [
        "We always light the stove at four. My father fills the bucket and I sweep the benches. Once the hose burst. "
        "Then we pour water on the stones.",
    ],
}


def test_a_graph_of_two_habits(tmp_path: Path) -> None:
    texts = [{"text": text, "scenario": scenario} for scenario, group in TEXTS.items() for text in group]
    build_graph(output=tmp_path / "graph", texts=texts, extractors=["labels", "events"])
    graph = ScriptGraph.open(tmp_path / "graph")
    steps = {scenario: {step.label for step in graph.script(scenario, all_steps=True).steps} for scenario in TEXTS}
    assert steps["borrowing a book"] >= {"search catalogue", "show card"}
    assert steps["heating a sauna"] >= {"light stove", "fill bucket", "sweep bench"}
    words = " ".join(step for found in steps.values() for step in found)
    assert not any(word in words for word in ("fold", "alarm", "burst"))
