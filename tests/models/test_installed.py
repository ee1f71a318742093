"""The list of models, and their cards as Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgscripts.models.checkpoint import from_checkpoint, load_checkpoint, read_card, save_checkpoint
from kgscripts.models.installed import card_markdown, find_model
from kgscripts.models.registry import shipped_models, tasks
from schemas.errors import ModelError
from tests.commands import run
from tests.models.test_checkpoint import checkpoint


def test_every_model_that_ships_is_listed_with_its_size_and_shown() -> None:
    rows = {row["name"]: row for row in json.loads(run("models", "list", "--json"))}
    text = run("models", "list")
    assert {*shipped_models(), "typicality", "en_kgscripts", "all-MiniLM-L6-v2"} <= rows.keys()
    for name, path in shipped_models().items():
        row = rows[name]
        assert row["bytes"] == sum(file.stat().st_size for file in path.iterdir())
        assert (row["task"] in tasks(), row["path"]) == (True, str(path))
        assert row["digest"] == read_card(path)[1].digest
        assert re.search(rf"^ *{name} +{row['task']} .*B$", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 80
    for name, row in rows.items():
        shown = run("models", "show", name)
        assert shown.startswith(f"# {row['card']['name']}\n")
        assert row["card"]["licence"] in shown
        for score in row["card"]["scores"]:
            assert f"| {score['dataset']} | {score['split']} | {score['metric']} | {score['value']:g} " in shown


def test_the_card_of_a_directory_and_of_nothing(tmp_path: Path) -> None:
    save_checkpoint(checkpoint(), tmp_path / "mine")
    assert card_markdown(find_model(tmp_path / "mine")).startswith("# ")
    with pytest.raises(ModelError, match="no such model") as refused:
        find_model(tmp_path / "other")
    assert "aligner" in str(refused.value.remedy)


def test_cells_of_cards_cannot_end_their_row(tmp_path: Path) -> None:
    whole = checkpoint()
    object.__setattr__(whole.card, "training", {"a|b": "c\nd"})
    save_checkpoint(whole, tmp_path / "mine")
    assert "| a\\|b | c d |" in card_markdown(find_model(tmp_path / "mine"))


@pytest.mark.parametrize(
    "error", [KeyError("x"), ValueError("x"), ZeroDivisionError(), RecursionError(), MemoryError()]
)
def test_whatever_a_checkpoint_holds_its_model_says_where(tmp_path: Path, error: Exception) -> None:
    @from_checkpoint
    def make(_: object) -> object:
        raise error

    save_checkpoint(checkpoint(), tmp_path / "model")
    with pytest.raises(ModelError, match="do not fit together") as refused:
        make(load_checkpoint(tmp_path / "model"))
    assert refused.value.where == str(tmp_path / "model")
    assert refused.value.remedy


def test_adapters_without_peft_are_loaded_and_not_trained() -> None:
    code = (
        "import sys; sys.modules['peft'] = None\nfrom schemas.errors import explain\n"
        "import kgscripts; from kgscripts.reproductions.torch_networks.adapters import with_adapters\n"
        "kgscripts.load_model('aligner')\n"
        "from kgscripts.reproductions.torch_networks.bert import load_bert\n"
        "try: with_adapters(load_bert().network, 4)\n"
        "except Exception as error: print(explain(error))\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found == "this needs peft\n  pip install 'kgscripts[train]'\n"
