"""A graph directory has any name: none is a pattern, a column or a home to the engines that read its files."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from exports.targets import export
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from schemas.errors import GraphDirectoryError
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny
from tests.pipeline.stopping import until_assembly

_MINE = ("boil the water.", "stir the pasta with the spoon.")
_NEIGHBOURS = ("g1", "gx", "home/g")
_ODD = 's3:g/it\'s "g" 1/g%31#?x=1/subject=1'
_NAMES = ("g*", "g[1]", "[g", _ODD, "~", "g\\")
"""The one with a backslash is the last: it is no neighbour of the others."""
_EXPORTS = ("g.ttl", "g.trig.gz", "g.nq.zst", "g.jsonld", "g.graphml", "g.lbug", "g.neo4j-csv", "parquet:p")
_SPARQL = "SELECT ?tool ?label { ?tool a kgs:Tool ; rdfs:label ?label } ORDER BY ?tool"
_CYPHER = "MATCH (a)-[r]->(b) RETURN a.iri, b.iri ORDER BY a.iri, b.iri"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph under a plain name, and neighbours that the patterns would match."""
    folder = tmp_path_factory.mktemp("names")
    _build(folder / "plain")
    # Their records have the same file names, which are digests.
    for name in _NEIGHBOURS:
        shutil.copytree(folder / "plain", folder / name)
    return folder


def _build(directory: Path) -> None:
    """In two steps, so that there are two shards; the second one reads the records of the first."""
    with until_assembly():
        build_graph(texts=_MINE[:1], output=directory, extractors=tiny())
    build_graph(texts=_MINE[1:], output=directory, extractors=tiny())


@pytest.fixture(scope="module")
def plain(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], list[Any]]:
    """What is exported from the graph under a plain name, and the answers to queries."""
    return _exported(folder / "plain", tmp_path_factory.mktemp("exports") / "plain"), _answers(folder / "plain")


def _answers(directory: Path) -> list[Any]:
    graph = ScriptGraph.open(directory)
    return [graph.query(_SPARQL).rows, graph.query(cypher=_CYPHER).rows]


def _exported(directory: Path, target: Path) -> dict[str, bytes]:
    """What is written, but for the bytes of Ladybug files, which differ from write to write."""
    graph = ScriptGraph.open(directory)
    target.mkdir()
    for name in _EXPORTS:
        scheme, _, path = name.rpartition(":")
        export(graph, f"{scheme}:{target / path}" if scheme else str(target / path))
    files = [file for file in target.rglob("*") if file.is_file() and file.suffix != ".lbug"]
    return {str(file.relative_to(target)): file.read_bytes() for file in files}


@pytest.mark.parametrize(("name", "is_relative"), [*((name, True) for name in _NAMES), ("g?", False)])
def test_a_build_reads_no_neighbour(
    name: str, is_relative: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder / "home"))
    directory = Path(name) if is_relative else folder / "absolute" / name
    _build(directory)
    assert graph_bytes(directory) == graph_bytes(folder / "plain")


@pytest.mark.parametrize("place", ["~", 'it\'s "g" 1/subject=1/g*'])
def test_exports_and_queries_read_no_neighbour(
    place: str,
    folder: Path,
    plain: tuple[dict[str, bytes], list[Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "at").mkdir()
    monkeypatch.chdir(tmp_path / "at")
    name = Path(place)
    for copy in (name, name.with_name("g1"), name.with_name("g2")):
        shutil.copytree(folder / "plain", copy)
    assert _exported(name, tmp_path / "odd") == plain[0]
    assert _answers(name) == plain[1]


def test_a_graph_under_a_pattern_is_extended(folder: Path, tmp_path: Path) -> None:
    """After an assembly, unlike the other builds here."""
    build_graph(texts=_MINE[:1], output=tmp_path / "g*", extractors=tiny())
    shutil.copytree(tmp_path / "g*", tmp_path / "g1")
    build_graph(texts=_MINE[1:], output=tmp_path / "g*", extractors=tiny())
    assert graph_bytes(tmp_path / "g*") == graph_bytes(folder / "plain")


def test_a_name_that_is_a_pattern_beside_one_with_a_backslash(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "\\g").mkdir()
    with pytest.raises(GraphDirectoryError, match="cannot be found"):
        _build(tmp_path / "g*")
    shutil.rmtree(tmp_path / "\\g")
    _build(tmp_path / "g*")
    assert graph_bytes(tmp_path / "g*") == graph_bytes(folder / "plain")
