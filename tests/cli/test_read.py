"""`kgscripts read`: what is read in a text, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import cli
from schemas.errors import InputError
from tests.commands import run

TEXT = "If the cover is stuck, pry it off with a screwdriver. Never hit the cover. You will need a screwdriver."


def test_events_things_conditions_and_needs_are_printed() -> None:
    shown = run("read", TEXT)
    lines = [line.strip() for line in shown.splitlines()]
    assert "if: If the cover is stuck" in lines
    assert any(line.startswith("+ pry: instructed, under a condition") for line in lines)
    assert any("instrument screwdriver" in line for line in lines)
    assert any(line.startswith("- hit: left out: negated") for line in lines)
    assert "needs: screwdriver" in lines
    assert max(map(len, shown.splitlines())) <= 80


def test_a_file_and_standard_input_are_read(tmp_path: Path) -> None:
    path = tmp_path / "how.md"
    path.write_text("# Opening a case\n\n1. Pry the cover off.\n2. Lift it out.\n", encoding="utf-8")
    shown = run("read", path)
    assert "Opening a case" in shown
    assert "+ Pry: instructed" in shown
    piped = CliRunner().invoke(cli.app, ["read", "-"], input="Pry the cover off.", catch_exceptions=False)
    assert "+ Pry: instructed" in piped.stdout


def test_json_has_characters_of_the_text() -> None:
    (document,) = json.loads(run("read", TEXT, "--json"))
    (pry,) = [event for event in document["sentences"][0]["events"] if event["text"] == "pry"]
    assert TEXT[pry["start"] : pry["end"]] == "pry"
    assert pry["enters"]
    assert 0.5 <= pry["probability"] <= 1
    roles = {thing["role"]: TEXT[thing["start"] : thing["end"]] for thing in pry["things"]}
    assert roles["instrument"] == "screwdriver"
    assert roles["object from before"] == "cover"


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n", encoding="utf-8")
    for text in ("", " ", str(empty)):
        with pytest.raises(InputError, match="there is no sentence to read"):
            run("read", text)
