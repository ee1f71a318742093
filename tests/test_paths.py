"""Names that a file system allows and programs seldom expect: of an input, of its folder, and of the graph."""

from __future__ import annotations

import glob
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exports.targets import export
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from schemas.errors import GraphDirectoryError, KGScriptsError

_LONGEST = 255
"""Bytes of a name."""
_TEXT = "Fill a pot with water. Boil the water. Drain the pasta."
_LABELS = "SELECT ?label { ?tool a kgs:Tool ; rdfs:label ?label }"
_ODD = " \\\"'`%#?*[]{}$&;:,=+@!~-.()<>|\n\t\r\x01\x7fäß日本語🍝\u202e\u0301\udcff\udc80"


def _cut(name: str, end: str) -> str:
    """The name with an ending, as long as a name may be."""
    room = _LONGEST - len(os.fsencode(end))
    return os.fsdecode(os.fsencode(name)[:room]) + end


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in name)


def _build(inputs: list[Path], graph: Path) -> None:
    build_graph(inputs, graph, scenario="cooking pasta", extractors=["labels", "events"])


def _check(name: str, *above: str) -> None:
    """Build a graph of that name, of a text of that name in a folder of that name, ask it and export it.

    All of them are in folders of the names `above`.
    """
    with tempfile.TemporaryDirectory() as root:
        base = Path(root, *above)
        folder, graph, target = base / _cut(name, ""), base / _cut(name, "~"), base / _cut(name, ".nq")
        folder.mkdir(parents=True)
        text = folder / _cut(name, ".txt")
        text.write_text(_TEXT, encoding="utf-8")
        if not _is_utf8(name):
            with pytest.raises(GraphDirectoryError, match="not UTF-8") as refused:
                _build([text], graph)
            str(refused.value).encode("utf-8")
            return
        if "\\" in name and glob.escape(name) != name:
            with pytest.raises(GraphDirectoryError, match="backslash"):
                _build([text], graph)
            return
        _build([text], graph)
        opened = ScriptGraph.open(graph)
        assert [step.label for step in opened.script("cooking pasta").steps]
        assert ("pot",) in opened.query(_LABELS).rows
        export(opened, target)
        assert b"pot" in target.read_bytes()


@pytest.mark.parametrize(
    "names",
    [
        ("new\nline\r\n*[a-z]?{b,c}**", "-o", "neo4j:a.ttl", "a b  c?d \"e\" 'f' `g` 100%41#part&y=1"),
        ("back\\slash",),
        ("é日🍝" * 40,),
        ("x" * _LONGEST,),
    ],
    ids=["lines, patterns, option, scheme and signs", "backslash", "not ASCII", "long"],
)
def test_a_graph_is_built_of_and_in_a_folder_of_an_odd_name(names: tuple[str, ...]) -> None:
    _check(*names)


@settings(max_examples=3)
@given(name=st.text(st.sampled_from(_ODD), min_size=1, max_size=40).filter(lambda name: name.strip(".")))
def test_a_graph_is_built_of_and_in_a_folder_of_any_name(name: str) -> None:
    _check(name)


@pytest.mark.parametrize(
    ("names", "problem"),
    [(("x" * 200, "y" * 200), "too long"), (("back\\slash", "a*b"), "both a backslash")],
    ids=["long", "backslash and pattern"],
)
def test_a_path_that_a_library_cannot_use_is_refused(names: tuple[str, str], problem: str, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text(_TEXT, encoding="utf-8")
    folder = tmp_path / names[0]
    folder.mkdir()
    with pytest.raises(GraphDirectoryError, match=problem) as refused:
        _build([text], folder / names[1])
    assert refused.value.remedy
    assert list(folder.iterdir()) == []


def test_inputs_whose_names_are_no_utf8_are_read(tmp_path: Path) -> None:
    names = ("\udcff\udc80", "a\udcff" * 60)
    for number, name in enumerate(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text(f"{_TEXT} Eat {number} of them.", encoding="utf-8")
    _build([tmp_path / name for name in names], tmp_path / "graph")
    graph = ScriptGraph.open(tmp_path / "graph")
    assert graph.manifest.sources == len(names)
    (label,) = {row["label"] for row in graph.rows("Scenario")}
    assert label == "cooking pasta"


@pytest.mark.parametrize("name", ["nul\0", "x" * (_LONGEST + 1)], ids=["nul", "too long"])
def test_what_is_no_name_is_an_error_that_says_where(name: str, tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text(_TEXT, encoding="utf-8")
    for inputs, graph in (([tmp_path / name], tmp_path / "graph"), ([text], tmp_path / name)):
        with pytest.raises(KGScriptsError) as refused:
            _build(inputs, graph)
        assert refused.value.remedy
        assert sorted(tmp_path.iterdir()) == [text]
