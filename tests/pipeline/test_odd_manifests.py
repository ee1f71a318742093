"""A manifest whose fields have other types or odd values: every command that opens the graph says so."""

from __future__ import annotations

import copy
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgscripts import ScriptGraph
from kgscripts.editing.correcting import correct_graph
from kgscripts.editing.merging import merge_graphs
from kgscripts.pipeline import build_graph, remove_source
from schemas.errors import GraphDirectoryError, KGScriptsError
from tests.assembly.tiny_reader import tiny

_ODD: tuple[Any, ...] = (
    *("abc", "", "7", "\ud800", 10**40, -(10**40), -1, 0, 2**31, 1.5, math.nan, math.inf, True, [], [1], {}, None),
    *({"min_support": [1]}, {"a": {"b": 1}}, [["min_support", 1]]),
)
_PLACES = (
    *(("configuration", "min_support"), ("configuration", "enrichers"), ("configuration", "extractors")),
    *(("tables", "Tool"), ("tables", "Tool", "rows"), ("tables", "Tool", "bytes"), ("tables", "Tool", "sha256")),
    *(("configuration",), ("tables",), ("models",), ("discards",), ("sources",), ("characters",), ("licence",)),
    *(("sources_digest",), ("base_iri",), ("format_version",), ("build_id",), ("kgscripts",), ("unknown",)),
)
_COMMANDS: dict[str, Callable[[Path], object]] = {
    "correct": lambda path: correct_graph(path, []),
    "remove": lambda path: remove_source(path, "nothing"),
    "merge": lambda path: merge_graphs([path, path.parent / "other"], path.parent / "merged"),
    "query": lambda path: ScriptGraph.open(path).query("ASK { ?s ?p ?o }"),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a graph, and a copy of it to merge it with; they are only read and copied."""
    folder = tmp_path_factory.mktemp("odd")
    build_graph(texts=["boil the water. stir the soup with the spoon."], output=folder / "graph", extractors=tiny())
    shutil.copytree(folder / "graph", folder / "other")
    return folder


def _changed(content: dict[str, Any], place: tuple[str, ...], value: Any) -> dict[str, Any]:
    changed: dict[str, Any] = copy.deepcopy(content)
    inner = changed
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    return changed


@given(place=st.sampled_from(_PLACES), value=st.sampled_from(_ODD) | st.recursive(st.integers() | st.text(), st.lists))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_cannot_be_meant_is_refused(place: tuple[str, ...], value: Any, built: Path, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    if not graph.exists():
        shutil.copytree(built / "graph", graph)
    content = json.loads((built / "graph/manifest.json").read_text(encoding="utf-8"))
    (graph / "manifest.json").write_text(json.dumps(_changed(content, place, value)), encoding="utf-8")
    try:
        manifest = ScriptGraph.open(graph).manifest
    except GraphDirectoryError:
        return
    manifest.to_json().encode()
    assert 1 <= int(manifest.configuration.get("min_support") or 1) < 2**31
    for number in (manifest.sources, manifest.characters, *manifest.discards.values()):
        assert type(number) is int
        assert 0 <= number < 2**63


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((("configuration", "min_support"), value) for value in ("abc", 10**40, 2**31, -1, 1.5, True, [1])),
        *((("configuration",), value) for value in ([], [["min_support", 1]], 5, None)),
        *(((name,), 5) for name in ("tables", "models", "discards", "base_iri", "licence", "sources_digest")),
        (("configuration", "enrichers"), 5),
        (("tables", "Tool", "rows"), 10**40),
    ],
    ids=str,
)
def test_every_command_says_so(place: tuple[str, ...], value: Any, command: str, built: Path, tmp_path: Path) -> None:
    for name in ("graph", "other"):
        shutil.copytree(built / name, tmp_path / name)
    path = tmp_path / "graph/manifest.json"
    path.write_text(json.dumps(_changed(json.loads(path.read_text()), place, value)), encoding="utf-8")
    with pytest.raises(KGScriptsError, match="the manifest cannot be read") as caught:
        _COMMANDS[command](tmp_path / "graph")
    assert "build-graph" in str(caught.value.remedy)


def test_a_number_of_rows_that_the_table_does_not_have_is_found(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built / "graph", tmp_path / "graph")
    path = tmp_path / "graph/manifest.json"
    path.write_text(json.dumps(_changed(json.loads(path.read_text()), ("tables", "Tool", "rows"), 2**62)))
    with pytest.raises(GraphDirectoryError, match="not the one that was built"):
        ScriptGraph.open(tmp_path / "graph").check_digests()
