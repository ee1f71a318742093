"""A graph keeps its id, whatever is done to it, and a new base IRI reads nothing again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph, remove_source
from schemas.errors import ConfigurationError
from tests.assembly.tiny_reader import tiny
from tests.pipeline.stopping import until_assembly

CHOSEN = ("https://example.org/kg/", "https://creativecommons.org/publicdomain/zero/1.0/")
OTHER = "https://example.org/other/"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of one text, with a base IRI and a licence; it is only read and copied."""
    directory = tmp_path_factory.mktemp("first") / "graph"
    base_iri, licence = CHOSEN
    build_graph(output=directory, texts=["boil the water."], extractors=tiny(), base_iri=base_iri, licence=licence)
    return directory


@pytest.fixture(scope="module")
def grown(first: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a text more, whose build names neither; it is only read and copied."""
    directory = shutil.copytree(first, tmp_path_factory.mktemp("grown") / "graph")
    build_graph(output=directory, texts=[{"id": "x", "text": "add the salt."}], extractors=tiny())
    return directory


def test_a_graph_keeps_its_id_as_it_grows_and_a_copy_has_the_same(first: Path, grown: Path, tmp_path: Path) -> None:
    before = ScriptGraph.open(first)
    assert ScriptGraph.open(grown).build_id != before.build_id
    assert ScriptGraph.open(grown).graph_id == before.graph_id
    directory = shutil.copytree(grown, tmp_path / "graph")
    name = next(row["name"] for row in ScriptGraph.open(directory).rows("Source") if row["name"].endswith("x"))
    remove_source(directory, name)
    report = build_graph(output=directory, texts=["boil the water."], extractors=tiny(), base_iri=OTHER)
    assert (report.run.inputs_known, report.run.inputs_read, report.run.sources_read) == (1, 0, 0)
    after = ScriptGraph.open(directory)
    assert after.build_id != before.build_id
    assert after.graph_id == before.graph_id
    assert after.manifest.base_iri == OTHER


def test_a_graph_keeps_base_iri_and_licence_unless_others_are_given(first: Path, grown: Path, tmp_path: Path) -> None:
    for built in (first, grown):
        manifest = ScriptGraph.open(built).manifest
        assert (manifest.base_iri, manifest.licence) == CHOSEN
    directory = shutil.copytree(grown, tmp_path / "graph")
    build_graph(output=directory, texts=["add the salt."], extractors=tiny(), base_iri=OTHER)
    manifest = ScriptGraph.open(directory).manifest
    assert (manifest.base_iri, manifest.licence) == (OTHER, CHOSEN[1])
    # The manifest of an older format is not read as a graph, but its IRIs are those that others refer to.
    older = json.loads((directory / "manifest.json").read_text(encoding="utf-8")) | {"format_version": 1}
    (directory / "manifest.json").write_text(json.dumps(older), encoding="utf-8")
    with until_assembly() as begun:
        build_graph(output=directory, texts=["stir the soup."], extractors=tiny())
    assert (begun.options["base_iri"], begun.options["licence"]) == (OTHER, CHOSEN[1])


def test_a_base_iri_is_checked_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no base IRI"):
        build_graph(tmp_path / "missing.txt", tmp_path / "graph", base_iri="http://[x/")
    assert not (tmp_path / "graph").exists()
