"""Apache Jena Fuseki, one for all tests.

``KGSCRIPTS_TEST_FUSEKI`` is a folder with `start` (by default `fuseki` in the shared folder) or the address of a
scratch data set, whose user and password are ``KGSCRIPTS_TEST_FUSEKI_USER`` and ``..._PASSWORD``. The variables that
users set for their own exports are never read: a test must not be able to erase somebody's data.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import httpx
import pyoxigraph
import pytest
from attrs import field, frozen

from exports.rdf.sparql_client import PASSWORD, USER
from tests.exports.neo4j_server import ServerProcess, free_port, java_environment

_SHARED = Path(os.environ.get("KGSCRIPTS_SHARED", Path(__file__).resolve().parents[3] / "shared"))


@frozen
class FusekiServer:
    """A data set and who may use it; `process` is there where the tests started it and may kill it."""

    address: str
    user: str
    password: str = field(repr=False)
    process: ServerProcess | None = None

    @property
    def target(self) -> str:
        """The data set as a target of exports."""
        return f"sparql+{self.address}"

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make this server's user the one that exports and queries take from the environment."""
        monkeypatch.setenv(USER, self.user)
        monkeypatch.setenv(PASSWORD, self.password)

    def quads(self) -> list[pyoxigraph.Quad]:
        """All that the data set holds."""
        answer = self._request("GET", "data", headers={"Accept": "application/n-quads"})
        return list(pyoxigraph.parse(answer.content, pyoxigraph.RdfFormat.N_QUADS))

    def update(self, text: str) -> None:
        """A SPARQL update."""
        self._request("POST", "update", data={"update": text})

    def _request(self, method: str, service: str, **arguments: object) -> httpx.Response:
        url, auth = f"{self.address}/{service}", (self.user, self.password)
        return httpx.request(method, url, auth=auth, timeout=120, **arguments).raise_for_status()  # type: ignore[arg-type]


def fuseki_folder() -> Path:
    """The folder that holds Fuseki's `start` and its jar; a test that needs it is skipped where there is none."""
    folder = Path(os.environ.get("KGSCRIPTS_TEST_FUSEKI") or _SHARED / "fuseki")
    if not (folder / "start").exists():
        pytest.skip(f"no Fuseki at {folder}: set KGSCRIPTS_TEST_FUSEKI to a folder with `start`, or to an address")
    return folder


def fuseki_process(home: Path, password: str) -> ServerProcess:
    """Fuseki on its data in `home`, not started yet."""
    home.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [str(fuseki_folder() / "start"), str(home), str(port)]
    return ServerProcess(command, java_environment(FUSEKI_PASSWORD=password), home / "start.log", port, "http://")


@pytest.fixture(scope="session")
def fuseki_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FusekiServer]:
    """One Fuseki for all tests, refused unless it is empty."""
    address = os.environ.get("KGSCRIPTS_TEST_FUSEKI", "")
    if "://" in address:
        user = os.environ.get("KGSCRIPTS_TEST_FUSEKI_USER", "")
        yield _refuse_unless_empty(FusekiServer(address, user, os.environ.get("KGSCRIPTS_TEST_FUSEKI_PASSWORD", "")))
        return
    password = secrets.token_hex(8)
    process = fuseki_process(tmp_path_factory.mktemp("fuseki"), password)
    process.start()
    try:
        yield _refuse_unless_empty(FusekiServer(f"http://127.0.0.1:{process.port}/kg", "kgscripts", password, process))
    finally:
        process.stop()


def _refuse_unless_empty(server: FusekiServer) -> FusekiServer:
    if count := len(server.quads()):
        pytest.fail(f"{server.address} holds {count} quads: tests use an empty scratch data set only", pytrace=False)
    return server


@pytest.fixture
def fuseki_server(fuseki_session: FusekiServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FusekiServer]:
    """Fuseki without data, its user in the environment."""
    fuseki_session.use(monkeypatch)
    yield fuseki_session
    fuseki_session.update("DROP ALL")
