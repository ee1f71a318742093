"""The graph of the scripts that ship: it is that of the files beside it, and commands take it by its name."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from zipfile import ZipFile

import pytest

import kgscripts
from kgscripts import everyday_scripts
from kgscripts.corpora.files import InputFile
from kgscripts.corpora.formats import read_file
from kgscripts.everyday_scripts.graph import as_graph, everyday_graph
from kgscripts.everyday_scripts.packing import pack
from kgscripts.pipeline import build_graph
from schemas.errors import GraphDirectoryError
from schemas.records import Document
from schemas.script_graph import StoredGraph
from tests.commands import run

MOST_BYTES = 6_000_000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_it_is_made_of_the_scripts_that_ship() -> None:
    files = [InputFile(path, path.name) for path in everyday_scripts.folder().glob("*.yaml")]
    documents = [found for file in files for found in read_file(file) if isinstance(found, Document)]
    graph = kgscripts.everyday()
    assert {row["digest"] for row in graph.rows("Source", ("digest",))} == {
        document.digest for document in documents
    }, "run `make everyday`"
    assert all(row["generated"] for row in graph.rows("Source", ("generated",)))
    assert resources.files("kgscripts.everyday_scripts").joinpath("graph.zip").stat().st_size <= MOST_BYTES  # type: ignore[attr-defined]


def test_it_is_unpacked_once(cache: Path) -> None:
    folder = everyday_graph()
    assert folder.is_relative_to(cache)
    (folder / "stores").mkdir()
    assert everyday_graph() == folder
    assert (folder / "stores").is_dir()
    assert len(list(folder.parent.parent.iterdir())) == 1


def test_a_path_of_this_name_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert as_graph(Path("everyday")) == everyday_graph()
    assert as_graph(Path("other")) == Path("other")
    assert as_graph(None) is None
    Path("everyday").mkdir()
    assert as_graph(Path("everyday")) == Path("everyday")


def test_without_room_it_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(GraphDirectoryError, match="cannot be written"):
        everyday_graph()


def test_commands_take_it_by_its_name(tmp_path: Path) -> None:
    shown = run("show", "everyday", "changing a flat tire")
    assert shown.startswith("changing a tire  24 steps, read in 1 source, written by a language model")
    assert "lug wrench (or breaker bar with socket, or tire iron)" in shown
    assert "jack" in run("needs", "everyday", "changing a tire")
    assert "changing a tire" in run("search", "everyday", "changing a flat tire", "--kind", "scenario")
    assert "loosen the lug nuts a turn" in run("plan", "everyday", "changing a tire")
    query = 'SELECT ?n { ?s rdfs:label "changing a tire"@en ; kgs:needs ?t . ?t rdfs:label ?n }'
    assert "lug wrench" in run("query", "everyday", "--sparql", query)
    assert json.loads(run("show", "everyday", "changing a tire", "--json"))["generated"] == 1
    assert "wrote" in run("export", "everyday", f"parquet:{tmp_path / 'tables'}")


def test_what_is_packed_is_a_graph(tmp_path: Path) -> None:
    (tmp_path / "tea.yaml").write_text("scenario: making tea\nsteps: [{id: a, name: boil the water}]\n")
    build_graph([tmp_path / "tea.yaml"], tmp_path / "graph")
    pack(tmp_path / "graph", tmp_path / "graph.zip")
    build_graph([tmp_path / "tea.yaml"], tmp_path / "again")
    pack(tmp_path / "again", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "graph.zip").read_bytes()
    ZipFile(tmp_path / "graph.zip").extractall(tmp_path / "unpacked")
    packed = StoredGraph.open(tmp_path / "unpacked")
    packed.check_digests()
    assert list(packed.rows("SubEvent")) == list(StoredGraph.open(tmp_path / "graph").rows("SubEvent"))
