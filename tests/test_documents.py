"""Documents agree with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cli
from kgscripts.extractors.events import known_scores
from schemas.documentation import graph_document

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "WEIGHTS.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_graph_document_is_the_one_that_the_types_give() -> None:
    assert (ROOT / "docs" / "graph.md").read_text(encoding="utf-8") == graph_document()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_the_readme_lists_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in cli.COMMANDS:
        assert f"kgscripts {name}" in readme


def test_the_evaluation_document_has_the_scores_that_ship() -> None:
    text = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    for score in known_scores():
        assert f"| {score.dataset}, {score.split} | {score.metric} | {score.value:.2f} |" in text
