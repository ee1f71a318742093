"""README's example in a notebook: a real kernel, with ipywidgets and without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.test_examples import ROOT, examples_of

WITHOUT_WIDGETS = "import sys\nsys.modules['ipywidgets'] = None"
"""What a user has who did not install them: importing them fails. DuckDB asks for them in notebooks."""


@pytest.mark.parametrize("first", ["", WITHOUT_WIDGETS], ids=["with ipywidgets", "without ipywidgets"])
def test_the_example_of_the_readme(first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    [(code, printed)] = examples_of(ROOT / "README.md")
    new: Any = nbformat.v4  # it has no types
    notebook = new.new_notebook(cells=[new.new_code_cell(source) for source in (first, code, "graph")])
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    _, example, picture = notebook.cells
    assert "".join(output.text for output in example.outputs if output.get("name") == "stdout") == printed
    (shown,) = picture.outputs
    assert "<img" in shown.data["text/html"]
