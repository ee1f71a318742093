"""Tables that a server keeps answer as the files do, and belong to one build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.serve.kept_graph import KeptGraph
from exports.serve.limits import ServerLimits
from exports.serve.served import Served
from kgscripts import ScriptGraph
from kgscripts.scripts.reading import list_scenarios
from schemas.errors import ConfigurationError, StoreMissingError
from schemas.provenance import write_measurements
from tests.exports.kitchen import kitchen_graph
from tests.graphs import odd_graph


@pytest.fixture(scope="module")
def kept(kitchen: ScriptGraph) -> KeptGraph:
    return KeptGraph.of(kitchen, ServerLimits(), StoreMissingError)


def test_scripts_are_those_of_the_files(kitchen: ScriptGraph, kept: KeptGraph, tmp_path: Path) -> None:
    odd = odd_graph(tmp_path / "odd")
    for graph, other in ((kitchen, kept), (odd, KeptGraph.of(odd, ServerLimits(), StoreMissingError))):
        for scenario in list_scenarios(graph):
            assert other.script(scenario.iri, evidence=3) == graph.script(scenario.iri, evidence=3)


@given(st.data())
def test_any_selection_is_that_of_the_files(kitchen: ScriptGraph, kept: KeptGraph, data: st.DataObject) -> None:
    table = data.draw(st.sampled_from(["USES", "SubEvent", "PRECEDES", "Passage", "StateChange", "ALTERNATIVE_TO"]))
    rows = kitchen.table(table)
    names = [item.name for item in rows.schema if item.type == pa.string()]
    where: dict[str, Any] = {}
    for column in data.draw(st.lists(st.sampled_from(names), unique=True, max_size=2)):
        values = st.sampled_from([*rows[column].to_pylist(), "unknown"])
        where[column] = data.draw(values | st.lists(values, max_size=5) | st.sets(values, max_size=5))
    columns = data.draw(st.none() | st.lists(st.sampled_from(rows.schema.names), min_size=1, max_size=3))
    assert kept.select(table, columns, where) == kitchen.select(table, columns, where)


def test_numbers_nulls_and_iterators_are_compared_too(kitchen: ScriptGraph, kept: KeptGraph) -> None:
    for where in ({"support": 3}, {"before": None}, {"before": [None, "dirty"]}):
        table = "SubEvent" if "support" in where else "StateChange"
        assert kept.select(table, where=where).num_rows > 0
        assert kept.select(table, where=where) == kitchen.select(table, where=where)
    labels = kitchen.table("Tool")["label"]
    assert kept.select("Tool", where={"label": iter(labels.to_pylist())}) == kitchen.table("Tool")
    assert kept.select("Tool", where={"label": labels}) == kitchen.table("Tool")


@pytest.mark.parametrize(
    ("table", "columns", "where"),
    [
        ("Rocket", None, None),
        ("Tool", ["colour"], None),
        ("Tool", [], None),
        ("Tool", None, {"colour": "red"}),
        ("Tool", None, {"label": 3}),
        ("Tool", None, ["label"]),
        ("Scenario", None, {"alternative_labels": "cook pasta"}),
    ],
)
def test_wrong_selections_are_refused_as_of_the_files(
    kitchen: ScriptGraph, kept: KeptGraph, table: str, columns: Any, where: Any
) -> None:
    with pytest.raises(ConfigurationError) as expected:
        kitchen.select(table, columns, where)
    with pytest.raises(ConfigurationError) as found:
        kept.select(table, columns, where)
    assert str(found.value) == str(expected.value)


def test_no_more_rows_are_kept_than_allowed(kitchen: ScriptGraph) -> None:
    most = kitchen.manifest.rows("SubEvent")
    kept = KeptGraph.of(kitchen, ServerLimits(kept_rows=most), StoreMissingError)
    for table in ("Passage", "SubEvent", "Tool"):
        assert kept.select(table) == kitchen.table(table)
    assert list(kept._tables) == ["SubEvent"]


def test_a_new_build_and_new_measurements_are_another_version(tmp_path: Path) -> None:
    directory = tmp_path / "graph"
    kitchen_graph(directory)
    served = Served(directory, ServerLimits())
    first = served.graph()
    assert served.graph() is first
    assert served.latest == first.version
    scenarios = first.select("Scenario").num_rows
    write_measurements(directory, first.build_id, [])
    assert served.latest is None
    second = served.graph()
    assert (second is first, second.build_id) == (False, first.build_id)
    other = odd_graph(directory)
    assert served.latest is None
    third = served.consistently(lambda graph: (graph.version, graph.select("Scenario").num_rows))
    assert third == (served.latest, other.manifest.rows("Scenario"))
    assert third[0] not in (first.version, second.version)
    assert third[1] != scenarios


def test_what_was_read_of_two_builds_is_read_again(tmp_path: Path) -> None:
    directory = tmp_path / "graph"
    kitchen_graph(directory)
    served = Served(directory, ServerLimits())
    seen: list[KeptGraph] = []

    def read(graph: KeptGraph) -> tuple[int, int]:
        seen.append(graph)
        scenarios = graph.select("Scenario").num_rows
        if len(seen) == 1:
            odd_graph(directory)
        return scenarios, graph.select("SubEvent").num_rows

    found = served.consistently(read)
    expected = ScriptGraph.open(directory)
    assert found == (expected.manifest.rows("Scenario"), expected.manifest.rows("SubEvent"))
    assert len(seen) == 2
