"""A graph keeps its id, whatever is done to it, and a new base IRI reads nothing again."""

from __future__ import annotations

import json
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


def test_a_graph_keeps_base_iri_and_licence_unless_others_are_given(tmp_path: Path) -> None:
    directory = tmp_path / "graph"
    chosen = ("https://example.org/kg/", "https://creativecommons.org/publicdomain/zero/1.0/")

    def build(text: str, base_iri: str | None = None, licence: str | None = None) -> tuple[str, str | None]:
        build_graph(output=directory, texts=[text], extractors=tiny(), base_iri=base_iri, licence=licence)
        manifest = ScriptGraph.open(directory).manifest
        return manifest.base_iri, manifest.licence

    assert build("boil the water.", *chosen) == chosen
    assert build("add the salt.") == chosen
    assert build("add the salt.", "https://example.org/other/") == ("https://example.org/other/", chosen[1])
    # The manifest of an older format is not read as a graph, but its IRIs are those that others refer to.
    older = json.loads((directory / "manifest.json").read_text(encoding="utf-8")) | {"format_version": 1}
    (directory / "manifest.json").write_text(json.dumps(older), encoding="utf-8")
    assert build("stir the soup.") == ("https://example.org/other/", chosen[1])


def test_a_base_iri_is_checked_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no base IRI"):
        build_graph(tmp_path / "missing.txt", tmp_path / "graph", base_iri="http://[x/")
    assert not (tmp_path / "graph").exists()
