"""USES with tools that are inferred from a step before: marked, counted for less, shown, and never a need."""

from __future__ import annotations

from pathlib import Path

import pytest

from exports.targets import export
from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.pipeline import build_graph
from kgscripts.scripts.reading import read_script, read_step
from schemas.records import INFERRED
from tests.assembly.built import graph_rows

TEXTS = (
    "1. Heat the oil in a pan.\n2. Add the onions.\n3. Stir the onions.\n",
    "1. Add the onions to the pan.\n2. Stir the onions with a spoon.\n",
    "1. Heat the oil in a pan.\n2. Add the onions.\n3. Pour the soup into a bowl.\n",
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("inferred") / "graph"
    given = [{"text": text, "scenario": "making onion soup"} for text in TEXTS]
    build_graph(output=path, texts=given, extractors=["labels", "sentences", "events"])
    return path


def test_inferred_mentions_count_for_less(directory: Path) -> None:
    rows = graph_rows(directory)
    names = {row["id"]: row["label"] for kind in ("SubEvent", "Tool") for row in rows[kind]}
    scores = {row["from_id"]: row["score"] for row in rows["READ_BY"]}
    found = {
        (names[row["from_id"]], names[row["to_id"]]): (
            *(row[name] for name in ("support", "probability", "inferred", "predicted")),
            scores[row["statement"]],
        )
        for row in rows["USES"]
    }
    assert found == {
        ("heat oil", "pan"): (2, 1.0, False, False, 1.0),
        # Named in one of three mentions, so that it is not marked, and inferred in the others.
        ("add onion", "pan"): (3, round((1 + 2 * INFERRED) / 3, 4), False, False, 1.0),
        ("stir onion", "pan"): (2, INFERRED, True, False, INFERRED),
        ("stir onion", "spoon"): (1, 0.5, False, False, 1.0),
        ("pour soup into bowl", "bowl"): (1, 1.0, False, False, 1.0),
        ("pour soup into bowl", "pan"): (1, INFERRED, True, False, INFERRED),
    }
    assert validate(ScriptGraph.open(directory)).conforms


def test_evidence_is_the_mention_that_has_the_tool(directory: Path) -> None:
    steps = read_script(ScriptGraph.open(directory), "making onion soup", evidence=9).steps
    (stir,) = (step for step in steps if step.label == "stir onion")
    pan, _ = sorted(stir.tools, key=lambda tool: tool.label)
    assert pan.inferred
    assert {item.words for item in pan.evidence} == {"Stir the onions", "Stir the onions with a spoon"}


def test_an_inferred_tool_is_marked_where_it_is_shown(directory: Path) -> None:
    graph = ScriptGraph.open(directory)
    script = graph.script("making onion soup")
    assert "pan (container, inferred, 85%)" in str(script)
    assert "(pan)" in script._repr_html_()


def test_what_is_inferred_is_no_need(directory: Path) -> None:
    """The sources that need a pan are those that name it."""
    needs = {need.label: need.used for need in ScriptGraph.open(directory).script("making onion soup").needs}
    assert needs["pan"] == 3


def test_a_step_says_how_its_tools_were_found_and_by_which_models(tmp_path: Path) -> None:
    text = "1. Take a knife and cut the bread.\n2. Heat the oil in a pan.\n3. Add the onions.\n4. Stir the onions.\n"
    given = [{"text": text, "scenario": "making a sandwich"}]
    build_graph(output=tmp_path / "graph", texts=given, extractors=["labels", "sentences", "events"])
    export(graph := ScriptGraph.open(tmp_path / "graph"), f"parquet:{tmp_path / 'tables'}")
    # Without the records beside it, a graph does not tell what was carried along.
    for opened, cut in ((graph, "carried"), (ScriptGraph.open(tmp_path / "tables"), "named")):
        for label, tool, way in (
            ("cut bread", "knife", cut),
            ("heat oil", "pan", "named"),
            ("add onion", "pan", "inferred"),
        ):
            _, step = read_step(opened, "making a sandwich", label, causes=True)
            assert [(each.label, each.via) for each in step.tools] == [(tool, (way,))]
            for part in (step, *step.tools, *step.participants):
                assert {"en_kgscripts", "events"} <= {reader.name for reader in part.read_by}
