"""A Neo4j of its own: what neo4j-admin makes of the CSV files, beside what an export over Bolt writes, and SIGKILL."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exports.targets import ExportOptions, export
from kgscripts import ScriptGraph
from schemas.errors import StoreError
from schemas.results import ExportReport
from tests.exports.neo4j_server import BoltServer, java_environment, neo4j_folder, neo4j_process, sizes, totals
from tests.graphs import generated_graph, odd_graph

INDEXES = ExportOptions(indexes=True)


def everything(server: BoltServer) -> dict[str, Counter[Any]]:
    """All nodes and relations with all properties, vectors and marks too, all constraints and all indexes."""
    queries = {
        "nodes": "MATCH (n) RETURN labels(n), properties(n)",
        "relations": "MATCH (a)-[r]->(b) RETURN a.iri, type(r), b.iri, properties(r)",
        "constraints": "SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties RETURN name, labelsOrTypes, properties",
        "indexes": "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options "
        "WHERE type <> 'LOOKUP' RETURN name, type, labelsOrTypes, properties, options.indexConfig",
    }
    return {what: Counter(map(ordered, server.ask(query))) for what, query in queries.items()}


def ordered(row: list[Any]) -> str:
    return repr([sorted(value.items()) if isinstance(value, dict) else value for value in row])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[ScriptGraph, Path, ExportReport]:
    """A graph, its CSV files and the report of their export."""
    folder = tmp_path_factory.mktemp("csv")
    graph, directory = odd_graph(folder / "graph"), folder / "graph.neo4j-csv"
    return graph, directory, export(graph, str(directory), INDEXES)


@pytest.fixture(scope="module")
def imported(
    files: tuple[ScriptGraph, Path, ExportReport], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BoltServer]:
    """A server of the module's own, on what neo4j-admin made of the files."""
    admin, home, password = neo4j_folder() / "admin", tmp_path_factory.mktemp("csv") / "home", "import-password"
    subprocess.run(
        [admin, home, "database", "import", "full", "neo4j", "@import.args"],
        cwd=files[1],
        env=java_environment(),
        check=True,
        capture_output=True,
        timeout=240,
    )
    process = neo4j_process(home, password)
    process.start()
    try:
        yield BoltServer(f"bolt://127.0.0.1:{process.port}", "neo4j", password, process)
    finally:
        process.kill()


@pytest.mark.servers
def test_neo4j_admin_imports_what_bolt_writes(
    files: tuple[ScriptGraph, Path, ExportReport],
    imported: BoltServer,
    neo4j_server: BoltServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, directory, report = files
    written = export(graph, neo4j_server.uri, INDEXES)
    by_bolt = everything(neo4j_server)
    for statement in (directory / "after-import.cypher").read_text(encoding="utf-8").split(";\n")[:-1]:
        imported.ask(statement)
    assert everything(imported) == by_bolt
    assert report.details["vectors"] == written.details["vectors"] == 30, "ten of each kind"
    # It goes on from here: the exporter finds its own nodes and writes nothing twice.
    imported.use(monkeypatch)
    export(graph, imported.uri, INDEXES)
    assert everything(imported) == by_bolt


@pytest.mark.servers
def test_a_server_killed_in_the_middle_loses_nothing(
    imported: BoltServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGKILL during the export is a clear error; after a restart, the next run leaves everything there once.

    The server that other tests share would have to plan all their queries anew.
    """
    process = imported.process
    assert process is not None
    imported.empty()
    imported.use(monkeypatch)
    monkeypatch.setattr("exports.neo4j.connection.RETRY_SECONDS", 1.0)
    graph = generated_graph(tmp_path, 3_000)
    written = 0

    def kill_half_way(rows: int) -> None:
        nonlocal written
        written += rows
        if written > sum(sizes(graph)) // 2:
            process.kill()

    try:
        with pytest.raises(StoreError, match="cannot be reached or went away") as caught:
            export(graph, imported.uri, ExportOptions(progress=kill_half_way))
        assert "start the server and run this again" in str(caught.value)
    finally:
        process.start()
    nodes, relations = totals(imported)
    assert nodes == sizes(graph)[0]
    assert 0 < relations < sizes(graph)[1]
    for _ in range(2):
        export(graph, imported.uri)
        assert totals(imported) == sizes(graph)


def test_the_report_has_the_command_of_the_import(tmp_path: Path) -> None:
    directory = tmp_path / "some folder"
    details = export(odd_graph(tmp_path / "graph"), f"neo4j-csv:{directory}").details
    assert details == {
        "import it": f"cd '{directory}' && neo4j-admin database import full neo4j @import.args",
        "start the server, then": "cypher-shell -f after-import.cypher",
    }


def test_without_indexes_there_are_no_vectors(tmp_path: Path) -> None:
    directory = tmp_path / "graph.neo4j-csv"
    export(odd_graph(tmp_path / "graph"), str(directory))
    assert "vector" not in (directory / "nodes" / "SubEvent.header.csv").read_text(encoding="utf-8")
    assert "INDEX kgscripts" not in (directory / "after-import.cypher").read_text(encoding="utf-8")
