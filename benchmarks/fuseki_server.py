"""A scratch Fuseki server for the length of a benchmark."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pyoxigraph
from attrs import field, frozen

from benchmarks.neo4j_server import with_java

_DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "fuseki"
USER = "kgscripts"


@frozen
class Server:
    """The address of its data set, the password of its user, and the process that started it."""

    address: str
    password: str = field(repr=False)
    pid: int

    @property
    def authorization(self) -> str:
        """The header that each request needs."""
        return f"Basic {b64encode(f'{USER}:{self.password}'.encode()).decode()}"

    def load(self, quads: Path) -> None:
        """Add the triples of an N-Quads file to the default graph, which is what a query is answered from."""
        triples = quads.with_suffix(".nt")
        parsed = pyoxigraph.parse(path=quads, format=pyoxigraph.RdfFormat.N_QUADS)
        pyoxigraph.serialize((quad.triple for quad in parsed), triples, format=pyoxigraph.RdfFormat.N_TRIPLES)
        headers = {"Content-Type": "application/n-triples", "Authorization": self.authorization}
        with triples.open("rb") as stream:
            sent = httpx.post(f"{self.address}/data?default", content=stream, headers=headers, timeout=None)
        sent.raise_for_status()


def server_folder() -> Path:
    """The folder that `KGSCRIPTS_TEST_FUSEKI` names."""
    return Path(os.environ.get("KGSCRIPTS_TEST_FUSEKI", _DEFAULT))


@contextmanager
def fuseki_server() -> Iterator[Server | None]:
    """Start the server of the folder that `KGSCRIPTS_TEST_FUSEKI` names; None where it or Java is missing."""
    folder, environment = server_folder(), with_java()
    if environment is None or not (folder / "start").exists():
        yield None
        return
    password = secrets.token_hex(8)
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [folder / "start", home],
            stdout=subprocess.PIPE,
            env=environment | {"FUSEKI_PASSWORD": password},
            text=True,
        )
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().strip(), password, process.pid)
        finally:
            process.terminate()
            process.wait(timeout=60)
