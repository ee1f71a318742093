"""What neo4j-admin makes of the CSV files, read back from the server, beside what an export over Bolt writes."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from exports.targets import ExportOptions, export
from tests.exports.neo4j_server import BoltServer, java_environment, neo4j_folder, neo4j_process
from tests.graphs import odd_graph

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


@pytest.mark.servers
def test_neo4j_admin_imports_what_bolt_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = neo4j_folder() / "admin"
    graph = odd_graph(tmp_path / "graph")
    directory = tmp_path / "graph.neo4j-csv"
    report = export(graph, str(directory), INDEXES)
    home = tmp_path / "home"
    subprocess.run(
        [admin, home, "database", "import", "full", "neo4j", "@import.args"],
        cwd=directory,
        env=java_environment(),
        check=True,
        capture_output=True,
        timeout=240,
    )
    process = neo4j_process(home, "import-password")
    process.start()
    server = BoltServer(f"bolt://127.0.0.1:{process.port}", "neo4j", "import-password", process)
    try:
        for statement in (directory / "after-import.cypher").read_text(encoding="utf-8").split(";\n")[:-1]:
            server.ask(statement)
        imported = everything(server)
        # It goes on from here: the exporter finds its own nodes and writes nothing twice.
        server.use(monkeypatch)
        export(graph, server.uri, INDEXES)
        assert everything(server) == imported
        server.empty()
        for kind, names in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
            for (name,) in server.ask(f"SHOW {names} YIELD name WHERE name STARTS WITH 'kgscripts' RETURN name"):
                server.ask(f"DROP {kind} {name}")
        assert not everything(server)["nodes"] + everything(server)["indexes"]
        written = export(graph, server.uri, INDEXES)
        assert everything(server) == imported
        assert report.details["vectors"] == written.details["vectors"] == 30, "ten of each kind"
    finally:
        process.stop()


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
