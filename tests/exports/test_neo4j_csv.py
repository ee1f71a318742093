"""What neo4j-admin makes of the CSV files, read back from the server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from exports.targets import export
from tests.exports.adapters_property_graph import read_bolt
from tests.exports.compliance import expected
from tests.exports.neo4j_server import BoltServer, java_environment, neo4j_folder, neo4j_process
from tests.graphs import odd_graph


@pytest.mark.servers
def test_neo4j_admin_imports_the_graph_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    admin = neo4j_folder() / "admin"
    graph = odd_graph(tmp_path / "graph")
    directory = tmp_path / "graph.neo4j-csv"
    export(graph, str(directory))
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
        for statement in (directory / "after-import.cypher").read_text(encoding="utf-8").split(";")[:-1]:
            server.ask(statement)
        assert read_bolt(server) == expected(graph)
        # It goes on from here: the exporter finds its own nodes and writes nothing twice.
        server.use(monkeypatch)
        export(graph, server.uri)
        assert read_bolt(server) == expected(graph)
    finally:
        process.stop()
