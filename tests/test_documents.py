"""Documents agree with the code."""

from __future__ import annotations

from pathlib import Path

import cli
from kgscripts.extractors.events import known_scores
from schemas.documentation import graph_document

ROOT = Path(__file__).resolve().parents[1]


def test_the_graph_document_is_the_one_that_the_types_give() -> None:
    assert (ROOT / "docs" / "reference" / "graph.md").read_text(encoding="utf-8") == graph_document()


def test_the_readme_lists_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in cli.COMMANDS:
        assert f"kgscripts {name}" in readme


def test_the_evaluation_document_has_the_scores_that_ship() -> None:
    text = (ROOT / "docs" / "measurements" / "evaluation.md").read_text(encoding="utf-8")
    for score in known_scores():
        assert f"| {score.dataset}, {score.split} | {score.metric} | {score.value:.2f} |" in text
