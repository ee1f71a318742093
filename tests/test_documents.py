"""Documents agree with the code."""

from __future__ import annotations

from pathlib import Path

import pytest

import cli
from kgscripts.extractors.events import known_scores
from schemas.documentation import pages

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("name", "text"), pages().items())
def test_the_pages_on_the_graph_are_those_that_the_types_give(name: str, text: str) -> None:
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == text


def test_the_readme_lists_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in cli.COMMANDS:
        assert f"kgscripts {name}" in readme


def test_the_extraction_document_has_the_scores_that_ship() -> None:
    text = (ROOT / "docs" / "measurements" / "extraction.md").read_text(encoding="utf-8")
    for score in known_scores():
        assert f"| {score.dataset}, {score.split} | {score.metric} | {score.value:.2f} |" in text
