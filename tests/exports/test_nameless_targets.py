"""Targets that are only a suffix or a scheme name no file; odd names that are names work."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.targets import EXPORTERS, export, resolve
from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError
from tests.commands import run
from tests.graphs import odd_rows, write_graph

_SUFFIXES = [
    suffix + compression
    for exporter in EXPORTERS
    for suffix in exporter.suffixes
    for compression in ("", *exporter.compressions)
]
_SCHEMES = [scheme for exporter in EXPORTERS for scheme in exporter.schemes]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return write_graph(tmp_path_factory.mktemp("nameless") / "graph", odd_rows(2))


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a folder in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dir").mkdir()


@pytest.mark.parametrize("suffix", _SUFFIXES)
def test_a_suffix_is_no_name(suffix: str, graph: ScriptGraph) -> None:
    for target in (suffix, f"dir/{suffix}", f"./{suffix}", f".{suffix}", suffix.upper(), f"dir/{suffix}/"):
        with pytest.raises(ConfigurationError, match="has no name") as caught:
            export(graph, target)
        assert f"graph{suffix}" in str(caught.value.remedy)
    assert sorted(path.name for path in [*Path().iterdir(), *Path("dir").iterdir()]) == ["dir"]


@pytest.mark.parametrize("scheme", _SCHEMES)
def test_a_scheme_is_no_name(scheme: str, graph: ScriptGraph) -> None:
    for target in (f"{scheme}:", f"{scheme.upper()}:"):
        with pytest.raises(ConfigurationError) as caught:
            export(graph, target)
        assert caught.value.remedy


@pytest.mark.parametrize("suffix", [suffix for suffix in _SUFFIXES if ".l" not in suffix])
def test_a_name_with_dots_is_one(suffix: str, graph: ScriptGraph) -> None:
    for name in ("..a", "a.", "a.ttl", ".a"):
        export(graph, f"dir/{name}{suffix}")
        assert Path(f"dir/{name}{suffix}").exists()


def test_a_compression_is_chosen_by_the_name_alone(graph: ScriptGraph) -> None:
    for target in ("dir/a.graphml.gz/", "dir/a.ttl.gz/"):
        export(graph, target)
        assert Path(target).read_bytes()[:2] == b"\x1f\x8b", target


def test_the_command_says_so(graph: ScriptGraph) -> None:
    for target in (".ttl", "dir/.nq.gz", "oxigraph:"):
        with pytest.raises(ConfigurationError, match="has no name"):
            run("export", graph.directory, target)


def test_a_target_is_found_whatever_its_case() -> None:
    assert resolve("A.TTL.GZ").name == "Turtle"
