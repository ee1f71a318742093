"""Evaluation of saved pages: figures of pages whose reading is known, and lists that are no gold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kgscripts.commands.evaluate import app
from kgscripts.evaluation.result import from_json
from kgscripts.reproductions.pages import evaluate_pages
from schemas.errors import InputError

INGREDIENTS = "<h2>Ingredients</h2><ul><li>1 loaf of bread<li>some butter</ul>"
METHOD = "<h2>Method</h2><ol><li>1. Slice the bread. Butter it.<li>Toast the slices.</ol>"
MARKUP = {
    "@type": "Recipe",
    "name": "Toast",
    "tool": ["Bread knife"],
    "recipeIngredient": ["1 loaf of bread", "SOME butter", "salt"],
    "recipeInstructions": [
        {"@type": "HowToSection", "name": "Before", "itemListElement": ["Slice the bread. Butter it.", "Wait!"]},
    ],
}
GOLD: dict[str, Any] = {
    "title": "Toast | Example",
    "ingredients": ["1 loaf of bread", "some butter"],
    "instructions": ["Before", "1. Slice the bread. Butter it.", "2. Toast the slices."],
    "equipment": ["knife", "toaster"],
}


def folder(path: Path, *records: dict[str, Any]) -> Path:
    script = f"<script type='application/ld+json'>{json.dumps(MARKUP)}</script>"
    (path / "toast.html").write_text(f"<title>Toast</title>{script}<h1>Toast</h1>{INGREDIENTS}{METHOD}")
    (path / "pages.jsonl").write_text("\n".join(json.dumps({"file": "toast.html", **record}) for record in records))
    return path


def test_figures_by_hand(tmp_path: Path) -> None:
    whole, text = evaluate_pages(folder(tmp_path, GOLD)).systems
    assert {figure.metric: round(figure.value, 4) for figure in whole.figures} == {
        "title": 1.0,
        "instructions, recall": 0.75,  # the heading counts as found; "Toast the slices." is missing
        "instructions, precision": 0.6667,  # "Wait!" is in no instruction
        "ingredients, recall": 1.0,
        "ingredients, precision": 0.6667,
        "tools, recall": 0.5,
        "tools, precision": 1.0,
    }
    assert {figure.metric: figure.value for figure in text.figures} == {
        "title": 1.0,
        "instructions, recall": 0.75,
        "instructions, precision": 1.0,
        "ingredients, recall": 1.0,
        "ingredients, precision": 1.0,
        "tools, recall": 0.0,
        "tools, precision": 0.0,
    }


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    given = [str(folder(tmp_path / "pages", GOLD)), "--examples", "1", "-o", str(tmp_path / "out.json")]
    result = CliRunner().invoke(app, ["pages", *given])
    assert result.exit_code == 0, result.output
    assert "main" in result.output
    assert max(map(len, result.output.splitlines())) <= 80
    (found,) = from_json(json.loads((tmp_path / "out.json").read_text()))
    assert found.items == {"pages": 1, "sentences": 4}
    assert [system.setting for system in found.systems] == ["with markup", "main text only"]
    assert found.examples[0].gold == ("Toast the slices.",)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"title": 3}, '"title" is not a string'),
        ({**GOLD, "ingredients": "bread"}, '"ingredients" is not a list'),
        ({**GOLD, "file": "missing.html"}, "missing.html is missing"),
        ({**GOLD, "file": "../../etc/passwd"}, "passwd is missing"),
    ],
)
def test_bad_lists(record: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        evaluate_pages(folder(tmp_path, record))


def test_a_folder_without_a_list(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        evaluate_pages(tmp_path)


def test_development_pages_reach_their_floors(shared_corpora: Path) -> None:
    """Real pages of 60 sites, which the rules were written in view of."""
    if not (shared_corpora / "recipe-pages").is_dir():
        pytest.skip("no recipe-pages among the corpora")
    whole, text = evaluate_pages(shared_corpora / "recipe-pages").systems
    assert whole["title"] >= 0.95
    assert whole["instructions, recall"] >= 0.95
    assert whole["instructions, precision"] >= 0.95
    assert whole["ingredients, recall"] >= 0.95
    assert text["instructions, recall"] >= 0.9
    assert text["instructions, precision"] >= 0.9
