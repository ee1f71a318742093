"""``kgscripts corpora cloze``: what it prints and writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.corpora import app
from kgscripts.corpora.pairs.loading import load_pairs
from schemas.errors import ConfigurationError, InputError, KGScriptsError

ROWS = [
    ("drain the pasta .", "use a large strainer . tip it .", "1 1 0 0 1 1 1 1"),
    ("drain the beans .", "use the strainer .", "1 1 0 1"),
    ("dry it .", "do it .", "1 1 1"),
]
RUNNER = CliRunner()


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "train.template.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in ROWS))
    return path


def run(*arguments: str | Path) -> str:
    result = RUNNER.invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, KGScriptsError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_cloze_task(templates: Path) -> None:
    made, words = templates.with_name("made.tsv"), templates.with_name("words.txt")
    options = ("--min-count", "2", "--whitelist-out", words)
    facts = json.loads(run("cloze", templates, "-o", made, *options, "--json"))
    assert words.read_text() == "strainer\n"
    assert [pair.slots for pair in load_pairs([made])] == [[(3, 4)], [(2, 3)]]
    assert facts == {
        "pairs": 3,
        "clozes": 2,
        "words": 1,
        "blanks": 2,
        "blank_tokens": 2,
    }


def test_cloze_task_with_a_whitelist(templates: Path) -> None:
    words = templates.with_name("words.txt")
    words.write_text("strainer\nlarge\n")
    made = templates.with_name("made.tsv")
    printed = run("cloze", templates, "-o", made, "--whitelist", words)
    assert "3 pairs, 2 with 2 blanks of 3 tokens" in printed
    assert made.read_text() == "".join("\t".join(row) + "\n" for row in ROWS[:2])


def test_nothing_is_written_after_an_error(templates: Path) -> None:
    made = templates.with_name("made.tsv")
    bad = templates.with_name("bad.tsv")
    bad.write_text("a\tb\t2\n")
    for arguments in ([bad], [templates, "--whitelist", templates]):
        with pytest.raises(InputError):
            run("cloze", *arguments, "-o", made)
    assert not made.exists()
    with pytest.raises(ConfigurationError, match="no file can be written there"):
        run("cloze", templates, "--min-count", "1", "-o", bad / "made.tsv")
    folder = templates.with_name("folder")
    folder.mkdir()
    with pytest.raises(ConfigurationError, match="no file can be written there"):
        run("cloze", templates, "--min-count", "1", "-o", folder)
    assert [path.name for path in templates.parent.iterdir() if path.name.startswith(".")] == []


def test_a_cloze_task_without_a_blank_is_an_error(templates: Path) -> None:
    made = templates.with_name("made.tsv")
    with pytest.raises(InputError, match="none of 3 pairs") as refused:
        run("cloze", templates, "-o", made, "--min-count", "99")
    assert "--min-count" in str(refused.value)
    assert not made.exists()


def test_inputs_are_not_overwritten(templates: Path) -> None:
    before = templates.read_bytes()
    words = templates.with_name("words.txt")
    words.write_text("strainer\n")
    made = templates.with_name("made.tsv")
    with pytest.raises(ConfigurationError, match="would be overwritten"):
        run("cloze", templates, "-o", templates)
    with pytest.raises(ConfigurationError, match="would be overwritten"):
        run("cloze", templates, "-o", made, "--whitelist", words, "--whitelist-out", words)
    assert (templates.read_bytes(), words.read_text(), made.exists()) == (before, "strainer\n", False)


def test_help_has_an_example() -> None:
    assert "Example: kgscripts corpora" in run("cloze", "--help")
