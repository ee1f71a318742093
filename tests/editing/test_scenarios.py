"""Corrections of scenarios and of orders: renamed, joined, kept apart and turned round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscripts import ScriptGraph
from kgscripts.editing.correcting import correct_graph, list_corrections
from kgscripts.pipeline import build_graph
from schemas.corrections import Correction
from tests.assembly.built import graph_bytes
from tests.assembly.tiny_reader import tiny, tiny_document
from tests.editing.conftest import NOODLES, PASTA, SOUP, TINY

Run = Callable[..., str]


def _scenarios(path: Path) -> dict[str, dict[str, Any]]:
    return {row["label"]: row for row in ScriptGraph.open(path).rows("Scenario")}


def _steps(path: Path, scenario: str) -> set[str]:
    wanted = {"scenario": _scenarios(path)[scenario]["id"]}
    return {row["label"] for row in ScriptGraph.open(path).rows("SubEvent", where=wanted)}


def _corrected_by(path: Path) -> dict[str, list[str]]:
    graph = ScriptGraph.open(path)
    names = graph.labels("Scenario") | graph.labels("Tool") | graph.labels("Entity") | graph.labels("SubEvent")
    labels = graph.labels("Correction")
    found: dict[str, list[str]] = {label: [] for label in labels.values()}
    for row in graph.rows("CORRECTED_BY"):
        found[labels[row["to_id"]]].append(names.get(row["from_id"], row["from_id"]))
    return found


@pytest.mark.parametrize("scenario", [PASTA, SOUP])
def test_a_renamed_scenario_keeps_its_id_and_all_but_its_name(scenario: str, graph: Path, run: Run) -> None:
    identifier, steps = _scenarios(graph)[scenario]["id"], _steps(graph, scenario)
    assert "is called" in run("correct", graph, "rename-scenario", scenario.upper(), "Dinner for one")
    row = _scenarios(graph)["Dinner for one"]
    assert row["id"] == identifier
    assert scenario in row["alternative_labels"]
    assert _steps(graph, "Dinner for one") == steps
    # It can be named by both names, and its corrections hold under either.
    step = sorted(steps)[0]
    run("correct", graph, "reject", "dinner for one", step)
    assert step not in _steps(graph, "Dinner for one")
    run("correct", graph, "reject", scenario, step, "--withdraw")
    assert step in _steps(graph, "Dinner for one")
    run("correct", graph, "rename-scenario", "Dinner for one", "Supper")
    assert _scenarios(graph)["Supper"]["id"] == identifier
    text = "wash the pot. eat the dinner."
    build_graph(output=graph, texts=[*TINY, tiny_document(text, name="four", scenario="supper")], extractors=tiny())
    assert {"wash pot", *steps} <= _steps(graph, "Supper")
    assert _scenarios(graph)["Supper"]["support"] == 2
    run("correct", graph, "rename-scenario", "Supper", "--withdraw")
    assert {scenario, "supper"} <= _scenarios(graph).keys()


def test_joined_scenarios_are_one_until_it_is_withdrawn(graph: Path, tmp_path: Path, run: Run) -> None:
    before = graph_bytes(graph)
    parts = _scenarios(graph)
    both = _steps(graph, PASTA) | _steps(graph, NOODLES)
    assert run("correct", graph, "same-scenario", NOODLES, PASTA) == (
        f'recorded: "{PASTA}" is the same scenario as "{NOODLES}"\n'
    )
    joined = _scenarios(graph)
    assert joined.keys() == parts.keys() - {PASTA}
    assert joined[NOODLES]["id"] == parts[NOODLES]["id"]
    assert joined[NOODLES]["support"] == 2
    assert PASTA in joined[NOODLES]["alternative_labels"]
    assert {"add pasta", "add noodles", "drain pasta"} <= _steps(graph, NOODLES) <= both
    assert _corrected_by(graph) == {f'"{PASTA}" is the same scenario as "{NOODLES}"': [NOODLES]}
    # As a file, in another graph, and after a build that adds sources.
    file = tmp_path / "corrections.jsonl"
    file.write_text(run("correct", graph, "--list"), encoding="utf-8")
    more = [*TINY, tiny_document("eat the pasta.", name="four", scenario="Cooking Pasta")]
    build_graph(output=graph, texts=more, extractors=tiny())
    build_graph(output=tmp_path / "other", texts=more, extractors=tiny(), corrections=file)
    assert "eat pasta" in _steps(graph, NOODLES)
    assert graph_bytes(graph) == graph_bytes(tmp_path / "other")
    build_graph(output=tmp_path / "first", texts=TINY, extractors=tiny(), corrections=file)
    run("correct", tmp_path / "first", "same-scenario", NOODLES, PASTA, "--withdraw")
    assert graph_bytes(tmp_path / "first") == before


def test_the_latest_link_of_scenarios_wins(graph: Path, run: Run) -> None:
    run("correct", graph, "same-scenario", PASTA, NOODLES)
    run("correct", graph, "same-scenario", SOUP, PASTA)
    assert _scenarios(graph).keys() == {SOUP}
    assert "no longer applied" in run("correct", graph, "--corrections", _apart(graph))
    # The oldest link gives way: pasta is soup, noodles are not.
    assert _scenarios(graph).keys() == {SOUP, NOODLES}
    assert ScriptGraph.open(graph).manifest.discards["correction that a later one contradicts"] == 1
    assert sorted(_corrected_by(graph)[f'"{SOUP}" and "{NOODLES}" are different scenarios']) == sorted([SOUP, NOODLES])


def _apart(graph: Path) -> Path:
    """A file that keeps soup and noodles apart."""
    file = graph.parent / "apart.jsonl"
    item = Correction(kind="different scenario", scenario=SOUP, other=NOODLES, author="Ada", time="2999-01-01")
    file.write_text(item.to_json(), encoding="utf-8")
    return file


def test_what_is_corrected_nowhere_changes_nothing(graph: Path) -> None:
    before = _scenarios(graph)
    who: dict[str, Any] = {"author": "Ada", "time": "2026-03-01"}
    given = [
        Correction(kind="same scenario", scenario=PASTA, other="flying a kite", **who),
        Correction(kind="rename scenario", scenario="flying a kite", name="kites", **who),
        Correction(kind="different thing", thing="kite", other="dragon", **who),
    ]
    assert len(correct_graph(graph, given).unmatched) == 3
    assert _scenarios(graph) == before
    assert not any(_corrected_by(graph).values())


def test_things_that_are_kept_apart_name_their_correction(graph: Path, run: Run) -> None:
    run("correct", graph, "same-thing", "sieve", "spoon")
    assert "spoon" not in ScriptGraph.open(graph).labels("Tool").values()
    run("correct", graph, "different-thing", "Sieve", "the spoon")
    assert {"spoon", "sieve"} <= set(ScriptGraph.open(graph).labels("Tool").values())
    assert [item.kind for item in list_corrections(graph)] == ["different thing"]
    assert {"spoon", "sieve"} == set(_corrected_by(graph)['"sieve" and "spoon" are different things'])


def test_an_order_is_turned_round_and_back(graph: Path, tmp_path: Path, run: Run) -> None:
    def ranks() -> list[str]:
        wanted = {"from_id": _scenarios(graph)[PASTA]["id"]}
        rows = sorted(ScriptGraph.open(graph).rows("HAS_SUB_EVENT", where=wanted), key=lambda row: row["rank"])
        names = ScriptGraph.open(graph).labels("SubEvent")
        return [names[row["to_id"]] for row in rows]

    assert ranks() == ["boil water in pot", "add pasta", "drain pasta"]
    run("correct", graph, "reverse-order", PASTA, "drain the pasta", "boil water in pot")
    found = ranks()
    assert found.index("drain pasta") < found.index("boil water in pot")
    pairs = {(row["from_id"], row["to_id"]) for row in ScriptGraph.open(graph).rows("PRECEDES")}
    names = {label: step for step, label in ScriptGraph.open(graph).labels("SubEvent").items()}
    assert (names["drain pasta"], names["boil water in pot"]) in pairs
    assert (names["boil water in pot"], names["drain pasta"]) not in pairs
    more = [*TINY, tiny_document("boil the water in the pot. drain the pasta.", name="four", scenario=PASTA)]
    build_graph(output=graph, texts=more, extractors=tiny())
    found = ranks()
    assert found.index("drain pasta") < found.index("boil water in pot")
    run("correct", graph, "reverse-order", PASTA, "drain the pasta", "boil water in pot", "--withdraw")
    build_graph(output=tmp_path / "plain", texts=more, extractors=tiny())
    assert graph_bytes(graph) == graph_bytes(tmp_path / "plain")


def test_exports_have_the_corrections_of_scenarios(graph: Path, tmp_path: Path, run: Run) -> None:
    run("correct", graph, "rename-scenario", PASTA, "Supper", "--author", "Ada")
    run("correct", graph, "same-scenario", "Supper", NOODLES, "--author", "Ada")
    run("export", graph, tmp_path / "graph.ttl")
    text = (tmp_path / "graph.ttl").read_text(encoding="utf-8")
    assert "rename scenario" in text
    assert "same scenario" in text
    assert "correctedBy" in text
    run("export", graph, tmp_path / "graph.neo4j-csv")
    assert any("CORRECTED_BY" in file.name for file in (tmp_path / "graph.neo4j-csv").rglob("*"))
