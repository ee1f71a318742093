"""Documents agree with the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup

import cli
from kgscripts.score_files import read_scores, scores_of_package
from schemas.documentation import pages
from schemas.vocabulary import DEFAULT_BASE_IRI, ONTOLOGY_IRI

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("name", "text"), pages(ROOT / "docs" / "reference").items())
def test_the_pages_on_the_graph_are_those_that_the_types_give(name: str, text: str) -> None:
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == text
    assert name != "graph.md" or (DEFAULT_BASE_IRI in text and f"{ONTOLOGY_IRI}`" in text)


def test_the_page_on_commands_lists_every_command() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `kgscripts ([a-z-]+(?: [a-z0-9-]+)?)", page, re.MULTILINE)
    assert sorted(listed) == sorted(_commands())


def _commands() -> Iterator[str]:
    """The commands of the command line, with those of its groups."""
    for name in (*cli.COMMANDS, *cli._added()):
        command = cli._load(name)
        yield from (f"{name} {sub}" for sub in command.commands) if isinstance(command, TyperGroup) else (name,)


def test_the_extraction_document_has_the_scores_that_ship() -> None:
    text = (ROOT / "docs" / "measurements" / "extraction.md").read_text(encoding="utf-8")
    for score in read_scores(scores_of_package("events")):
        assert f"| {score.dataset}, {score.split} | {score.metric} | {100 * score.value:.2f} |" in text
