"""A disk that fills up while a store is built: an error that says so, no crash, and nothing is left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from exports.cypher import cypher
from exports.query import sparql
from exports.query.engine_process import Child
from exports.targets import export
from kgscripts import ScriptGraph
from schemas.errors import KGScriptsError, StoreError
from tests.disk import small_disk
from tests.graphs import odd_graph

_ASK: dict[Callable[..., object], str] = {
    sparql.run_query: "ASK { ?s ?p ?o }",
    cypher.run_query: "MATCH (tool:Tool) RETURN count(tool)",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("full") / "graph")


def _left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if not path.name.endswith(".lock")] if folder.is_dir() else []


@pytest.mark.parametrize("size", [1, 4_000, 13_000, 16_000, 64_000, 200_000])
@pytest.mark.parametrize("run_query", _ASK, ids=["sparql", "cypher"])
def test_a_query_says_that_there_is_no_space(graph: ScriptGraph, run_query: Callable[..., object], size: int) -> None:
    if run_query is sparql.run_query:
        size = min(size, 16_000)  # Its files are small.
    with small_disk(size), pytest.raises(StoreError, match="cannot be written") as caught:
        run_query(graph, _ASK[run_query])
    assert caught.value.remedy
    assert not _left(graph.directory / "stores")


@pytest.mark.parametrize("size", [1, 16_000, 200_000])
def test_an_export_says_that_there_is_no_space(graph: ScriptGraph, size: int, tmp_path: Path) -> None:
    with small_disk(size), pytest.raises(StoreError, match="cannot be written"):
        export(graph, str(tmp_path / "graph.lbug"))
    assert not _left(tmp_path)


def test_a_crash_of_the_engine_that_loads_is_an_error(
    graph: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Child.start

    def started_and_killed(*arguments: object) -> Child:
        child = start(*arguments)  # type: ignore[arg-type]
        child.process.kill()
        return child

    monkeypatch.setattr(Child, "start", started_and_killed)
    with pytest.raises(KGScriptsError, match=r"cannot be written .*the engine crashes"):
        export(graph, str(tmp_path / "graph.lbug"))
    assert not _left(tmp_path)
