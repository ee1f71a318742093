"""``kgscripts corpora merge``, ``agreement``, ``adjudicate`` and ``scenarios``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kgscripts.commands.corpora import app
from kgscripts.reproductions.scenarios.documents import read_scenario_documents
from schemas.errors import ConfigurationError, KGScriptsError


def _run(*arguments: object) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    assert max(map(len, result.output.splitlines()), default=0) <= 80 or "--json" in arguments
    return result.output


def _document(name: str, *spans: tuple[int, int, str]) -> str:
    segments = [{"start": start, "end": end, "scenarios": [label]} for start, end, label in spans]
    return json.dumps({"id": name, "sentences": [f"Sentence {i}." for i in range(6)], "segments": segments})


@pytest.fixture
def annotators(tmp_path: Path) -> tuple[Path, Path]:
    anna, ben = tmp_path / "anna.jsonl", tmp_path / "ben.jsonl"
    anna.write_text(_document("a", (0, 3, "making tea"), (4, 6, "playing golf")), encoding="utf-8")
    ben.write_text(_document("a", (1, 4, "make tea"), (4, 5, "walking a dog")), encoding="utf-8")
    return anna, ben


def test_agreement_is_printed(annotators: tuple[Path, Path]) -> None:
    (row,) = json.loads(_run("agreement", *annotators, "--json"))
    assert row["categories"] == {"identical": 2, "at least one": 0, "different": 1, "single": 3, "none": 0}
    assert row["raw"] == pytest.approx(1 / 3)
    assert row["spans"] == pytest.approx(0.5)
    text = _run("agreement", *annotators)
    assert "anna / ben" in text
    assert "labels of a single annotator" in text


def test_adjudication_with_decisions(annotators: tuple[Path, Path], tmp_path: Path) -> None:
    gold, conflicts = tmp_path / "gold.jsonl", tmp_path / "conflicts.jsonl"
    text = _run("adjudicate", *annotators, "-o", gold, "--conflicts", conflicts)
    assert "2 of 4 annotated segments were merged" in text
    assert "a: different labels" in text
    (document,) = read_scenario_documents(gold)
    assert [(one.start, one.end, one.scenarios) for one in document.segments] == [(0, 4, ("making tea",))]
    record = json.loads(conflicts.read_text(encoding="utf-8"))
    record["chains"][0]["accepted"] = True
    decisions = tmp_path / "decisions.jsonl"
    decisions.write_text(json.dumps(record), encoding="utf-8")
    facts = json.loads(_run("adjudicate", *annotators, "-o", gold, "--decisions", decisions, "--json"))
    assert (facts["segments"], facts["conflicts"]) == (2, [])
    assert len(read_scenario_documents(gold)[0].segments) == 2


def test_the_list_of_scenarios(tmp_path: Path) -> None:
    assert len(_run("scenarios").splitlines()) == 200
    assert len(json.loads(_run("scenarios", "--json"))) == 200
    assert _run("scenarios", "-o", tmp_path / "scheme.ttl") == ""
    assert "skos:ConceptScheme" in (tmp_path / "scheme.ttl").read_text(encoding="utf-8")


def test_merged_documents_can_be_read_again(tmp_path: Path) -> None:
    labels = ("making tea", "washing dishes", "baking a cake", "playing golf", "sending a fax", "going skiing")
    stories = tmp_path / "stories.jsonl"
    text = "We began early. " * 3 + "It went well. I was happy."
    lines = [json.dumps({"id": f"{label} {i}", "scenario": label, "text": text}) for label in labels for i in range(3)]
    stories.write_text("\n".join(lines), encoding="utf-8")
    filler = tmp_path / "filler.jsonl"
    filler.write_text(_document("a", (1, 2, "making tea"), (3, 4, "making tea")), encoding="utf-8")
    merged = tmp_path / "merged.jsonl"
    options = ("--documents", 20, "--segments", 2, 2, "--withhold", 0.2, "--filler", filler)
    facts = json.loads(_run("merge", stories, "-o", merged, *options, "--json"))
    documents = read_scenario_documents(merged)
    assert facts["documents"] == len(documents) == 20
    assert {len(document.segments) for document in documents} == {2}
    assert facts["scenarios"] == 5
    held_out = _run("merge", stories, "-o", merged, *options, "--part", "held-out", "--seed", 3)
    assert held_out.startswith("20 documents")
    with pytest.raises(ConfigurationError, match="no part"):
        _run("merge", stories, "-o", merged, "--part", "test")


@pytest.mark.parametrize(
    "arguments",
    [
        ("agreement", "MISSING"),
        ("agreement", "EMPTY", "EMPTY"),
        ("adjudicate", "MISSING", "-o", "OUT"),
        ("adjudicate", "EMPTY", "-o", "EMPTY/out"),
        ("merge", "EMPTY", "-o", "OUT"),
        ("merge", "MISSING", "-o", "OUT"),
        ("scenarios", "-o", "EMPTY/out"),
        ("scenarios", "-o", "OUT", "--base-iri", "nothing"),
    ],
)
def test_bad_arguments_are_errors_of_ours(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "EMPTY").write_text("", encoding="utf-8")
    paths = [str(tmp_path / argument) if argument.split("/")[0].isupper() else argument for argument in arguments]
    with pytest.raises(KGScriptsError):
        _run(*paths)
