"""The Python examples of the documents print what the documents say.

Those of extending*.md are tested by test_extending.py, and README's by test_notebook.py.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from functools import cache
from pathlib import Path

import pytest

import kgscripts
from tests.example_graph import FOLDER, example_graph
from tests.training import corpus

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = {"README.md", "extending.md", "extending-graph.md", "extending-training.md"}
_EXAMPLE = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", re.DOTALL)


@cache
def _planted() -> Path:
    """The graph of a shipped text, built once."""
    directory = Path(os.environ[FOLDER], f"planted-{os.getpid()}")
    kgscripts.build_graph(ROOT / "kgscripts/examples/texts/how_to_plant_a_tree.md", directory)
    return directory


def _kitchen() -> None:
    """The graph of docs/guide/queries.md and scripts.md."""
    Path("graph").symlink_to(_planted())


def _templates() -> None:
    """The templates of docs/measurements/cloze.md."""
    lines = (f"cut the {noun}\tpeel and slice the {noun} .\n" for noun in ("apple", "carrot", "leek", "onion", "pear"))
    Path("train.template.tsv").write_text("".join(lines), encoding="utf-8")


def _openpi() -> None:
    """The training steps of docs/measurements/state-changes.md."""
    path = Path("corpora/openpi/gold/train")
    path.parent.mkdir(parents=True)
    step = {"id": "www.wikihow.com/Boil-an-Egg||1", "step": "Wait.", "context": [], "answers": []}
    path.write_text(json.dumps(step), encoding="utf-8")


def _example_graph() -> None:
    """The graph of docs/guide/planning.md and searching.md."""
    Path("build").mkdir()
    Path("build/example-graph").symlink_to(example_graph())


def _stories() -> None:
    """The texts of docs/guide/many-machines.md."""
    Path("stories").mkdir()
    for name in ("one", "two"):
        Path(f"stories/{name}.txt").write_text(f"I boiled the water. I added the pasta {name}.\n", encoding="utf-8")


def _pairs() -> None:
    """The pairs of docs/guide/training.md."""
    corpus.write(Path())


def _nothing() -> None:
    """Of documents that make their graphs themselves."""


BEFORE = {
    "queries.md": _kitchen,
    "scripts.md": _kitchen,
    "cloze.md": _templates,
    "state-changes.md": _openpi,
    "many-machines.md": _stories,
    "planning.md": _example_graph,
    "searching.md": _example_graph,
    "building.md": _nothing,
    "from-laptop-to-cluster.md": _nothing,
    "corrections.md": _nothing,
    "spacy.md": _nothing,
    "training.md": _pairs,
}


def examples_of(document: Path) -> list[tuple[str, str]]:
    """The examples in Python of a document: their code, and what they print."""
    return _EXAMPLE.findall(document.read_text(encoding="utf-8"))


EXAMPLES = [
    pytest.param(document.name, code, printed, id=f"{document.name}-{number}")
    for document in DOCUMENTS
    if document.name not in ELSEWHERE
    for number, (code, printed) in enumerate(examples_of(document))
]


def test_there_are_examples() -> None:
    assert {example.values[0] for example in EXAMPLES} == set(BEFORE)
    assert len(examples_of(ROOT / "README.md")) == 1


@pytest.mark.parametrize(("document", "code", "printed"), EXAMPLES)
def test_examples_print_what_the_document_says(
    document: str, code: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    BEFORE[document]()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, document, "exec"), {"__name__": "__main__"})
    assert output.getvalue() == printed
