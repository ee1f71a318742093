"""Ladybug: the embedded store of a graph, and queries that only read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from exports.cypher.cypher import run_query
from exports.cypher.ladybug_store import embedded_store
from exports.query.confined import ask as ask_engine
from exports.query.engine_process import EngineError, Limits
from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import QueryError, StoreError
from schemas.graph_types import RELATION_TYPES
from tests.exports.adapters_property_graph import read_ladybug
from tests.exports.compliance import expected
from tests.graphs import generated_graph, odd_graph, odd_rows, write_graph

COUNT = "MATCH (n:Tool) RETURN count(n) AS tools"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> ScriptGraph:
    return odd_graph(tmp_path_factory.mktemp("ladybug") / "graph")


@pytest.mark.parametrize("odd", [["it's", "a[1]b", "st*r"], ["back\\slash", "new\nline", "emoji 🍝", "{x}, y"]])
def test_the_name_of_a_directory_and_a_base_iri_are_values_and_no_query_text(tmp_path: Path, odd: list[str]) -> None:
    folder, base = tmp_path / " ".join(odd), "https://example.org/it's/;'+RETURN/"
    graph = write_graph(folder / "graph", odd_rows(), base)
    export(graph, str(folder / "g.lbug"))
    assert read_ladybug(folder / "g.lbug") == expected(graph)
    outside = "MATCH (t:Tool) WHERE NOT t.iri STARTS WITH $base RETURN t.iri"
    assert run_query(folder / "g.lbug", outside, parameters={"base": base}).rows == ()


def test_an_export_replaces_the_older_file_whole(tmp_path: Path) -> None:
    target = tmp_path / "g.lbug"
    export(odd_graph(tmp_path / "a"), f"ladybug:{target}")
    smaller = generated_graph(tmp_path / "b", 50)
    export(smaller, f"ladybug:{target}")
    assert read_ladybug(target) == expected(smaller)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "g.lbug"]


def test_other_peoples_files_are_not_replaced(tmp_path: Path, graph: ScriptGraph) -> None:
    target = tmp_path / "notes.lbug"
    target.write_text("my notes")
    with pytest.raises(StoreError, match="is not a Ladybug store"):
        export(graph, str(target))
    assert target.read_text() == "my notes"


def test_a_dry_run_writes_nothing(tmp_path: Path, graph: ScriptGraph) -> None:
    assert export(graph, str(tmp_path / "g.lbug"), ExportOptions(dry_run=True)).nodes > 0
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, graph: ScriptGraph) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        export(graph, str(tmp_path / "file" / "g.lbug"))


def test_the_embedded_store_is_built_once_and_again_when_the_graph_changed(tmp_path: Path) -> None:
    rows = odd_rows()
    first = write_graph(tmp_path, rows)
    assert run_query(first, COUNT).rows == ((len(rows["Tool"]),),)
    store = embedded_store(first)
    assert store.name.endswith(f"-{first.build_id}")
    before = store.stat().st_mtime_ns
    run_query(first, COUNT)
    assert embedded_store(first).stat().st_mtime_ns == before
    kept = {row["id"] for row in rows["Tool"][:3]}
    rows["Tool"] = rows["Tool"][:3]
    for name in RELATION_TYPES:
        ends = ((row, {row["from_id"], row["to_id"]}) for row in rows[name])
        rows[name] = [row for row, own in ends if not {end for end in own if end.startswith("tool/")} - kept]
    second = write_graph(tmp_path, rows)
    assert run_query(second, COUNT).rows == ((3,),)
    assert list((tmp_path / "stores").glob("ladybug-*")) == [embedded_store(second)]


def test_what_a_killed_build_of_the_store_left_goes(tmp_path: Path) -> None:
    graph = odd_graph(tmp_path)
    left = tmp_path / "stores" / f".ladybug-{graph.build_id}.killed"
    left.mkdir(parents=True)
    (left / "half").write_bytes(b"LBUG")
    run_query(graph, COUNT)
    assert not left.exists()


def test_two_processes_ask_a_new_graph_at_once(tmp_path: Path) -> None:
    generated_graph(tmp_path, 2_000)
    code = (
        "import sys; from exports.cypher.cypher import run_query; from kgscripts import ScriptGraph; "
        f"print(run_query(ScriptGraph.open(sys.argv[1]), {COUNT!r}).rows)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    answers = [process.communicate(timeout=120) for process in running]
    assert [out for out, _ in answers] == [b"((200,),)\n"] * 2, answers


def test_a_graph_directory_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    graph = odd_graph(tmp_path)
    monkeypatch.setattr("schemas.kept_stores.FileLock", refuse)
    with pytest.raises(StoreError, match=r"export the graph to GRAPH\.ladybug"):
        run_query(graph, COUNT)


@pytest.mark.parametrize("content", [b"", b"LBUG", b"LBUG" + bytes(5000), b"no store at all"])
def test_a_damaged_store_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "g.lbug"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"cannot be opened|is not a Ladybug store"):
        run_query(path, COUNT)


def test_a_missing_store_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be opened|is not a Ladybug store"):
        run_query(str(tmp_path / "none.lbug"), COUNT)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (t:Tool {iri: 'x'})",
        "MATCH (t:Tool) SET t.label = 'x'",
        "MATCH (t:Tool) DETACH DELETE t",
        "DROP TABLE Tool",
        "COPY (MATCH (t:Tool) RETURN t.iri) TO 'stolen.csv'",
        "/* RETURN */ COPY (MATCH (t:Tool) RETURN t.iri) TO 'stolen.csv'",
        "RETURN 1; COPY (MATCH (t:Tool) RETURN t.iri) TO 'stolen.csv'",
        "RETURN ';'; COPY (MATCH (t:Tool) RETURN t.iri) TO 'stolen.csv'",
        "INSTALL httpfs",
        "EXPORT DATABASE 'stolen'",
        "CHECKPOINT",
    ],
)
def test_queries_only_read(graph: ScriptGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    before = run_query(graph, COUNT)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(QueryError):
        run_query(graph, text)
    assert list(tmp_path.iterdir()) == []
    assert run_query(graph, COUNT) == before


@pytest.mark.parametrize(
    ("text", "where", "caret"),
    [
        ("MATCH (t:Tool) RETRUN t", "line 1, column 16", "  MATCH (t:Tool) RETRUN t\n" + " " * 17 + "^"),
        ("MATCH (t:Tool)\nWHERE t.label = '🍝' RETRUN t", "line 2, column 21", " " * 22 + "^"),
        ("MATCH (t:Tool", "line 1, column 14", "  MATCH (t:Tool\n" + " " * 15 + "^"),
        ("MATCH (p:Passage) RETURN p.end", "line 1, column 28", "in backticks, `end`"),
        ("RETURN 1 AS " + "x" * 500 + " y", "line 1, column 51", "^"),
    ],
)
def test_a_syntax_error_shows_the_place(graph: ScriptGraph, text: str, where: str, caret: str) -> None:
    with pytest.raises(QueryError) as caught:
        run_query(graph, text)
    assert str(caught.value).startswith(where)
    assert caret in str(caught.value)
    assert max(map(len, str(caught.value).split("\n"))) < 120


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  // nothing\n /* at all */ ;", "is empty"),
        ("MATCH (n:Spoon) RETURN n", "Spoon"),
        ("MATCH (t:Tool) RETURN t.weight", "weight"),
        ("RETURN nobody", "nobody"),
        ("RETURN 1/0", "zero"),
        ("MATCH (t:Tool {label: $name}) RETURN t", "parameter 'name'"),
    ],
)
def test_what_cannot_be_answered_is_a_clear_error(graph: ScriptGraph, text: str, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        run_query(graph, text)


def test_text_is_a_parameter_and_comes_back_whole(graph: ScriptGraph) -> None:
    for row in graph.rows("Tool"):
        parameters = {"label": row["label"], "unused": 1}
        table = run_query(graph, "MATCH (t:Tool) WHERE t.label = $label RETURN t.iri, t.label", parameters=parameters)
        assert (graph.iri(row["id"]), row["label"]) in table.rows


def test_nodes_relations_and_paths_are_mappings(graph: ScriptGraph) -> None:
    text = "MATCH p = ()-[r:USES]->(t:Tool) RETURN r, t, p, [1, 2] AS list, {a: 1.5} AS map ORDER BY t.iri LIMIT 1"
    relation, tool, path, items, mapping = run_query(graph, text).rows[0]
    assert isinstance(relation, dict)
    assert isinstance(tool, dict)
    assert isinstance(path, dict)
    assert relation["_label"] == "USES"
    assert set(relation) <= {
        "_label",
        "support",
        "probability",
        "pmi",
        "log_probability",
        "predicted",
        "inferred",
        "role",
        "statement",
    }
    assert set(tool) == {"_label", "iri", "label", "support"}
    assert path["relations"] == [relation]
    assert path["nodes"][1] == tool
    assert (items, mapping) == ([1, 2], {"a": 1.5})


def test_the_store_is_opened_for_reading(graph: ScriptGraph) -> None:
    request = {"text": "MATCH (t:Tool) SET t.label = 'x'", "parameters": {}}
    with pytest.raises(EngineError, match="read-only"):
        ask_engine("ladybug", embedded_store(graph), request, Limits(timeout=60))
