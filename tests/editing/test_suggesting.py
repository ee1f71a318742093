"""What is suggested as the same: near steps, scenarios and things, each with a command that works."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscripts.editing.suggesting import suggest_corrections
from kgscripts.pipeline import build_graph
from schemas.errors import GraphDirectoryError
from tests.assembly.tiny_reader import tiny, tiny_document

Run = Callable[..., str]


def _suggested(path: Path, run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("correct", path, "suggest", "--json"))
    return found


def _pairs(found: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    return {(item["kind"], *sorted(item["names"])) for item in found}


def test_near_steps_scenarios_and_things_are_suggested(read_graph: Path, run: Run) -> None:
    found = _suggested(read_graph, run)
    assert _pairs(found) >= {
        ("same step", "jack up the car", "lift the car"),
        ("same scenario", "doing laundry", "washing clothes"),
        ("same thing", "hub cap", "hubcap"),
        ("same thing", "lug wrench", "wrench"),
    }
    # One source tells both.
    assert ("same step", "loosen the lug nuts", "tighten the lug nuts") not in _pairs(found)
    assert all(item["sources"] and item["evidence"] and 0 < item["likeness"] <= 1 for item in found)
    (wrench,) = (item for item in found if "wrench" in item["names"])
    assert wrench["join"] == ["kgscripts", "correct", str(read_graph), "same-thing", "lug wrench", "wrench"]


def test_commands_that_are_printed_join_or_keep_apart_for_good(read_graph: Path, tmp_path: Path, run: Run) -> None:
    path = shutil.copytree(read_graph, tmp_path / "graph")
    decided: set[tuple[str, ...]] = set()
    for turn in range(40):
        found = _suggested(path, run)
        assert not decided & _pairs(found)
        if not found:
            break
        item = found[0]
        command = item["join" if turn % 2 else "keep_apart"]
        assert "recorded" in run(*command[1:])
        decided |= _pairs([item])
    else:
        raise AssertionError("it suggests without end")
    assert run("correct", path, "suggest") == "nothing in the graph looks like a duplicate\n"


def test_printed_commands_can_be_pasted(read_graph: Path, run: Run) -> None:
    printed = run("correct", read_graph, "suggest").replace("\\\n", "")
    commands = [line for line in printed.splitlines() if line.strip().startswith("kgscripts correct")]
    assert [shlex.split(line) for line in commands] == [item["join"] for item in _suggested(read_graph, run)]
    assert "2 sources" in printed
    assert "tire0.txt: " in printed


def test_no_network_is_loaded(read_graph: Path) -> None:
    code = (
        "import sys\nfrom kgscripts.editing.suggesting import suggest_corrections\n"
        "assert suggest_corrections(sys.argv[1])\nassert not {'torch', 'spacy'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code, str(read_graph)], check=True)


def test_a_graph_without_vectors_is_compared_by_words(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The path is part of the lines that have at most 80 characters.
    monkeypatch.chdir(tmp_path)
    path = Path("a $b")
    texts = [
        tiny_document("boil the water in the pot. wash the hubcap.", name='a "b" $c', scenario="cooking pasta"),
        tiny_document(
            "boil the water in the pan. wash the hubcap. heat the water in the pan.", name="b", scenario="pasta"
        ),
        tiny_document("boil the water in the pan. heat the water in the pan.", name="c", scenario="cooking pasta"),
        tiny_document("wash the hub_cap. salt the microfibre. cut the microfiber. cut the pin.", name="d"),
    ]
    build_graph(output=path, texts=texts, extractors=tiny())
    found = suggest_corrections(path)
    assert {item.names for item in found if item.kind == "same thing"} == {
        ("hubcap", "hub_cap"),
        ("microfiber", "microfibre"),
    }
    assert ("cooking pasta", "pasta") in {item.names for item in found}
    for line in run("correct", path, "suggest").replace("\\\n", "").splitlines():
        if line.strip().startswith("kgscripts"):
            assert shlex.split(line)[2] == str(path)


def test_no_graph(tmp_path: Path) -> None:
    with pytest.raises(GraphDirectoryError):
        suggest_corrections(tmp_path)
