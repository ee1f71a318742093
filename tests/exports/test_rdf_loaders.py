"""What the bulk loader of Apache Jena makes of an exported file, beside what an export over HTTP writes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from exports.targets import ExportOptions, export
from schemas.errors import StoreError
from tests.exports.fuseki_server import FusekiServer, fuseki_folder, fuseki_process
from tests.exports.neo4j_server import java_environment
from tests.graphs import odd_graph


@pytest.mark.servers
def test_tdbloader_loads_what_http_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = fuseki_folder() / "fuseki-server.jar"
    graph = odd_graph(tmp_path / "graph")
    export(graph, str(tmp_path / "graph.nq.gz"))
    home = tmp_path / "home"
    (home / "tdb2").mkdir(parents=True)
    subprocess.run(
        ["java", "-cp", jar, "tdb2.tdbloader", f"--loc={home / 'tdb2'}", tmp_path / "graph.nq.gz"],
        env=java_environment(),
        check=True,
        capture_output=True,
        timeout=240,
    )
    process = fuseki_process(home, "loading-password")
    process.start()
    try:
        server = FusekiServer(f"http://127.0.0.1:{process.port}/kg", "kgscripts", "loading-password", process)
        loaded = set(server.quads())
        server.use(monkeypatch)
        # A file has no id of its graph, so that the server does not know yet whose triples these are.
        with pytest.raises(StoreError, match="another graph"):
            export(graph, server.target)
        export(graph, server.target, ExportOptions(replace_graph=True))
        written = set(server.quads())
        assert loaded < written
        assert [quad.predicate.value for quad in written - loaded] == ["http://purl.org/dc/terms/isVersionOf"]
    finally:
        process.stop()
