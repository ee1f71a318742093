"""What scenarios need: from lists, and from what usual steps use and use up."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from exports.validation import validate
from kgscripts import ScriptGraph
from kgscripts.analysis.graph_diff import diff_graphs
from kgscripts.assembly.tables.needs import product_names, worked_on_names
from kgscripts.editing.correcting import correct_graph, correct_in_words
from kgscripts.pipeline import build_graph
from kgscripts.scripts.things import list_needs
from schemas.corrections import Correction
from schemas.errors import InputError, RecordError
from tests.assembly.built import Rows, graph_rows

TEXTS = (
    "# Pancakes\n\n## Ingredients\n\n- 200 g flour\n- 2 eggs\n- salt\n\n## Equipment\n\n- frying pan\n\n"
    "## Instructions\n\n1. Mix the flour with the eggs in a bowl.\n2. Heat the pan.\n"
    "3. Pour the batter into the pan.\n4. Wipe off the crumbs.\n",
    "# Pancakes\n\n## Ingredients\n\n- 250 g flour\n- 2 eggs\n\n## Instructions\n\n1. Mix the flour with the milk.\n"
    "2. Fry the pancakes in a pan.\n3. Turn the pancakes with a spatula.\n4. Eat the pancakes.\n",
    "# Pancakes\n\n1. Mix the flour with the milk in a bowl.\n2. Heat the frying pan on the stove.\n"
    "3. Turn the pancakes with a spatula.\n",
    "# Pancakes\n\n1. Whisk the eggs with a whisk.\n2. Heat the frying pan on the stove.\n",
)
Needs = dict[str, tuple[Any, ...]]


def _needs(rows: Rows) -> Needs:
    """By name: support, sources that declare it and that use it, probability, role, amount, and whether it is usual."""
    names = {row["id"]: row["label"] for kind in ("Tool", "Entity") for row in rows[kind]}
    keys = ("support", "declared", "used", "probability", "role", "amount", "usual")
    return {names[row["to_id"]]: tuple(row[key] for key in keys) for row in rows["NEEDS"]}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("needs") / "graph"
    given = [{"text": text, "scenario": "making pancakes"} for text in TEXTS]
    build_graph(output=path, texts=given, format="markdown", without=["state-changes", "steps"])
    return path


@pytest.fixture(scope="module")
def corrected(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of it with corrections."""
    path = shutil.copytree(directory, tmp_path_factory.mktemp("corrected") / "graph")
    assert not correct_graph(path, CORRECTIONS).unmatched
    return path


def test_numbers_are_those_of_the_texts(directory: Path) -> None:
    assert _needs(graph_rows(directory)) == {
        "flour": (3, 2, 3, 0.75, None, "200 g", True),
        "egg": (3, 2, 2, 0.75, None, "2", True),
        "milk": (2, 0, 2, 0.5, None, None, True),
        "salt": (1, 1, 0, 0.25, None, None, True),
        "bowl": (2, 0, 2, 0.5, "container", None, True),
        "frying pan": (3, 1, 3, 0.75, "container", None, True),
        "pan": (1, 0, 1, 0.25, "container", None, False),
        "spatula": (2, 0, 2, 0.5, "instrument", None, True),
        "stove": (2, 0, 2, 0.5, "appliance", None, True),
        "whisk": (1, 0, 1, 0.25, "instrument", None, False),
    }


def test_show_and_needs_have_the_usual_ones(directory: Path) -> None:
    graph = ScriptGraph.open(directory)
    script = graph.script("making pancakes", evidence=9)
    tools = ["frying pan", "bowl", "spatula", "stove"]
    assert [need.label for need in script.needs] == [*tools, "egg", "flour", "milk", "salt"]
    assert script.needs_left_out == 2
    found = list_needs(graph, "making pancakes", usual=True, min_support=2, limit=6)
    assert [need.label for need in found.needs] == [*tools, "egg", "flour"]
    assert found.left_out == 4
    (flour,) = (need for need in script.needs if need.label == "flour")
    assert {item.words for item in flour.evidence} == {
        *("200 g flour", "250 g flour"),
        *("Mix the flour", "Mix the flour with the eggs in a bowl", "Mix the flour with the milk in a bowl"),
    }
    everything = graph.script("making pancakes", all_steps=True)
    assert {need.label for need in everything.needs} - {need.label for need in script.needs} == {"pan", "whisk"}
    edges = script.to_networkx().edges(data=True)
    assert {end for _, end, data in edges if data["type"] == "NEEDS"} == {need.iri for need in script.needs}


def test_usual_needs_are_schema_org_in_rdf(directory: Path) -> None:
    query = """
        SELECT ?kind ?thing {
            ?s rdfs:label "making pancakes"@en ; ?kind ?t . ?t rdfs:label ?thing
            FILTER (?kind IN (schema:tool, schema:supply))
        } ORDER BY ?kind ?thing
    """
    found = [(str(kind).rpartition("/")[2], thing) for kind, thing in ScriptGraph.open(directory).query(query).rows]
    supplies = [("supply", name) for name in ("egg", "flour", "milk", "salt")]
    assert found == [*supplies, *(("tool", name) for name in ("bowl", "frying pan", "spatula", "stove"))]


