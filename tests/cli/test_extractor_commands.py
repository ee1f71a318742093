"""`kgscripts extractors list`, and the options of `build-graph` that choose extractors and bound memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import cli
from kgscripts import ScriptGraph, pipeline
from kgscripts.enrichers.protocol import ENRICHERS
from kgscripts.extractors.registry import installed_extractors
from kgscripts.models.registry import describe
from kgscripts.score_files import read_scores, scores_of_package
from schemas.errors import KGScriptsError
from tests.commands import run

PASTA = "# How to cook pasta\n\n1. Fill a pot with water.\n2. Drain the pasta with a strainer.\n"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The arguments of the last build, which the command only begins."""
    found: dict[str, Any] = {}

    def build(*_: object, **options: object) -> None:
        found.update(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "build_graph", build)
    return found


def test_the_list_has_every_extractor_with_kinds_cost_and_scores() -> None:
    rows = {row["name"]: row for row in json.loads(run("extractors", "list", "--json"))}
    assert [name for name, row in rows.items() if row["kind"] == "extractor"] == installed_extractors()
    assert [name for name, row in rows.items() if row["kind"] == "enricher"] == ENRICHERS.names()
    events, decompositions = rows["events"], rows["decompositions"]
    assert (events["requires"], events["gives"]) == (["parse"], ["event_mention", "need", "discard"])
    assert decompositions["requires"] == ["parse", "event_mention"]
    assert decompositions["gives"][0] == "decomposition"
    assert [score["value"] for score in events["scores"]] == [
        score.value for score in read_scores(scores_of_package("events"))
    ]
    (aligner,) = decompositions["networks"]
    assert aligner["digest"] == describe("aligner").digest
    assert aligner["scores"]
    assert {score["dataset"] for score in rows["labels"].pop("scores")} == {"kgscripts scenario titles"}
    assert rows["labels"] == {
        "kind": "extractor",
        "name": "labels",
        "task": "scenarios by label or title",
        "gives": ["segment", "discard"],
        "requires": [],
        "cost": "rules",
        "licence": "Apache-2.0",
        "networks": [],
        "settings": [],
    }


def test_the_list_fits_80_columns() -> None:
    shown = run("extractors", "list")
    assert max(map(len, shown.splitlines())) <= 80
    for part in ("requires  parse", "sub-event and tool F1", "aligner on valid", "not measured", "requires  steps"):
        assert part in shown


def test_the_list_loads_no_weights() -> None:
    code = (
        "import sys, spacy, cli\n"
        "def refuse(*_, **__): raise SystemExit('loaded')\n"
        "spacy.load = refuse\n"
        "try:\n    cli.app(['extractors', 'list'])\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "assert not {'safetensors.torch', 'transformers'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "events: event extraction" in done.stdout


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "decompositions events labels scenarios scripts sentences state-changes"),
        (
            ["--without", "decompositions,state-changes", "--without", "scenarios,sentences,steps"],
            "events labels scripts",
        ),
        (["--extractors", "events,labels,sentences", "--without", "events,sentences"], "labels"),
    ],
)
def test_extractors_are_chosen_by_name(options: list[str], expected: str, tmp_path: Path) -> None:
    (tmp_path / "pasta.md").write_text(PASTA, encoding="utf-8")
    run("build-graph", tmp_path / "pasta.md", "-o", tmp_path / "graph", *options)
    graph = ScriptGraph.open(tmp_path / "graph")
    assert graph.manifest.configuration["extractors"] == expected
    names = {row["name"] for row in graph.rows("Model")} - {"aligner", "reader", "en_kgscripts"}
    generators = {row["name"] for row in graph.rows("Model") if row["digest"] == describe("changes").digest}
    assert len(generators) == ("state-changes" in expected)
    names -= generators
    # Steps are merged and have a typicality, unless extractors are named.
    assert ({"steps", "all-MiniLM-L6-v2"} <= names) == (not options)
    names -= {"steps", "all-MiniLM-L6-v2"}
    assert names == set(expected.split())
    assert bool(graph.manifest.rows("Tool")) == ("events" in expected)


@pytest.mark.parametrize(
    "options", [["--extractors", "events,labels"], ["--extractors", "events", "--extractors", " labels "]]
)
def test_several_extractors_are_named_at_once_or_one_by_one(
    options: list[str], tmp_path: Path, given: dict[str, Any]
) -> None:
    CliRunner().invoke(cli.app, ["build-graph", "pasta.md", "-o", str(tmp_path / "graph"), *options])
    assert given["extractors"] == ["events", "labels"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--extractors", "evnts"], "no extractor 'evnts' is installed\n  did you mean events?"),
        (["--without", "segments"], "'segments' is not among the extractors"),
        (["--extractors", "labels", "--without", "labels"], "no extractor is left"),
        (["--extractors", ","], "no extractor is left"),
        (["--extractors", "decompositions"], "'decompositions' requires EventMention records"),
        (["--memory", "plenty"], "--memory plenty is not a size\n  give a number and a unit"),
        (["--memory", "2"], "--memory 2 is not a size"),
        (["--memory", "-2GB"], "--memory -2GB is not a size"),
        (["--memory", "2 apples"], "--memory 2 apples is not a size"),
    ],
)
def test_errors_have_a_remedy(options: list[str], message: str, tmp_path: Path) -> None:
    (tmp_path / "pasta.md").write_text(PASTA, encoding="utf-8")
    with pytest.raises(KGScriptsError) as caught:
        run("build-graph", tmp_path / "pasta.md", "-o", tmp_path / "graph", *options)
    assert message in str(caught.value)
    assert caught.value.remedy
    assert not (tmp_path / "graph").exists()


@pytest.mark.parametrize(
    ("size", "expected"),
    [("2GB", 2 * 10**9), ("512 mb", 512 * 10**6), ("1.5GiB", 3 * 2**29), ("1TB", 10**12), ("300MiB", 300 * 2**20)],
)
def test_memory_is_a_number_with_a_unit(size: str, expected: int, tmp_path: Path, given: dict[str, Any]) -> None:
    CliRunner().invoke(cli.app, ["build-graph", "pasta.md", "-o", str(tmp_path / "graph"), "--memory", size])
    assert given["memory"] == expected
