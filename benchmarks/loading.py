"""A generated graph into servers: by their bulk loaders, beside the way over the network, both from start to end.

Loaders take a part of their time to start Java, whatever the graph.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.exporting import export_to, generate
from benchmarks.measure import Row, measure, ratio
from benchmarks.servers import USERS, server_folder, started, with_java
from exports.rdf import sparql_client
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES

RELATIONS = 200_000


def run(command: list[str | Path], folder: Path, expected: str) -> Callable[[], None]:
    """Run a loader in `folder`. RuntimeError if it fails or its output lacks `expected`."""
    environment = with_java()

    def call() -> None:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or expected not in done.stdout + done.stderr:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")

    return call


def rows() -> Iterator[Row]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph, home, csv = folder / "graph", folder / "home", folder / "csv"
        relations = measure(generate, graph, RELATIONS).value
        nodes = sum(map(ScriptGraph.open(graph).manifest.rows, NODE_TYPES))
        yield _compared(
            "neo4j",
            "CSV and neo4j-admin against Bolt",
            graph,
            f"neo4j-csv:{csv}",
            [server_folder("neo4j") / "admin", home, "database", "import", "full", "neo4j", "@import.args"],
            csv,
            f"  {nodes} nodes\n  {relations} relationships\n",
        )
        file, jar = folder / "graph.nq.gz", server_folder("fuseki") / "fuseki-server.jar"
        loader: list[str | Path] = ["java", "-Xmx1g", "-cp", jar, "tdb2.tdbloader", f"--loc={folder / 'tdb2'}", file]
        what = "N-Quads and tdb2.tdbloader against HTTP"
        yield _compared("fuseki", what, graph, str(file), loader, folder, "Finish - index")


def _compared(
    name: str, what: str, graph: Path, written: str, loader: list[str | Path], folder: Path, expected: str
) -> Row:
    """What is written and loaded beside an export to the server."""
    with started(name) as server:
        if server is None:
            return Row(what, "no server or no Java at hand")
        if name == "neo4j":
            os.environ["NEO4J_USERNAME"], os.environ["NEO4J_PASSWORD"] = USERS[name], server.password
            network = measure(export_to, graph, server.address)
        else:
            os.environ[sparql_client.USER], os.environ[sparql_client.PASSWORD] = USERS[name], server.password
            network = measure(export_to, graph, f"sparql+{server.address}")
    bulk = measure(export_to, graph, written).seconds + measure(run, loader, folder, expected).seconds
    return ratio(what, bulk, network.seconds)