def _correction(kind: str, hour: int, other: str, **values: Any) -> Correction:
    about: dict[str, Any] = {"scenario": "making pancakes", "author": "Ada", "time": f"2026-03-01T{hour:02}:00:00Z"}
    return Correction(kind=kind, relation="NEEDS", other=other, **about, **values)


CORRECTIONS = (
    _correction("add", 1, "ladle", role="instrument"),
    _correction("add", 2, "whisk"),
    _correction("add", 3, "maple syrup"),
    _correction("reject", 4, "salt"),
    _correction("add", 5, "bowl"),
    Correction(kind="tool role", thing="frying pan", role="support", author="Ada", time="2026-03-02"),
)


def test_corrections_add_and_reject_needs(directory: Path, corrected: Path) -> None:
    rows = graph_rows(corrected)
    before, after = _needs(graph_rows(directory)), _needs(rows)
    assert after == {
        **{name: numbers for name, numbers in before.items() if name != "salt"},
        "ladle": (0, 0, 0, 0.0, "instrument", None, True),
        "maple syrup": (0, 0, 0, 0.0, None, None, True),
        "whisk": (*before["whisk"][:-1], True),
        "frying pan": (*before["frying pan"][:4], "support", *before["frying pan"][5:]),
    }
    names = {row["id"]: row["label"] for kind in ("Tool", "Entity") for row in rows[kind]}
    stated = {row["statement"]: names[row["to_id"]] for row in rows["NEEDS"]}
    assert {stated[row["from_id"]] for row in rows["CORRECTED_BY"] if row["from_id"] in stated} == {
        "ladle",
        "whisk",
        "maple syrup",
        "bowl",
    }
    assert validate(ScriptGraph.open(corrected), None, closed=True).conforms
    (difference,) = diff_graphs(ScriptGraph.open(directory), ScriptGraph.open(corrected)).scenarios
    assert {change.text for change in difference.changes} == {
        "making pancakes NEEDS ladle (added by a person)",
        "making pancakes NEEDS maple syrup (added by a person)",
        "making pancakes NEEDS salt (1 source)",
    }
    shown = ScriptGraph.open(corrected).script("making pancakes").needs
    assert [need.label for need in shown][:2] == ["ladle", "frying pan"], "what a person added comes first"


def test_words_of_a_need_are_found_in_the_graph(corrected: Path, tmp_path: Path) -> None:
    graph = shutil.copytree(corrected, tmp_path / "graph")
    with pytest.raises(InputError, match="does not need 'flower'") as error:
        correct_in_words(graph, _correction("reject", 6, "flower"))
    assert error.value.remedy == "near ones are: flour"
    (recorded,) = correct_in_words(graph, _correction("add", 7, "a hand mixer")).recorded
    assert recorded.label == '"hand mixer" is needed as appliance'
    # Somebody else has added it.
    (recorded,) = correct_in_words(graph, _correction("reject", 8, "the bowl")).recorded
    assert recorded.label == '"bowl" is not needed'
    labels = [need.label for need in ScriptGraph.open(graph).script("making pancakes").needs]
    assert "hand mixer" in labels
    assert "bowl" not in labels
    assert "bowl" not in _needs(graph_rows(graph))


@pytest.mark.parametrize("values", [{"step": "mix flour"}, {"kind": "reject", "role": "container"}, {"other": ""}])
def test_corrections_of_needs_that_are_none(values: dict[str, str]) -> None:
    given: dict[str, Any] = {"kind": "add", "scenario": "making tea", "relation": "NEEDS", "other": "pot", **values}
    with pytest.raises(RecordError):
        Correction(**given, author="Ada", time="2026-03-01")


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("banana bread", {"bread", "banana bread"}),
        ("baking a cake", {"cake"}),
        ("oat pancakes", {"pancake", "oat pancake"}),
        ("iced tea with lemon", {"tea", "iced tea"}),
        ("making scrambled eggs", set()),
        ("cooking pasta", set()),
        ("washing a car", set()),
    ],
)
def test_products_of_scenarios(label: str, names: set[str]) -> None:
    assert names <= product_names(label)
    assert bool(names) == bool(product_names(label))


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("vacuuming the carpet", {"carpet"}),
        ("wash dishes with soap", {"dish"}),
        ("changing batteries in an alarm clock", {"alarm clock"}),
        ("feeding the fish", {"fish"}),
        ("wrapping gifts", {"gift"}),
        ("sewing a button on a shirt", {"shirt"}),
        ("changing a light bulb", set()),
        ("making a bed", set()),
        ("cleaning", set()),
        ("", set()),
    ],
)
def test_what_scenarios_are_done_to(label: str, names: set[str]) -> None:
    assert names <= worked_on_names(label)
    assert bool(names) == bool(worked_on_names(label))
