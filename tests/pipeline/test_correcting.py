"""Correcting a graph: files of corrections, and what people type."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph
from kgscripts.analysis.graph_diff import diff_graphs
from kgscripts.building.correction_file import read_correction_file
from kgscripts.editing.correcting import list_corrections
from kgscripts.editing.correction_words import GraphWords
from kgscripts.pipeline import build_graph
from schemas.corrections import Correction
from schemas.errors import GraphDirectoryError, InputError, KGScriptsError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny, tiny_document

PASTA = "cooking pasta"
WHO = {"author": "Ada", "time": "2026-03-01"}
REJECT = {"kind": "reject", "scenario": PASTA, "step": "watch film", **WHO}


def _graph(path: Path, **options: Any) -> ScriptGraph:
    text = (
        "boil the water in the pot with the spoon. put the pasta in the pot. put the pasta in the water. "
        "take on the lid. take on the shelf. watch the film."
    )
    build_graph(output=path, texts=[tiny_document(text, scenario=PASTA)], extractors=tiny(), **options)
    return ScriptGraph.open(path)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return _graph(tmp_path_factory.mktemp("graph") / "graph")


def _line(**values: Any) -> bytes:
    return json.dumps({key: value for key, value in (REJECT | values).items() if value is not None}).encode()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"reject watch film", "not a JSON object\n.*a correction is"),
        (b'{"kind": "reject"', "not JSON"),
        (b'["reject"]', "not a JSON object"),
        (_line(kind=None), 'needs "kind"'),
        (_line(kind="delete"), "'delete' is no kind of correction\n.*rename, same step"),
        (_line(kind=3), '"kind" is not a string'),
        (_line(author=None), 'needs "author"'),
        (_line(author=" "), 'needs "author"'),
        (_line(time=None), 'needs "time"'),
        (_line(time="soon"), "no date or time\n.*2026-03-01T12:30:00Z"),
        (_line(time=20260301), '"time" is not a string'),
        (_line(step=None), 'needs "step"'),
        (_line(step=["watch", "film"]), '"step" is not a string'),
        (_line(iri="https://x.org/"), "unknown field 'iri'"),
        (_line(withdrawn="yes"), '"withdrawn" is neither true nor false'),
        (_line(relation="LIKES", other="x"), "'LIKES' cannot be rejected\n.*USES"),
        (_line(kind="tool role", scenario=None, step=None, thing="pot", role="vessel"), "no role of a tool"),
        (_line(step="x" * 600), "more than 500"),
        (_line().replace(b"film", b"\\ud800"), "half a surrogate"),
        (b"\xff\xfe", "UTF-8"),
        (_line(kind="add", relation="LIKES", other="x"), "'LIKES' cannot be added\n.*USES"),
        (_line(kind="add", relation="CHANGES", other="hot"), "'hot' is no change\n.*cold -> hot"),
        (_line(kind="about", step=None, thing=None), 'needs "thing"'),
        (_line(kind="about", step=None, scenario=None, thing="a.txt"), 'needs "scenario"'),
        (_line(kind="add") + b"\n" + _line(author="Bob"), ":3.*the same as corrections.jsonl:2 at the same time"),
        (_line() + b"\n" + _line(author="Bob"), ":3.*the same as corrections.jsonl:2 at the same time"),
    ],
)
def test_lines_that_are_no_corrections(line: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    file.write_bytes(b"\n" + line + b"\n")
    with pytest.raises(InputError, match=rf"(?s)corrections.jsonl:\d.*{message}|{message}"):
        read_correction_file(file)
    with pytest.raises(InputError):
        build_graph(output=tmp_path / "graph", texts=["boil"], extractors=tiny(), corrections=file)
    assert not (tmp_path / "graph").exists()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.jsonl"):
        with pytest.raises(InputError):
            read_correction_file(path)


@pytest.fixture(scope="module")
def corrected(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    """The graph with the corrections of a file, one of them twice; nobody writes to it."""
    folder = tmp_path_factory.mktemp("corrected")
    lines = [_line(scenario="Cook  Pasta", step="Watch Film"), _line(kind="rename", step="boil water", name="Boil it!")]
    (folder / "corrections.jsonl").write_bytes(b"\n".join([*lines, lines[0]]))
    return _graph(folder / "graph", corrections=folder / "corrections.jsonl")


def test_a_file_goes_in_and_comes_out(corrected: ScriptGraph, tmp_path: Path) -> None:
    assert {row["label"] for row in corrected.rows("SubEvent")} >= {"Boil it!"}
    assert "watch film" not in {row["label"] for row in corrected.rows("SubEvent")}
    run = CliRunner().invoke(cli.app, ["correct", str(corrected.directory), "--list"])
    assert run.exit_code == 0
    file = tmp_path / "corrections.jsonl"
    file.write_text(run.output, encoding="utf-8")
    assert read_correction_file(file) == list_corrections(corrected.directory)
    assert len(read_correction_file(file)) == 2


def _typed(**values: Any) -> Correction:
    return Correction(**{**WHO, "scenario": PASTA, "kind": "reject", **values})


@pytest.mark.parametrize(
    ("typed", "step"),
    [
        ("watch film", "watch film"),
        ("  Watch   the film", "watch film"),
        ("put pasta in the pot", "put pasta in pot"),
        ("put the pasta", "put pasta in pot"),
        ("boil water", "boil water in pot"),
    ],
)
def test_steps_are_found_by_what_people_type(graph: ScriptGraph, typed: str, step: str) -> None:
    found = GraphWords(graph).of_correction(_typed(scenario="Cook pasta", step=typed))
    assert (found.scenario, found.step) == (PASTA, step)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"step": "watch films"}, "'cooking pasta' has no step 'watch films'\n.*near ones are: watch film"),
        ({"step": "xyzzy"}, "has no step 'xyzzy'\n.*check the spelling"),
        ({"scenario": "cooking paste", "step": "watch film"}, "no scenario 'cooking paste'\n.*cooking pasta"),
        ({"step": "take"}, "could be 2 steps of 'cooking pasta'\n.*take on lid, take on shelf"),
        (
            {"step": "boil water", "relation": "USES", "other": "spoons"},
            "'boil water in pot' has no USES 'spoons'\n.*spoon",
        ),
        ({"step": "boil water", "relation": "PRECEDES", "other": "fly"}, "no step 'fly'"),
        ({"kind": "same step", "step": "boil water", "other": "fly"}, "no step 'fly'"),
        ({"kind": "same thing", "scenario": "", "thing": "ladle", "other": "spon"}, "tool or entity 'spon'\n.*spoon"),
        ({"kind": "tool role", "scenario": "", "thing": "water", "role": "support"}, "no tool 'water'"),
        ({"step": "boil water", "withdrawn": True}, "no such correction to withdraw"),
        ({"kind": "add", "scenario": "cooking paste", "step": "warm plate"}, "no scenario.*cooking pasta"),
        ({"kind": "add", "step": "boil waters", "relation": "USES", "other": "x"}, "no step.*boil water in pot"),
        ({"kind": "add", "step": "boil water", "relation": "PRECEDES", "other": "watch films"}, "watch film"),
        ({"kind": "add", "step": "warm plate", "withdrawn": True}, "no such correction to withdraw"),
        ({"kind": "about", "thing": "tiny", "scenario": "", "step": "", "withdrawn": True}, "no such correction"),
    ],
)
def test_words_that_are_not_in_the_graph(graph: ScriptGraph, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=rf"(?s){message}"):
        GraphWords(graph).of_correction(_typed(**values))


def test_what_was_corrected_can_be_named_as_before(graph: ScriptGraph) -> None:
    used = _typed(kind="add", step="warm plate", relation="USES", other="oven", role="appliance")
    known = [
        _typed(step="fly kite"),
        _typed(kind="same thing", scenario="", thing="ladle", other="sieve"),
        _typed(kind="add", step="warm plate"),
        used,
    ]
    words = GraphWords(graph, known)
    assert words.of_correction(_typed(scenario="Cook pasta", step="fly the kite", withdrawn=True)).key == known[0].key
    taken = {"step": "the warm plate", "relation": "USES", "other": "the oven", "withdrawn": True}
    assert words.of_correction(_typed(kind="add", **taken)).key == used.key
    back = _typed(kind="same thing", scenario="", thing="sieve", other="ladle")
    assert words.of_correction(back) == back


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name either a KIND"),
        (["reject", PASTA, "watch film", "--corrections", "file"], "name either a KIND"),
        (["reject", "--list"], "--list takes nothing else"),
        (["delete", PASTA, "watch film"], "'delete' is no kind.*same-step"),
        (["reject", PASTA], "SCENARIO STEP or SCENARIO STEP RELATION OTHER"),
        (["rename", PASTA, "watch film"], "SCENARIO STEP NAME"),
        (["reject", PASTA, "watch film", "LIKES", "x"], "cannot be rejected"),
        (["reject", PASTA, "watch film", "--author", " "], 'needs "author"'),
    ],
)
def test_commands_that_are_refused(graph: ScriptGraph, words: list[str], message: str) -> None:
    before = graph_bytes(graph.directory)
    run = CliRunner().invoke(cli.app, ["correct", str(graph.directory), *words])
    assert isinstance(run.exception, KGScriptsError)
    with pytest.raises(KGScriptsError, match=rf"(?s){message}"):
        raise run.exception
    assert graph_bytes(graph.directory) == before


def test_a_person_corrects_withdraws_and_compares(graph: ScriptGraph, tmp_path: Path) -> None:
    before, after = graph.directory, shutil.copytree(graph.directory, tmp_path / "after")

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli.app, list(words), catch_exceptions=False)
        assert done.exit_code == 0
        assert "--json" in words or all(len(line) <= 80 for line in done.output.splitlines())
        return done.output

    assert run("correct", str(after), "reject", PASTA, "watch the film", "--author", "Ada") == (
        'recorded: "watch film" is no step\n'
    )
    assert "different steps" in run(
        "correct", str(after), "different-step", PASTA, "put pasta in pot", "put pasta in water"
    )
    assert "is called" in run("correct", str(after), "rename", PASTA, "boil water", "Boil it!")
    (recorded,) = json.loads(run("correct", str(after), "same-thing", "ladle", "spoon", "--json"))["recorded"]
    assert recorded["thing"] == "ladle"
    text = run("diff", str(before), str(after))
    for line in (
        "step removed: watch film (1 source)",
        "step renamed: boil water in pot is Boil it!",
        "step split: put pasta in pot into put pasta in pot, put pasta in water",
        "relation added: Boil it! USES ladle (1 source)",
        "relation removed: boil water in pot USES spoon (1 source)",
    ):
        assert line in text
    content = json.loads(run("diff", str(after), str(before), "--json"))
    (scenario,) = content["scenarios"]
    assert {"kind": "step added", "text": "watch film (1 source)", "size": 1} in scenario["changes"]
    assert "steps merged: put pasta in pot from put pasta in pot, put pasta in water" in run(
        "diff", str(after), str(before)
    )
    assert "no difference" in run("diff", str(after), str(after))
    run("correct", str(after), "reject", PASTA, "watch the film", "--withdraw")
    assert "watch film" not in run("diff", str(before), str(after))
    assert [item.author for item in list_corrections(after)].count("Ada") == 0


def test_a_person_adds_withdraws_and_is_told_what_is_overruled(graph: ScriptGraph, tmp_path: Path) -> None:
    before, after = graph.directory, shutil.copytree(graph.directory, tmp_path / "after")

    def run(*words: str) -> str:
        done = CliRunner().invoke(cli.app, list(words), catch_exceptions=False)
        assert done.exit_code == 0
        assert words[0] == "show" or all(len(line) <= 80 for line in done.output.splitlines())
        return done.output

    def refused(message: str, *words: str) -> None:
        done = CliRunner().invoke(cli.app, ["correct", str(after), *words])
        with pytest.raises(KGScriptsError, match=rf"(?s){message}"):
            raise done.exception or AssertionError

    def add(*words: str) -> str:
        return run("correct", str(after), "add", PASTA, *words, "--author", "Ada")

    # As texts would give it.
    assert add("Warm the plates") == 'recorded: "warm the plates" is a step\n'
    assert "as appliance is right" in add("boil the water", "uses", "the oven", "appliance")
    assert add("watch film", "PRECEDES", "warm plate").startswith("recorded")
    assert "no longer applied" in add("warm plate", "PRECEDES", "watch the film")
    text = " ".join(run("show", str(after), PASTA).split())
    assert "warm the plates added by a person" in text
    assert "tools: oven (appliance, added by a person)" in text
    assert 'corrected: "warm the plates" is a step Ada' in text
    assert "oven" in run("show", str(after), "--tool", "oven")
    differences = run("diff", str(before), str(after))
    assert "step added: warm plate (added by a person)" in differences
    assert "relation added: boil water in pot USES oven (added by a person)" in differences
    refused("near ones are: tiny", "about", "tinny", "making tea")
    refused("has no passage.*near ones are: watch the film", "about", "tiny", "watch the films", "making tea")
    refused("SOURCE SCENARIO or SOURCE PASSAGE SCENARIO", "about", "tiny")
    assert "is about making tea" in run("correct", str(after), "about", "tiny", "Watch the film.", "make tea")
    assert "making tea" in run("show", str(after))
    run("correct", str(after), "about", "tiny", "watch the film.", "--withdraw")
    file = tmp_path / "corrections.jsonl"
    later = {"withdrawn": True, "role": "", "time": "2999-01-01"}
    lines = [json.dumps({**item.to_dict(), **later}) for item in list_corrections(after) if not item.withdrawn]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert "withdrawn: add of" in run("correct", str(after), "--corrections", str(file))
    assert graph_bytes(after) == graph_bytes(before)


def test_a_difference_is_bounded_in_words_and_whole_in_json(graph: ScriptGraph, tmp_path: Path) -> None:
    verbs = [f"verb{number}" for number in range(30)]
    text = " ".join(f"{verb} the pot." for verb in verbs)
    scenarios = [PASTA, *(f"making soup {number}" for number in range(8))]
    texts = [tiny_document(text, scenario=item) for item in scenarios]
    build_graph(output=tmp_path / "b", texts=texts, extractors=tiny())
    found = diff_graphs(graph, ScriptGraph.open(tmp_path / "b"))
    kinds = Counter(change.kind for item in found.scenarios for change in item.changes)
    assert kinds["step added"] == 30
    assert kinds["step removed"] == graph.manifest.rows("SubEvent")
    assert [item.status for item in found.scenarios].count("added") == 8
    run = CliRunner().invoke(cli.app, ["diff", str(graph.directory), str(tmp_path / "b"), "--limit", "2"])
    assert "step added: 28 more" in run.output
    assert "more scenarios: 7 scenarios added" in run.output
    assert len(run.output.splitlines()) < 14


def test_damaged_corrections_are_not_forgotten_in_silence(corrected: ScriptGraph, tmp_path: Path) -> None:
    directory = shutil.copytree(corrected.directory, tmp_path / "graph")
    [shard] = (directory / "records" / "correction").glob("*.parquet")
    shard.write_bytes(b"damaged")
    with pytest.raises(GraphDirectoryError, match=r"(?s)corrections is damaged.*taken from the graph"):
        _graph(directory)
    again = _graph(directory)
    assert "watch film" not in {row["label"] for row in again.rows("SubEvent")}
