"""A generated graph into servers and stores: over the network, and by their bulk loaders, from start to end.

Rows are nodes and relations together. Processor time is that of the client, the server and the loader; it depends less
than the time on what else the machine does. Loaders take a part of theirs to start Java, whatever the graph.
"""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import frozen

from benchmarks.exporting import generate
from benchmarks.fuseki_server import USER, fuseki_server
from benchmarks.fuseki_server import server_folder as fuseki_folder
from benchmarks.measure import Row, measure
from benchmarks.neo4j_server import neo4j_server, processor_seconds, with_java
from benchmarks.neo4j_server import server_folder as neo4j_folder
from exports.rdf import sparql_client
from exports.targets import export
from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES

RELATIONS = 200_000


@frozen
class Loading:
    """Wall-clock time and processor time in seconds, and the bytes that were written, 0 if they were not counted."""

    seconds: float
    processor: float
    size: int = 0


def export_to(directory: Path, target: str) -> Callable[[], float]:
    """Export the graph in `directory` to `target`; the processor time of this process."""
    graph = ScriptGraph.open(directory)

    def call() -> float:
        start = time.process_time()
        export(graph, target)
        return time.process_time() - start

    return call


def run(command: list[str | Path], folder: Path, expected: str) -> Callable[[], float]:
    """Run a loader in `folder`; its processor time. RuntimeError if it fails or its output lacks `expected`."""
    environment = with_java()

    def call() -> float:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or expected not in done.stdout + done.stderr:
            raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    return call


def rows() -> Iterator[Row]:
    """Measure all of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph = folder / "graph"
        relations = int(measure(generate, graph, RELATIONS).value)
        nodes = sum(map(ScriptGraph.open(graph).manifest.rows, NODE_TYPES))
        yield Row("the graph", f"{nodes:,} nodes and {relations:,} relations")
        yield from _neo4j(folder, graph, nodes, relations)
        yield from _rdf(folder, graph, nodes + relations)


def _neo4j(folder: Path, graph: Path, nodes: int, relations: int) -> Iterator[Row]:
    total = nodes + relations
    written = _export(graph, f"neo4j-csv:{folder / 'csv'}", path=folder / "csv")
    yield _rate("CSV for neo4j-admin, written", written, total)
    with neo4j_server() as server:
        if server is None:
            yield Row("Neo4j", "no server at hand")
            return
        bolt = _export(graph, server.uri, server=server.pid)
    yield _rate("Neo4j over Bolt, new server", bolt, total)
    home = folder / "home"
    command: list[str | Path] = [neo4j_folder() / "admin", home, "database", "import", "full", "neo4j", "@import.args"]
    imported = _run(command, folder / "csv", f"  {nodes} nodes\n  {relations} relationships\n", home / "data")
    yield _rate("neo4j-admin database import", imported, total)
    yield _against("CSV and its import against Bolt", bolt, written, imported)


def _rdf(folder: Path, graph: Path, total: int) -> Iterator[Row]:
    file, store = folder / "graph.nq.gz", folder / "tdb2"
    written = _export(graph, str(file), path=file)
    yield _rate("N-Quads with gzip, written", written, total)
    oxigraph = folder / "graph.oxigraph"
    yield _rate("Oxigraph store, written", _export(graph, str(oxigraph), path=oxigraph), total)
    with fuseki_server() as server:
        if server is None:
            yield Row("Fuseki", "no Fuseki or no Java at hand")
            return
        os.environ[sparql_client.USER], os.environ[sparql_client.PASSWORD] = USER, server.password
        http = _export(graph, f"sparql+{server.address}", server=server.pid)
    yield _rate("Fuseki over HTTP, new server", http, total)
    jar = fuseki_folder() / "fuseki-server.jar"
    command: list[str | Path] = ["java", "-Xmx1g", "-cp", jar, "tdb2.tdbloader", f"--loc={store}", file]
    loaded = _run(command, folder, "Finish - index", store)
    yield _rate("tdb2.tdbloader", loaded, total)
    yield _against("N-Quads and tdb2.tdbloader against HTTP", http, written, loaded)


def _export(graph: Path, target: str, *, path: Path | None = None, server: int | None = None) -> Loading:
    before = processor_seconds(server) if server else 0.0
    measured = measure(export_to, graph, target)
    after = processor_seconds(server) if server else 0.0
    return Loading(measured.seconds, measured.value + after - before, _size(path) if path else 0)


def _run(command: list[str | Path], folder: Path, expected: str, store: Path) -> Loading:
    measured = measure(run, command, folder, expected)
    return Loading(measured.seconds, measured.value, _size(store))


def _rate(what: str, loading: Loading, total: int) -> Row:
    disk = f", {loading.size / total:,.0f} bytes a row" if loading.size else ""
    processor = f"{loading.processor / total * 1e6:,.0f} µs of processor time a row"
    return Row(what, f"{total / loading.seconds:,.0f} rows/s, {processor}{disk}")


def _against(what: str, network: Loading, *bulk: Loading) -> Row:
    faster = network.seconds / sum(item.seconds for item in bulk)
    processor = sum(item.processor for item in bulk) / network.processor
    return Row(what, f"{faster:.1f} x as fast, {processor:.2f} x the processor time")


def _size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder, as they lie on disk: stores have files with holes."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())
