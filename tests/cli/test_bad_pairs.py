"""Every command that reads pairs reports an invalid record with its location before it does any work."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from kgscripts.commands.corpora import app as corpora
from kgscripts.commands.evaluate import app as evaluate
from lightning_modules.commands import app as train
from schemas.errors import InputError
from tests.training import corpus

COMMANDS: dict[str, tuple[typer.Typer, list[str]]] = {
    "train transducer": (train, ["--config", "transducer-fixed", "--out", "OUT", "--train", "PAIRS"]),
    "train masked": (train, ["--out", "OUT", "--train", "PAIRS"]),
    "train aligner": (train, ["--labels", "GOLD", "--out", "OUT", "--train", "PAIRS"]),
    "evaluate cloze": (evaluate, ["--model", "masked", "--output", "OUT", "--templates", "PAIRS"]),
    "evaluate alignments": (evaluate, ["--gold", "GOLD", "--output", "OUT", "--templates", "PAIRS"]),
    "corpora cloze": (corpora, ["-o", "OUT", "PAIRS"]),
}
GOOD = "chop the garlic\tuse a knife .\t1 1 0 1\n"
BAD = {
    "empty abstract side": ("\tuse a knife .\t1 1 0 1\n", "the abstract side is empty"),
    "blank abstract side": (" \tuse a knife .\t1 1 0 1\n", "the abstract side is empty"),
    "empty concrete side": ("chop the garlic\t\t\n", "the concrete side is empty"),
    "one column": ("chop the garlic\n", "1 column instead of 2"),
    "four columns": ("chop the garlic\tuse a knife .\t1 1 0 1\tmore\n", "4 columns instead of 2"),
    "too few marks": ("chop the garlic\tuse a knife .\t1 1 0\n", "3 marks for 4 tokens"),
    "too many marks": ("chop the garlic\tuse a knife .\t1 1 0 1 1\n", "5 marks for 4 tokens"),
    "other marks": ("chop the garlic\tuse a knife .\t1 1 2 1\n", "something other than 0 and 1"),
    "no UTF-8": ("chop the garlic\tuse a caf\udce9 .\t1 1 0 1\n", "not UTF-8"),
}


def _refusal(command: str, folder: Path, pairs: Path) -> InputError:
    """The command's error for these pairs."""
    (folder / "gold.jsonl").write_text('{"row": 1, "aligned": {"2": [0]}, "unaligned": []}\n')
    app, options = COMMANDS[command]
    files = {"PAIRS": str(pairs), "GOLD": str(folder / "gold.jsonl"), "OUT": str(folder / "out")}
    arguments = [command.split()[1], *(files.get(option, option) for option in options)]
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert refused.value.remedy
    assert not (folder / "out").exists()
    assert not (folder / "out.training").exists()
    return refused.value


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_record_is_reported_with_its_line(tmp_path: Path, command: str, case: str) -> None:
    record, message = BAD[case]
    pairs = tmp_path / "pairs.tsv"
    pairs.write_bytes((GOOD + GOOD + record + GOOD).encode("utf-8", "surrogateescape"))
    refused = _refusal(command, tmp_path, pairs)
    assert message in refused.message
    assert refused.where == "pairs.tsv:3"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_without_pairs_or_none_at_all(tmp_path: Path, command: str) -> None:
    empty = tmp_path / "empty.tsv"
    empty.write_text("")
    assert "no pairs" in _refusal(command, tmp_path, empty).message
    assert "no such file" in _refusal(command, tmp_path, tmp_path / "none.tsv").message


@pytest.mark.parametrize("command", ["train transducer", "train masked"])
def test_too_few_pairs(tmp_path: Path, command: str) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(GOOD)
    assert "too few" in _refusal(command, tmp_path, pairs).message


@pytest.mark.parametrize("command", ["evaluate cloze", "train masked"])
def test_pairs_without_a_blank(tmp_path: Path, command: str) -> None:
    assert "blanks" in _refusal(command, tmp_path, corpus.write(tmp_path)).message
