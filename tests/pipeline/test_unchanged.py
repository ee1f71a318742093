"""A build that finds nothing new keeps the graph, and makes it again for the least doubt."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph, pipeline
from kgscripts.assembly import assemble as assembling
from kgscripts.pipeline import build_graph
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.pipeline.stopping import until_assembly


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph directory beside the text that it was built from."""
    folder = tmp_path_factory.mktemp("unchanged")
    (folder / "story.txt").write_text("boil the water. add the pasta.\n", encoding="utf-8")
    build_graph(folder / "story.txt", folder / "graph", extractors=tiny())
    return folder


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built / "graph", tmp_path / "graph")
    return tmp_path / "graph"


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """One element for each assembly."""
    calls: list[None] = []
    original = assembling.assemble

    def assemble(*arguments: object, **options: object) -> object:
        calls.append(None)
        return original(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(assembling, "assemble", assemble)
    return calls


def test_nothing_new_is_not_assembled(built: Path, copy: Path, assembled: list[None]) -> None:
    before = graph_bytes(copy)
    report = build_graph(built / "story.txt", copy, extractors=tiny())
    assert assembled == []
    assert report.nodes
    assert report.run.inputs_known == 1
    assert graph_bytes(copy) == before


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a table is shorter": lambda graph: _cut(graph / "nodes" / "Action.parquet"),
    "a table differs": lambda graph: _flip(graph / "relations" / "EXPRESSED_AS.parquet"),
    "a table is missing": lambda graph: (graph / "nodes" / "Action.parquet").unlink(),
    "the manifest is missing": lambda graph: (graph / "manifest.json").unlink(),
    "the discards are missing": lambda graph: (graph / "discarded.jsonl").unlink(),
    "the discards differ": lambda graph: (graph / "discarded.jsonl").write_text("{}\n", encoding="utf-8"),
    "a file of records differs": lambda graph: _flip(next(graph.glob("records/event_mention/*.parquet"))),
    "a file of records is missing": lambda graph: next(graph.glob("records/document/*.parquet")).unlink(),
    "nothing is known of the assembly": lambda graph: (graph / "assembled.json").unlink(),
    "what is known is no JSON": lambda graph: (graph / "assembled.json").write_text("{", encoding="utf-8"),
    "what is known is deep JSON": lambda graph: (graph / "assembled.json").write_text("[" * 10**5, encoding="utf-8"),
    "another graph is known": lambda graph: (graph / "assembled.json").write_text(
        json.dumps({"of": "0" * 64, "build_id": ScriptGraph.open(graph).build_id}), encoding="utf-8"
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_differs_is_assembled_again(damage: str, built: Path, copy: Path) -> None:
    DAMAGE[damage](copy)
    with until_assembly():
        build_graph(built / "story.txt", copy, extractors=tiny())


@pytest.mark.parametrize(
    "damages",
    [
        ("a table differs", "the manifest is missing", "the discards are missing", "a file of records differs"),
        ("a table is missing", "what is known is deep JSON", "the discards differ", "a file of records is missing"),
    ],
    ids=["differs", "is missing"],
)
def test_what_is_assembled_again_is_the_same(damages: tuple[str, ...], built: Path, copy: Path) -> None:
    before = graph_bytes(copy)
    for damage in damages:
        DAMAGE[damage](copy)
    build_graph(built / "story.txt", copy, extractors=tiny())
    assert graph_bytes(copy) == before


OPTIONS: dict[str, dict[str, Any]] = {
    "support": {"min_support": 2},
    "base IRI": {"base_iri": "https://example.org/other/"},
    "extractors": {"extractors": tiny("2")},
}


@pytest.mark.parametrize("option", OPTIONS)
def test_other_options_assemble_again(option: str, built: Path, copy: Path) -> None:
    with until_assembly():
        build_graph(built / "story.txt", copy, **{"extractors": tiny()} | OPTIONS[option])


def test_other_options_make_the_graph_that_they_make_anew(built: Path, copy: Path, tmp_path: Path) -> None:
    options: dict[str, Any] = {name: value for chosen in OPTIONS.values() for name, value in chosen.items()}
    for directory in (copy, tmp_path / "new"):
        build_graph(built / "story.txt", directory, **options)
    assert graph_bytes(copy) == graph_bytes(tmp_path / "new")


def test_a_removed_source_comes_back(built: Path, copy: Path, assembled: list[None]) -> None:
    before = graph_bytes(copy)
    pipeline.remove_source(copy, built / "story.txt")
    assert graph_bytes(copy) != before
    build_graph(built / "story.txt", copy, extractors=tiny())
    assert len(assembled) == 2
    assert graph_bytes(copy) == before


def test_what_is_not_needed_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "plant.txt").write_text("Dig a hole with a spade.\n", encoding="utf-8")
    program = (
        "import cli, sys\n"
        "try: cli.app()\n"
        "except SystemExit: pass\n"
        "print([name for name in ('torch', 'pandas', 'onnxruntime', 'spacy', 'duckdb') if name in sys.modules])"
    )
    graph = str(tmp_path / "graph")
    building = ["build-graph", str(tmp_path / "plant.txt"), "-o", graph, "--extractors", "events,labels"]
    imported = [
        subprocess.run(
            [sys.executable, "-c", program, *command], capture_output=True, text=True, check=True
        ).stdout.splitlines()[-1]
        for command in (building, building, ["show", graph])
    ]
    assert imported == ["['onnxruntime', 'spacy', 'duckdb']", "[]", "[]"]
