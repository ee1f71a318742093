"""Damaged stores of a graph are built again by the next query, without an error."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from exports.cypher import cypher
from exports.query import sparql
from kgscripts import ScriptGraph
from tests.graphs import odd_rows, write_graph


def _files(stores: Path) -> list[Path]:
    return [path for path in stores.rglob("*") if path.is_file() and not path.name.startswith(".")]


def _cut(stores: Path) -> None:
    for path in _files(stores):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _overwrite(stores: Path) -> None:
    for path in _files(stores):
        path.write_bytes(b"x" * path.stat().st_size)


def _lose_files(stores: Path) -> None:
    for path in _files(stores):
        if path.suffix == ".sst" or path.parent == stores:
            path.unlink()


def _exchange(stores: Path) -> None:
    """Files become folders and folders files."""
    for path in list(stores.iterdir()):
        if path.is_dir():
            shutil.rmtree(path)
            path.touch()
        else:
            path.unlink()
            path.mkdir()


def _link(stores: Path) -> None:
    for path in list(stores.iterdir()):
        path.rename(stores.parent / path.name)
        path.symlink_to(stores.parent / path.name)


def _replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(stores: Path) -> None:
        shutil.rmtree(stores)
        make(stores)

    return replace


_DAMAGES = (
    _cut,
    _overwrite,
    _lose_files,
    _exchange,
    _link,
    _replace_by(Path.touch),
    _replace_by(os.mkfifo),
    _replace_by(lambda stores: stores.symlink_to("/nowhere")),
)


@pytest.mark.parametrize(
    ("run_query", "query", "types", "damages"),
    [
        (sparql.run_query, "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label } ORDER BY ?tool", None, _DAMAGES),
        # Writing this store takes a second where every type has rows.
        (cypher.run_query, "MATCH (tool:Tool) RETURN tool.label ORDER BY tool.iri", {"Tool"}, (_cut, _overwrite)),
    ],
)
def test_a_damaged_store_is_built_again(
    run_query: Callable[..., object],
    query: str,
    types: set[str] | None,
    damages: Sequence[Callable[[Path], None]],
    tmp_path: Path,
) -> None:
    rows = {name: table for name, table in odd_rows(2).items() if types is None or name in types}
    graph: ScriptGraph = write_graph(tmp_path / "graph", rows)
    expected = run_query(graph, query)
    for damage in damages:
        damage(tmp_path / "graph/stores")
        assert run_query(graph, query) == expected, damage
        left = [path.name for path in (tmp_path / "graph/stores").iterdir() if not path.name.endswith(".lock")]
        assert len(left) == 2, left
