"""A graph answers only from the store that was made of its own tables, in its own place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Barrier

import pytest

from exports.cypher import cypher
from exports.query import sparql
from kgscripts import ScriptGraph
from schemas.errors import GraphDirectoryError
from schemas.kept_stores import kept_store
from schemas.output_files import new_file
from schemas.results import Table
from schemas.tables import table_path
from tests.graphs import write_graph

_SPARQL = "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label }"
_CYPHER = "MATCH (tool:Tool) RETURN tool.label"
Ask = Callable[..., Table]
_ASKING: dict[str, tuple[Ask, str]] = {"sparql": (sparql.run_query, _SPARQL), "cypher": (cypher.run_query, _CYPHER)}
_LANGUAGES = pytest.mark.parametrize(("run_query", "query"), _ASKING.values(), ids=_ASKING)
_MINE, _OTHER = "knife", "spoon"


def _graph(directory: Path, tool: str) -> ScriptGraph:
    return write_graph(directory, {"Tool": [{"id": f"tool/{tool}", "label": tool, "support": 1}]})


def _move(old: Path, new: Path) -> None:
    """`os.rename` keeps the times and the inodes of what is inside."""
    old.rename(new)


def _copy(old: Path, new: Path) -> None:
    """As `cp -a`: with the times of the files."""
    shutil.copytree(old, new, symlinks=True)


def _named_like(stores: Path, other: ScriptGraph, mine: ScriptGraph) -> None:
    """Give the stores of `other`, and the hidden files beside them, the names that those of `mine` have."""
    for path in list(stores.iterdir()):
        path.rename(stores / path.name.replace(other.build_id, mine.build_id))


@pytest.mark.parametrize(
    ("language", "bring", "with_hidden", "is_built"),
    [
        *(("sparql", *each) for each in product((_move, _copy), (False, True), (False, True))),
        # This store is one file, and takes longer to write; what comes with it is judged as above.
        *(("cypher", _move, *each) for each in ((True, True), (False, True), (True, False))),
        ("cypher", _copy, True, True),
    ],
)
def test_the_store_of_another_graph_is_not_asked(
    language: str, bring: Callable[[Path, Path], None], with_hidden: bool, is_built: bool, tmp_path: Path
) -> None:
    run_query, query = _ASKING[language]
    mine, other = _graph(tmp_path / "mine", _MINE), _graph(tmp_path / "other", _OTHER)
    assert run_query(other, query).rows == ((_OTHER,),)
    mine_stores, hidden = mine.directory / "stores", tmp_path / "hidden"
    if is_built:
        run_query(mine, query)
        mine_stores.rename(hidden)
    bring(other.directory / "stores", mine_stores)
    _named_like(mine_stores, other, mine)
    if not with_hidden:
        for path in mine_stores.glob(".*"):
            path.unlink()
    if is_built and not with_hidden:
        # The hidden files of the own store, over the files of the other one.
        for path in hidden.glob(".*"):
            shutil.copy2(path, mine_stores)
    assert run_query(mine, query).rows == ((_MINE,),)
    assert run_query(mine, query).rows == ((_MINE,),)


@_LANGUAGES
def test_a_store_whose_bytes_changed_is_built_again(run_query: Ask, query: str, tmp_path: Path) -> None:
    graph = _graph(tmp_path / "mine", _MINE)
    run_query(graph, query)
    (store,) = (graph.directory / "stores").glob("[!.]*")
    for name in [path.name for path in (store.iterdir() if store.is_dir() else [store]) if path.stat().st_size]:
        if name.startswith(("LOG", "LOCK")):
            continue
        file = store / name if store.is_dir() else store
        before, content = file.stat(), bytearray(file.read_bytes().replace(_MINE.encode(), _OTHER.encode()))
        content[-1] ^= 1
        with file.open("r+b") as stream:
            stream.write(content)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        changed = store.stat().st_ino
        assert run_query(graph, query).rows == ((_MINE,),), name
        assert store.stat().st_ino != changed, name


@_LANGUAGES
def test_a_graph_that_was_built_again_is_asked_anew(run_query: Ask, query: str, tmp_path: Path) -> None:
    for tool in (_OTHER, _MINE, _OTHER):
        graph = _graph(tmp_path / "mine", tool)
        assert run_query(graph, query).rows == ((tool,),)
        left = [path.name for path in (graph.directory / "stores").iterdir() if not path.name.endswith(".lock")]
        assert len(left) == 2, left


@_LANGUAGES
def test_no_store_is_made_of_tables_that_the_manifest_does_not_name(run_query: Ask, query: str, tmp_path: Path) -> None:
    mine, other = _graph(tmp_path / "mine", _MINE), _graph(tmp_path / "other", _OTHER)
    shutil.copyfile(other.directory / table_path("Tool"), mine.directory / table_path("Tool"))
    with pytest.raises(GraphDirectoryError, match="not the one that was built"):
        run_query(ScriptGraph.open(mine.directory), query)
    assert not [path for path in (mine.directory / "stores").iterdir() if not path.name.endswith(".lock")]


@_LANGUAGES
def test_a_query_builds_nothing_where_the_store_is_its_own(run_query: Ask, query: str, tmp_path: Path) -> None:
    graph = _graph(tmp_path / "mine", _MINE)
    run_query(graph, query)
    times = {path: path.stat().st_mtime_ns for path in (graph.directory / "stores").iterdir()}
    (tmp_path / "mine").rename(tmp_path / "moved")
    moved = ScriptGraph.open(tmp_path / "moved")
    assert run_query(moved, query).rows == ((_MINE,),)
    assert {path.name: path.stat().st_mtime_ns for path in (moved.directory / "stores").iterdir()} == {
        path.name: time for path, time in times.items()
    }


def test_many_ask_at_once_for_a_store_that_is_not_there(tmp_path: Path) -> None:
    graph = _graph(tmp_path / "mine", _MINE)
    for _ in range(30):
        shutil.rmtree(graph.directory / "stores", ignore_errors=True)
        begin = Barrier(4)

        def ask(begin: Barrier = begin) -> Path:
            begin.wait()
            return kept_store(graph, "toy", "1", new_file, lambda path: path.write_text("toy"))

        with ThreadPoolExecutor(4) as threads:
            paths = {future.result() for future in [threads.submit(ask) for _ in range(4)]}
        assert len(paths) == 1
