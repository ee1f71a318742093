"""A graph keeps its id, whatever is done to it, and a new base IRI reads nothing again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kgscripts.pipeline import build_graph, remove_source
from schemas.errors import ConfigurationError
from schemas.script_graph import ScriptGraph
from tests.assembly.tiny_reader import tiny


def test_a_graph_keeps_its_id_as_it_grows_and_a_copy_has_the_same(tmp_path: Path) -> None:
    directory = tmp_path / "graph"
    build_graph(output=directory, texts=["boil the water."], extractors=tiny())
    first = ScriptGraph.open(directory)
    build_graph(output=directory, texts=[{"id": "x", "text": "add the salt."}], extractors=tiny())
    name = next(row["name"] for row in ScriptGraph.open(directory).rows("Source") if row["name"].endswith("x"))
    remove_source(directory, name)
    report = build_graph(
        output=directory, texts=["boil the water."], extractors=tiny(), base_iri="https://example.org/kg/"
    )
    assert (report.run.inputs_known, report.run.inputs_read, report.run.sources_read) == (1, 0, 0)
    grown = ScriptGraph.open(directory)
    assert grown.build_id != first.build_id
    assert grown.graph_id == first.graph_id
    assert grown.manifest.base_iri == "https://example.org/kg/"
    assert ScriptGraph.open(shutil.copytree(directory, tmp_path / "copy")).graph_id == first.graph_id


def test_a_base_iri_is_checked_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no base IRI"):
        build_graph(tmp_path / "missing.txt", tmp_path / "graph", base_iri="http://[x/")
    assert not (tmp_path / "graph").exists()
