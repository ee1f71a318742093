"""Graphs in a notebook: a real kernel, with ipywidgets and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.test_examples import ROOT, examples_of

WITHOUT_WIDGETS = "import sys\nsys.modules['ipywidgets'] = None"
"""What a user has who did not install them: importing them fails. DuckDB asks for them in notebooks."""


(EXAMPLE,) = examples_of(ROOT / "README.md")
"""Its code, and what it prints."""
SHORT = """import kgscripts
kgscripts.build_graph(output="graph", texts=["How to cook pasta\\n\\nDrain the pasta."], extractors=["labels"])
graph = kgscripts.ScriptGraph.open("graph")
print(list(graph.labels("Scenario").values()))
"""
"""A build that loads no models: only its assembly asks for widgets."""


@pytest.mark.parametrize(
    ("first", "code", "printed", "shown"),
    [
        pytest.param(WITHOUT_WIDGETS, *EXAMPLE, "<table", id="the example of README, without widgets"),
        pytest.param("", SHORT, "['cooking pasta']\n", "<b>graph</b>", id="with widgets"),
    ],
)
def test_a_graph_is_built_and_shown(
    first: str, code: str, printed: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    new: Any = nbformat.v4  # it has no types
    notebook = new.new_notebook(cells=[new.new_code_cell(source) for source in (first, code, "graph")])
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    _, example, graph = notebook.cells
    assert "".join(output.text for output in example.outputs if output.get("name") == "stdout") == printed
    (output,) = graph.outputs
    assert shown in output.data["text/html"]
